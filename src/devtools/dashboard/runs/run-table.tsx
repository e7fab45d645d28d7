/**
 * The runs as a table that sorts by every column, with a bar for each over one axis of time. Only rows on screen exist.
 */

import { signal } from "@preact/signals";
import type { JSX, Ref } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { Trace } from "../../run/shapes.ts";
import { clock, count, duration, shownPath, size } from "../../run/format.ts";
import { Quantity } from "../page/quantity.tsx";
import { useSize } from "../page/use-size.ts";
import { VirtualRows } from "../page/virtual-rows.tsx";
import { Empty, Method, Status } from "../page/widgets.tsx";
import { application, selection } from "../store/page-store.ts";
import { totalSeen } from "./history.ts";
import { InFlightList } from "./in-flight-list.tsx";
import { history, kept } from "./page-runs.ts";
import { runKeys } from "./run-keys.ts";
import { RunMarks } from "./run-marks.tsx";
import {
  axisOf,
  entryOf,
  orderAfter,
  placeOn,
  sortedRuns,
  type RunColumn,
  type RunEntry,
  type RunOrder,
  type TimeAxis,
} from "./run-rows.ts";
import { PauseButton, RunToggles } from "./run-toggles.tsx";
import { SearchField, SearchIssues } from "./search-field.tsx";

/** The height of a row, in pixels. */
const ROW = 20;

/** The order, kept while another place is open. */
const order = signal<RunOrder>({ by: "start", isUp: false });

/** The runs of Inspect: title with search and filters, then the table. */
export function RunTable(props: { readonly onEdit: (trace: Trace) => void }): JSX.Element {
  const runs = history.shown.value;
  const rows = useMemo(() => sortedRuns(runs.map(entryOf), order.value), [runs, order.value]);
  return (
    <section class="run-table" aria-label="Runs">
      <div class="zone-head">
        <h2>Runs</h2>
        <Counts shown={rows.length} />
        <SearchField />
        <span class="grow" />
        <RunToggles />
        <PauseButton />
      </div>
      <SearchIssues />
      <ActiveFilters />
      <InFlightList />
      {rows.length === 0 ? <Nothing /> : <Rows rows={rows} onEdit={props.onEdit} />}
    </section>
  );
}

function Counts({ shown }: { readonly shown: number }): JSX.Element {
  const held = application.traces.value.length;
  const missed = kept.missed.value;
  return (
    <span class="muted" role="status" title={`${Math.max(held, totalSeen(application.traces.value))} seen`}>
      {shown < held ? `${shown} of ${held}` : `${held} kept`}
      {missed > 0 && ` · ${count(missed, "run")} went by unseen`}
    </span>
  );
}

/** The filters that are set elsewhere, since this table has no fields for them. */
function ActiveFilters(): JSX.Element | null {
  const { method, status, minUs, bean, between } = history.filter.value;
  const set = [
    method,
    status && `${status}xx`,
    minUs > 0 && `≥ ${duration(minUs)}`,
    between && `time ${between.map(clock).join(" to ")}`,
    bean && `called ${selection.beanName(bean)}`,
  ].filter(Boolean);
  if (set.length === 0) return null;
  return (
    <p class="hint active-filters">
      Only runs with: {set.join(", ")}{" "}
      <button type="button" class="link" onClick={() => history.clearFilter()}>
        Show all
      </button>
    </p>
  );
}

function Nothing(): JSX.Element {
  if (!application.loaded.value && application.failure.value === null) return <Empty title="Reading the runs…" />;
  if (history.showsAll.value || application.traces.value.length === 0)
    return <Empty title="No runs yet">Send a request in Compose, or let traffic arrive.</Empty>;
  return (
    <Empty title="No run matches">
      <button type="button" class="quiet" onClick={() => history.clearFilter()}>
        Show all {application.traces.value.length}
      </button>
    </Empty>
  );
}

const COLUMNS: readonly (readonly [column: RunColumn, name: string, isNumber?: boolean])[] = [
  ["start", "Start"],
  ["method", "Method"],
  ["route", "Route"],
  ["status", "Status", true],
  ["duration", "Duration", true],
  ["end", "Over time"],
  ["sql", "SQL", true],
  ["sqlTime", "SQL time", true],
  ["size", "Size", true],
];

