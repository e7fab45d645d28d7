/**
 * The items of a log, one a line: number, name, id, text and time. Each opens as a tree. The list follows its end until the user
 * scrolls away from it.
 */

import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { count, traceKey } from "../../run/format.ts";
import { jsonOf } from "../../run/values.ts";
import { JsonView } from "../json/view.tsx";
import { selection } from "../store/page-store.ts";
import type { ItemLog, LogItem } from "./item-log.ts";

interface Names {
  /** For example `event`. */
  readonly one: string;
  /** How an item breaks its contract. */
  readonly faultOf?: (item: LogItem) => string | undefined;
}

/** Characters of an item that are on its line, and of a text that is open. */
const [MAX_LINE, MAX_TEXT] = [300, 200_000];

/** The list. */
export function ItemList(props: Names & { readonly log: ItemLog; readonly label: string }): JSX.Element {
  const { log, label, ...names } = props;
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [log]);
  const left = log.count - log.items.length;
  return (
    <div
      ref={box}
      class="json items"
      role="region"
      aria-label={label}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 8;
      }}
    >
      {log.count === 0 && <p class="hint">No {names.one} yet.</p>}
      {left > 0 && (
        <p class="hint">
          The newest {log.items.length} of {count(log.count, names.one)}.
        </p>
      )}
      {log.items.map((item) => (
        <Item key={item.number} item={item} {...names} />
      ))}
    </div>
  );
}

function Item({ item, one, faultOf }: Names & { readonly item: LogItem }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { number, name, id, text, time, run } = item;
  const fault = useMemo(() => faultOf?.(item), [item]);
  return (
    <details
      class="item"
      data-item={number}
      data-name={name}
      data-broken={fault === undefined ? undefined : ""}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span class="num muted">{number}</span>
        {name && <b>{name}</b>}
        {id && (
          <code class="muted" title="id">
            {id}
          </code>
        )}
        <code class="grow">{text.slice(0, MAX_LINE)}</code>
        {fault !== undefined && <span class="flag error">{fault}</span>}
        <span class="time">{time}</span>
      </summary>
      {isOpen && <ItemBody item={item} label={`${one[0]?.toUpperCase()}${one.slice(1)} ${number}`} />}
      {isOpen && run && (
        <button type="button" class="quiet" key={traceKey(run)} onClick={() => selection.selectTrace(run)}>
          Its run
        </button>
      )}
    </details>
  );
}

function ItemBody({ item, label }: { readonly item: LogItem; readonly label: string }): JSX.Element {
  const { text, value } = item;
  const shown = value ?? jsonOf(text);
  return typeof shown === "object" && shown !== null ? (
    <JsonView value={shown} label={label} rows={20} tagged={value !== undefined} />
  ) : (
    <pre class="text">{text.slice(0, MAX_TEXT)}</pre>
  );
}
