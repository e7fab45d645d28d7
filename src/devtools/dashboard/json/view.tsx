/**
 * A JSON value as a tree in which only the rows on screen exist, with a search, and each key's path to copy.
 */

import type { JSX } from "preact";
import { useLayoutEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { Json } from "../../run/shapes.ts";
import { keepInSight } from "../page/box.ts";
import { count } from "../../run/format.ts";
import { CopyButton } from "../page/widgets.tsx";
import { isFoldable, treeMove } from "./tree-moves.ts";
import { wanted } from "../page/wanted.ts";
import { wantedIn } from "./wanted.ts";
import { findRows, jsonRows, toggleFold, type Folds, type JsonRow } from "./rows.ts";

const ROW = 17;
const OVERSCAN = 10;
const NONE: Folds = { opened: new Set(), closed: new Set() };

interface JsonViewProps {
  readonly value: Json;
  readonly label: string;
  /** How many rows it shows before it scrolls. */
  readonly rows: number;
  /** Whether values that JSON lacks are written in tags. */
  readonly tagged: boolean;
  /** The original text, with every digit of its numbers. */
  readonly raw?: string | undefined;
  readonly wrong?: readonly string[] | undefined;
}

/** The tree. */
export function JsonView(props: JsonViewProps): JSX.Element {
  const { value, label, tagged } = props;
  const box = useRef<HTMLDivElement>(null);
  const [folds, setFolds] = useState(NONE);
  const [top, setTop] = useState(0);
  const [at, setAt] = useState(0);
  const id = useId();
  const [search, setSearch] = useState("");
  const [hit, setHit] = useState(0);
  const rows = useMemo(
    () => jsonRows(value, { ...folds, all: search !== "" }, tagged),
    [value, folds, tagged, search !== ""],
  );
  const hits = useMemo(() => findRows(rows, search), [rows, search]);
  const goTo = (index: number): void => {
    const at = hits.length === 0 ? 0 : (index + hits.length) % hits.length;
    setHit(at);
    box.current?.scrollTo({ top: Math.max(0, ((hits[at] ?? 0) - 3) * ROW) });
  };
  useLayoutEffect(() => {
    if (search) goTo(0);
  }, [hits]);
  const onKey = (event: KeyboardEvent): void => {
    const move = event.ctrlKey || event.metaKey || event.altKey ? undefined : treeMove(rows, at, event.key);
    if (!move) return;
    event.preventDefault();
    const here = rows[at];
    if (event.key === "Enter" && here && !isFoldable(here)) wanted.value = wantedIn(here) ?? wanted.value;
    if ("toggle" in move) {
      const row = rows[move.toggle];
      if (row) setFolds(toggleFold(folds, row));
      return;
    }
    setAt(move.to);
    keepInSight(box.current, move.to * ROW, (move.to + 1) * ROW + 8);
  };
  const height = Math.min(props.rows, rows.length) * ROW;
  const first = Math.max(0, Math.floor(top / ROW) - OVERSCAN);
  const last = Math.min(rows.length, Math.ceil((top + props.rows * ROW) / ROW) + OVERSCAN);
  return (
    <div class="json" role="region" aria-label={label}>
      <div class="json-tools">
        {rows.length > 12 && (
          <Search
            label={label}
            text={search}
            hits={hits.length}
            onText={setSearch}
            onStep={(step) => goTo(hit + step)}
          />
        )}
        <CopyButton label="Copy" text={() => props.raw ?? JSON.stringify(value, null, 2)} />
      </div>
      <div
        ref={box}
        class="json-box"
        role="tree"
        aria-label={`${label}, tree`}
        tabIndex={0}
        aria-activedescendant={at >= first && at < last ? `${id}-${at}` : undefined}
        style={{ height: `${height + 8}px` }}
        onKeyDown={onKey}
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      >
        <div class="json-inner" role="none" style={{ height: `${rows.length * ROW}px` }}>
          <div role="none" style={{ transform: `translateY(${first * ROW}px)` }}>
            {rows.slice(first, last).map((row, i) => (
              <Row
                key={row.path}
                id={`${id}-${first + i}`}
                row={row}
                current={first + i === at}
                broken={props.wrong?.includes(row.path)}
                found={first + i === hits[hit] ? "now" : hits.includes(first + i) ? "" : undefined}
                onToggle={() => {
                  setAt(first + i);
                  setFolds(toggleFold(folds, row));
                }}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

function Search(props: {
  readonly label: string;
  readonly text: string;
  readonly hits: number;
  readonly onText: (text: string) => void;
  readonly onStep: (step: number) => void;
}): JSX.Element {
  return (
    <>
      {props.text !== "" && (
        <span class="muted" role="status">
          {count(props.hits, "match", "matches")}
        </span>
      )}
      <input
        type="search"
        aria-label={`Search in ${props.label.toLowerCase()}`}
        placeholder="Search"
        value={props.text}
        onInput={(event) => props.onText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") props.onStep(event.shiftKey ? -1 : 1);
        }}
      />
    </>
  );
}

interface RowProps {
  readonly id: string;
  readonly row: JsonRow;
  /** Whether the keyboard is on it. */
  readonly current: boolean;
  readonly broken: boolean | undefined;
  readonly found: string | undefined;
  readonly onToggle: () => void;
}

function Row({ id, row, current, broken, found, onToggle }: RowProps): JSX.Element {
  const foldable = isFoldable(row);
  const comma = row.last || row.kind === "open" || row.kind === "note" ? "" : ",";
  const closing = row.kind === "close";
  const origin = wantedIn(row);
  return (
    <div
      id={id}
      class="json-row"
      role={closing ? "none" : "treeitem"}
      aria-hidden={closing ? "true" : undefined}
      aria-level={closing ? undefined : row.depth + 1}
      aria-expanded={foldable ? row.kind === "open" : undefined}
      aria-selected={closing ? undefined : current}
      data-found={found}
      data-broken={broken ? "" : undefined}
      style={{ paddingLeft: `${row.depth * 16 + 22}px` }}
    >
      {foldable && <span class="twist" style={{ left: `${row.depth * 16 + 4}px` }} onClick={onToggle} />}
      {row.key !== null && (
        <>
          <span
            class="j-key"
            title={`${row.path} (double-click copies the path)`}
            onDblClick={() => void navigator.clipboard?.writeText(row.path).catch(() => undefined)}
          >
            {JSON.stringify(row.key)}
          </span>
          :{" "}
        </>
      )}
      {row.label !== "" && row.kind !== "close" && <span class="j-note">{row.label} </span>}
      {row.kind === "folded" && row.size > 0 ? (
        <>
          {row.text.slice(0, 1)}
          <span class="j-fold" onClick={onToggle}>
            {count(row.size, row.text === "[]" ? "item" : "key")}
          </span>
          {row.text.slice(1)}
        </>
      ) : (
        <span class={`j-${row.type}`}>{row.text}</span>
      )}
      {comma}
      {origin !== undefined && (
        <span class="j-from" title="Where was it in this run? (Enter)" onClick={() => (wanted.value = origin)} />
      )}
    </div>
  );
}
