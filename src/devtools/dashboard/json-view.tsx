/**
 * A JSON value as a tree of which only the rows on screen exist.
 */

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Json } from "../wire.ts";
import { jsonRows, toggleFold } from "./json-rows.ts";
import type { Folds, JsonRow } from "./json-rows.ts";
import { CopyButton } from "./widgets.tsx";

const ROW = 17;
const OVERSCAN = 10;
const NONE: Folds = { opened: new Set(), closed: new Set() };

/** `label` names the region; `rows` is how many rows it shows before it scrolls. */
export function JsonView(props: {
  readonly value: Json;
  readonly label: string;
  readonly rows: number;
  readonly tagged: boolean;
}): JSX.Element {
  const { value, label, tagged } = props;
  const [folds, setFolds] = useState(NONE);
  const [top, setTop] = useState(0);
  const rows = useMemo(() => jsonRows(value, folds, tagged), [value, folds, tagged]);
  const height = Math.min(props.rows, rows.length) * ROW;
  const first = Math.max(0, Math.floor(top / ROW) - OVERSCAN);
  const last = Math.min(rows.length, Math.ceil((top + props.rows * ROW) / ROW) + OVERSCAN);
  return (
    <div class="json">
      <div class="json-tools">
        <CopyButton label="Copy" text={() => JSON.stringify(value, null, 2)} />
      </div>
      <div
        class="json-box"
        role="region"
        aria-label={label}
        tabIndex={0}
        style={{ height: `${height + 8}px` }}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div class="json-inner" style={{ height: `${rows.length * ROW}px` }}>
          <div style={{ transform: `translateY(${first * ROW}px)` }}>
            {rows.slice(first, last).map((row) => (
              <Row key={row.path} row={row} onToggle={() => setFolds(toggleFold(folds, row))} />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

function Row({ row, onToggle }: { readonly row: JsonRow; readonly onToggle: () => void }): JSX.Element {
  const foldable = row.kind === "open" || (row.kind === "folded" && row.size > 0);
  const comma = row.last || row.kind === "open" || row.kind === "note" ? "" : ",";
  return (
    <div class="json-row" style={{ paddingLeft: `${row.depth * 16 + 22}px` }}>
      {foldable && (
        <button
          type="button"
          class="twist"
          style={{ left: `${row.depth * 16 + 4}px` }}
          aria-expanded={row.kind === "open"}
          aria-label={`${row.kind === "open" ? "Collapse" : "Expand"} ${row.path}`}
          onClick={onToggle}
        />
      )}
      {row.key !== null && (
        <>
          <span class="j-key" title={row.path}>
            {JSON.stringify(row.key)}
          </span>
          :{" "}
        </>
      )}
      {row.label !== "" && row.kind !== "close" && <span class="j-note">{row.label} </span>}
      {row.kind === "folded" && row.size > 0 ? (
        <>
          {row.text.slice(0, 1)}
          <button type="button" class="j-fold" tabIndex={-1} aria-hidden="true" onClick={onToggle}>
            {row.size.toLocaleString("en")} {row.text === "[]" ? "items" : "keys"}
          </button>
          {row.text.slice(1)}
        </>
      ) : (
        <span class={`j-${row.type}`}>{row.text}</span>
      )}
      {comma}
    </div>
  );
}