function Rows({
  rows,
  onEdit,
}: {
  readonly rows: readonly RunEntry[];
  readonly onEdit: (trace: Trace) => void;
}): JSX.Element {
  const [range, setRange] = useState<readonly [first: number, end: number]>([0, 0]);
  const seen = rows.slice(...range);
  const axisCell = useRef<HTMLSpanElement>(null);
  const { width } = useSize(axisCell).value;
  const axis = useMemo(() => axisOf(seen, width), [seen.map(({ key }) => key).join(" "), width]);
  const chosen = selection.traceId.value;
  return (
    <div class="runs-grid" role="grid" aria-label="Runs" aria-rowcount={rows.length + 1} aria-keyshortcuts="A B P E">
      <div class="run-row head" role="row" aria-rowindex={1}>
        {COLUMNS.map(([column, name, isNumber]) => (
          <Head key={column} column={column} name={name} isNumber={isNumber === true} axis={axis} cell={axisCell} />
        ))}
      </div>
      <VirtualRows
        length={rows.length}
        height={ROW}
        before={1}
        onRange={(first, end) => {
          if (first !== range[0] || end !== range[1]) setRange([first, end]);
        }}
        reveal={{ key: chosen ?? "", index: rows.findIndex(({ key }) => key === chosen) }}
        row={(index, tab) => {
          const entry = rows[index];
          return entry ? (
            <Row key={entry.key} entry={entry} index={index} tab={tab} axis={axis} onEdit={onEdit} />
          ) : null;
        }}
      />
    </div>
  );
}

function Head(props: {
  readonly column: RunColumn;
  readonly name: string;
  readonly isNumber: boolean;
  readonly axis: TimeAxis | null;
  /** The head of the column with the axis. */
  readonly cell: Ref<HTMLSpanElement>;
}): JSX.Element {
  const { column, name, axis } = props;
  const { by, isUp } = order.value;
  return (
    <span
      ref={column === "end" ? props.cell : null}
      role="columnheader"
      data-column={column}
      class={props.isNumber ? "num" : undefined}
      aria-sort={by === column ? (isUp ? "ascending" : "descending") : undefined}
    >
      <button
        type="button"
        class="sort"
        title={column === "end" ? "When it ran; sorts by the end" : `Sort by ${name.toLowerCase()}`}
        onClick={() => (order.value = orderAfter(order.value, column))}
      >
        {name}
      </button>
      {column === "end" &&
        axis?.marks
          .filter(({ at }) => placeOn(axis, at) > 8 && placeOn(axis, at) < 95)
          .map(({ at, label }) => (
            <i key={at} aria-hidden="true" style={{ left: `${placeOn(axis, at)}%` }}>
              {label}
            </i>
          ))}
    </span>
  );
}

function Row(props: {
  readonly entry: RunEntry;
  readonly index: number;
  readonly tab: boolean;
  readonly axis: TimeAxis | null;
  readonly onEdit: (trace: Trace) => void;
}): JSX.Element {
  const { trace, key, query, sqlCount, sqlUs } = props.entry;
  const failed = trace.status >= 500 || trace.error !== null;
  const time = clock(trace.startedAt);
  const choose = (): void => selection.selectTrace(trace);
  return (
    <div
      class="run-row"
      role="row"
      data-trace={key}
      data-failed={failed ? "" : undefined}
      aria-rowindex={props.index + 2}
      aria-selected={selection.traceId.value === key}
      tabIndex={props.tab ? 0 : -1}
      onClick={choose}
      onKeyDown={runKeys(trace, props.onEdit, { Enter: choose, " ": choose })}
    >
      <span role="gridcell" class="num began">
        <i>{time.slice(0, 6)}</i>
        {time.slice(6)}.{String(Math.floor(trace.startedAt) % 1_000).padStart(3, "0")}
      </span>
      <span role="gridcell">
        <Method name={trace.method} />
      </span>
      <span role="gridcell" class="route" title={shownPath(trace.path) + (query && `?${query}`)}>
        <RunMarks trace={trace} />
        {trace.event && <small class="muted">{trace.event}</small>}
        <code>
          {shownPath(trace.path)}
          {query && <i>?{query}</i>}
        </code>
      </span>
      <span role="gridcell" class="num">
        <Status code={trace.status} of={trace.kind} />
      </span>
      <span role="gridcell" class="num">
        <Quantity text={duration(trace.durationUs)} />
      </span>
      <span role="gridcell" class="waterfall">
        <Bar entry={props.entry} axis={props.axis} />
      </span>
      <span role="gridcell" class="num">
        {sqlCount > 0 && sqlCount}
      </span>
      <span role="gridcell" class="num">
        {sqlCount > 0 && <Quantity text={duration(sqlUs)} />}
      </span>
      <span role="gridcell" class="num">
        <Quantity text={size(trace.response.bytes)} />
      </span>
    </div>
  );
}

/** The marks of the axis, and the time of the run on it. */
function Bar({ entry, axis }: { readonly entry: RunEntry; readonly axis: TimeAxis | null }): JSX.Element | null {
  if (!axis) return null;
  const left = placeOn(axis, entry.trace.startedAt);
  return (
    <>
      {axis.marks.map(({ at }) => (
        <i key={at} style={{ left: `${placeOn(axis, at)}%` }} />
      ))}
      <b class="run-bar" style={{ left: `${left}%`, width: `${placeOn(axis, entry.endedAt) - left}%` }} />
    </>
  );
}
