/**
 * A leaf as a row of the timeline, and the button that shows and hides those of a call.
 */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Alike } from "../../analysis/alike.ts";
import { KINDS } from "../leaves/spent.ts";
import { leafText, outcomeOf } from "../leaves/words.ts";
import { duration } from "../page/format.ts";
import { Icon } from "../page/icons.tsx";
import { selectionSlice } from "../store/selection.ts";
import { useSlice } from "../store/slice.ts";
import type { LeafLine } from "./leaf-lines.ts";
import { indentOf } from "./timeline.ts";

/** Calls and leaves that take longer are flagged; the server writes its slowMs option into the page. */
export const slowUs = Number(document.documentElement.dataset["slowMs"] ?? Infinity) * 1_000;

/** Shows and hides what a call did below the beans. */
export function LeafToggle(props: {
  readonly count: number | undefined;
  readonly open: boolean;
  readonly onToggle: () => void;
}): JSX.Element | null {
  if (props.count === undefined) return null;
  return (
    <button
      type="button"
      class="flag calm"
      tabIndex={-1}
      aria-expanded={props.open}
      title={`${props.open ? "Hides" : "Shows"} what it did below the beans`}
      onClick={(event) => {
        event.stopPropagation();
        props.onToggle();
      }}
    >
      {props.open ? "▾" : "▸"} {props.count.toLocaleString("en")}
    </button>
  );
}

/** A statement, a request, a line of a log … */
export function LeafRow(props: {
  readonly line: LeafLine;
  /** Statements alike, and which of them this is. */
  readonly mark: { readonly one: Alike; readonly i: number } | undefined;
  readonly index: number;
  readonly tab: boolean;
  readonly total: number;
  readonly endUs: number;
}): JSX.Element {
  const selection = useSlice(selectionSlice);
  const { line, mark, total } = props;
  const { leaf, caller, depth } = line;
  const { startUs, durationUs, error } = leaf;
  const current = selection.leafId.value === leaf.id;
  const width = Math.max(0.4, ((durationUs ?? Math.max(0, props.endUs - startUs)) / total) * 100);
  const open = (): void => selection.selectLeaf(current ? null : leaf, caller);
  const text = leafText(leaf);
  const element = useRef<HTMLDivElement>(null);
  // What is open stands below the rows, and may have come over this one.
  useEffect(() => {
    if (current) element.current?.scrollIntoView({ block: "nearest" });
  }, [current]);
  return (
    <div
      ref={element}
      class="call-row leaf"
      role="row"
      tabIndex={props.tab ? 0 : -1}
      aria-rowindex={props.index + 3}
      data-leaf={leaf.id}
      data-kind={leaf.kind}
      data-current={current ? "" : undefined}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        open();
      }}
    >
      <span role="cell" class="call-name" style={{ paddingLeft: `${indentOf({ depth })}px` }} title={text}>
        <Icon name={leaf.kind} />
        <span class="sr">{KINDS[leaf.kind][0]} </span>
        <span class="cut">{text}</span>
        {error !== null && (
          <em class="flag error" title={`${error.name}: ${error.message}`}>
            ! failed
          </em>
        )}
        {(durationUs ?? 0) > slowUs && (
          <em class="flag" title={`Longer than ${duration(slowUs)}`}>
            slow
          </em>
        )}
        {mark !== undefined && (
          <em class="flag" title={alikeTitle(mark.one)}>
            N+1 {mark.i + 1}/{mark.one.ids.length}
          </em>
        )}
      </span>
      <span role="cell" class="num muted">
        {outcomeOf(leaf)}
      </span>
      <span role="cell" class="num">
        {leaf.kind === "log" ? "" : durationUs === null ? "pending" : duration(durationUs)}
      </span>
      <span role="cell" class="bar-cell" aria-label={`starts at ${duration(startUs)}`}>
        <i
          class="bar"
          data-failed={error === null ? undefined : ""}
          style={{ left: `${(startUs / total) * 100}%`, width: `${width}%` }}
        />
      </span>
    </div>
  );
}

const alikeTitle = ({ ids, wastedUs }: Alike): string =>
  `${ids.length} statements that differ in values alone; all but the first took ${duration(wastedUs)} in sum`;
