/**
 * Rows of name and value: the query, with its raw text still editable next to them, and the headers.
 */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { RouteInfo } from "../../run/shapes.ts";
import { RemoveButton } from "../page/widgets.tsx";
import { DeclaredFields } from "./declared-fields.tsx";
import { declaredIn, rowsBeside } from "./declared.ts";
import type { Draft } from "./draft-text.ts";
import { queryPairs, replaced, replaceQueryPairs, type QueryPair } from "./query-pairs.ts";
import { drafts, sharedHeaders } from "./page-request.ts";

interface RowsProps {
  readonly route: RouteInfo;
  readonly draft: Draft;
}

/** The declared parameters, the raw query, and a row for each undeclared part of it. */
export function QueryRows({ route, draft }: RowsProps): JSX.Element {
  const [blank, setBlank] = useState(false);
  const typed = queryPairs(draft.query);
  const rows = [...rowsBeside(route, "query", draft), ...(blank ? [typed.length] : [])];
  const set = (query: string): void => drafts.setDraft({ query });
  return (
    <>
      <h3>
        Query
        <button type="button" class="quiet" onClick={() => set(draft.query ? `${draft.query}&` : "=")}>
          Add parameter
        </button>
      </h3>
      <DeclaredFields route={route} draft={draft} part="query" />
      <input
        aria-label="Query"
        placeholder={Object.keys(declaredIn(route, "query").members)
          .map((name) => `${name}=`)
          .join("&")}
        autocomplete="off"
        value={draft.query}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {rows.length > 0 && (
        <div class="pairs">
          <PairRows
            label="Parameter"
            rows={rows}
            pairs={typed}
            onChange={(at, next) => {
              const query = replaceQueryPairs(draft.query, [at], next);
              setBlank(query === "" && next.length > 0);
              set(query);
            }}
          />
        </div>
      )}
    </>
  );
}

/** The headers to send, and the declared cookies. */
export function HeaderRows({ route, draft }: RowsProps): JSX.Element {
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
        <PairRows
          label="Header"
          rows={rowsBeside(route, "headers", draft)}
          pairs={named(draft.headers)}
          onChange={(at, next) => set(replaced(draft.headers, [at], next.map(listed)))}
        />
      </div>
      <p class="hint">
        <code>X-Framework-Dev</code> is added, so that the run is recognised.
      </p>
      {route.contract?.cookies && (
        <>
          <h3>Cookies</h3>
          <DeclaredFields route={route} draft={draft} part="cookies" />
          <p class="hint">For copies: Send goes with the browser's cookies.</p>
        </>
      )}
    </>
  );
}

/** Headers of every request of this tab. */
export function SharedHeaderRows(): JSX.Element {
  const { headers } = sharedHeaders;
  const pairs = headers.value;
  return (
    <details class="shared" open={pairs.length > 0}>
      <summary>
        <h3>Headers of every request</h3>
      </summary>
      <div class="pairs">
        <PairRows
          label="Shared header"
          rows={[...pairs.keys()]}
          pairs={named(pairs)}
          onChange={(at, next) => (headers.value = replaced(pairs, [at], next.map(listed)))}
        />
      </div>
      <button type="button" class="quiet" onClick={() => (headers.value = [...pairs, ["", ""]])}>
        Add shared header
      </button>
      <p class="hint">For this tab. A header above of the same name goes first.</p>
    </details>
  );
}

const named = (pairs: Draft["headers"]): QueryPair[] => pairs.map(([name, value]) => ({ name, value }));
const listed = ({ name, value }: QueryPair): readonly [name: string, value: string] => [name, value];

/** Rows for pairs of name and value. */
export function PairRows(props: {
  readonly label: string;
  readonly rows: readonly number[];
  readonly pairs: readonly QueryPair[];
  /** Replaces the content of a position with one pair, or none. */
  readonly onChange: (at: number, next: readonly QueryPair[]) => void;
}): JSX.Element {
  return (
    <>
      {props.rows.map((at, i) => {
        const pair = props.pairs[at] ?? { name: "", value: "" };
        const label = `${props.label} ${i + 1}`;
        const input = (part: keyof QueryPair, placeholder: string): JSX.Element => (
          <input
            aria-label={`${label} ${part}`}
            placeholder={placeholder}
            autocomplete="off"
            value={pair[part]}
            onInput={(event) => props.onChange(at, [{ ...pair, [part]: event.currentTarget.value }])}
          />
        );
        return (
          <div key={at} class="pair">
            {input("name", "Name")}
            {input("value", "Value")}
            <RemoveButton what={label.toLowerCase()} onClick={() => props.onChange(at, [])} />
          </div>
        );
      })}
    </>
  );
}
