/**
 * Rows of name and value: the query, whose raw text stays editable beside them, and the headers.
 */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RouteInfo } from "../../wire.ts";
import { Icon } from "../page/icons.tsx";
import { useSlice } from "../store/slice.ts";
import { DeclaredFields } from "./declared-fields.tsx";
import { rowsBeside } from "./declared.ts";
import type { Draft } from "./draft-text.ts";
import { draftsSlice } from "./drafts.ts";
import { sharedHeadersSlice } from "./shared-headers.ts";
import { queryPairs, removeQueryPair, setQueryPair } from "./query-pairs.ts";

interface RowsProps {
  readonly route: RouteInfo;
  readonly draft: Draft;
}

/** The declared parameters, the raw query, and a row for each part of it that is not declared. */
export function QueryRows({ route, draft }: RowsProps): JSX.Element {
  const drafts = useSlice(draftsSlice);
  const [blank, setBlank] = useState(false);
  const typed = queryPairs(draft.query);
  const rows = [...rowsBeside(route, "query", draft), ...(blank ? [typed.length] : [])];
  const set = (query: string): void => drafts.setDraft({ query });
  return (
    <>
      <h3>
        Query
        <button
          type="button"
          class="quiet"
          onClick={() =>
            set(draft.query === "" ? "=" : setQueryPair(draft.query, typed.length, { name: "", value: "" }))
          }
        >
          Add parameter
        </button>
      </h3>
      <DeclaredFields route={route} draft={draft} part="query" />
      <input
        aria-label="Query"
        placeholder="page=1&size=20"
        autocomplete="off"
        value={draft.query}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {rows.length > 0 && (
        <div class="pairs">
          {rows.map((i, at) => (
            <PairRow
              key={i}
              label={`Parameter ${at + 1}`}
              name={typed[i]?.name ?? ""}
              value={typed[i]?.value ?? ""}
              onChange={(next, text) => {
                const query = setQueryPair(draft.query, i, { name: next, value: text });
                setBlank(query === "");
                set(query);
              }}
              onRemove={() => {
                if (i >= typed.length) setBlank(false);
                else set(removeQueryPair(draft.query, i));
              }}
            />
          ))}
        </div>
      )}
    </>
  );
}

/** The headers to send, and the cookies that are declared. */
export function HeaderRows({ route, draft }: RowsProps): JSX.Element {
  const drafts = useSlice(draftsSlice);
  const set = (headers: Draft["headers"]): void => drafts.setDraft({ headers });
  return (
    <>
      <h3>
        Headers
        <button type="button" class="quiet" onClick={() => set([...draft.headers, ["", ""]])}>
          Add header
        </button>
      </h3>
      <DeclaredFields route={route} draft={draft} part="headers" />
      <div class="pairs">
        {rowsBeside(route, "headers", draft).map((i, at) => (
          <PairRow
            key={i}
            label={`Header ${at + 1}`}
            name={draft.headers[i]?.[0] ?? ""}
            value={draft.headers[i]?.[1] ?? ""}
            onChange={(next, text) => set(draft.headers.map((old, at) => (at === i ? [next, text] : old)))}
            onRemove={() => set(draft.headers.filter((_, at) => at !== i))}
          />
        ))}
      </div>
      <p class="hint">
        <code>X-Framework-Dev</code> is added, so that the run is recognised.
      </p>
      {route.contract?.cookies !== undefined && (
        <>
          <h3>Cookies</h3>
          <DeclaredFields route={route} draft={draft} part="cookies" />
          <p class="hint">For what is copied: Send goes with the cookies of this browser.</p>
        </>
      )}
    </>
  );
}

/** Headers of every request of this tab. */
export function SharedHeaderRows(): JSX.Element {
  const shared = useSlice(sharedHeadersSlice);
  const pairs = shared.headers.value;
  return (
    <details class="shared" open={pairs.length > 0}>
      <summary>
        <h3>Headers of every request</h3>
      </summary>
      <div class="pairs">
        {pairs.map(([name, value], i) => (
          <PairRow
            key={i}
            label={`Shared header ${i + 1}`}
            name={name}
            value={value}
            onChange={(next, text) => shared.set(pairs.map((old, at) => (at === i ? [next, text] : old)))}
            onRemove={() => shared.set(pairs.filter((_, at) => at !== i))}
          />
        ))}
      </div>
      <button type="button" class="quiet" onClick={() => shared.set([...pairs, ["", ""]])}>
        Add shared header
      </button>
      <p class="hint">For this tab alone, until it is closed. A header above of the same name goes first.</p>
    </details>
  );
}

/** One pair of name and value. */
export function PairRow(props: {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly onChange: (name: string, value: string) => void;
  readonly onRemove: () => void;
}): JSX.Element {
  const { label, name, value, onChange } = props;
  return (
    <div class="pair">
      <input
        aria-label={`${label} name`}
        placeholder="Name"
        autocomplete="off"
        value={name}
        onInput={(event) => onChange(event.currentTarget.value, value)}
      />
      <input
        aria-label={`${label} value`}
        placeholder="Value"
        autocomplete="off"
        value={value}
        onInput={(event) => onChange(name, event.currentTarget.value)}
      />
      <button type="button" class="icon-button" aria-label={`Remove ${label.toLowerCase()}`} onClick={props.onRemove}>
        <Icon name="close" />
      </button>
    </div>
  );
}
