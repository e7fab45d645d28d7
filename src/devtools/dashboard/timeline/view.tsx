/**
 * The calls of a run over time: the text twin of the path in the graph. Only rows on screen exist.
 */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Call, Trace } from "../../wire.ts";
import { count, duration } from "../page/format.ts";
import { Empty } from "../page/widgets.tsx";
import { selectionSlice } from "../store/selection.ts";
import { useSlice } from "../store/slice.ts";
import { indentOf, methodRoom, repeatsOf, rootOf, ticks, timelineLines, timelineRows } from "./timeline.ts";
import type { TimelineFold, TimelineRow } from "./timeline.ts";

const ROW = 26;
const VISIBLE = 40;
const OVERSCAN = 10;

/** Calls that take longer are flagged; the server writes its slowMs option into the page. */
const slowUs = Number(document.documentElement.dataset["slowMs"] ?? Infinity) * 1_000;

/** The Timeline tab. */
export function Timeline(): JSX.Element {
  const selection = useSlice(selectionSlice);
  const trace = selection.trace.value;
  const rows = useMemo(() => (trace === null ? [] : timelineRows(trace)), [trace]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const shownCall = selection.callId.value;
  const lines = useMemo(() => timelineLines(rows, opened, shownCall), [rows, opened, shownCall]);
  const [top, setTop] = useState(0);
  const [at, setAt] = useState(0);
  if (trace === null) return <Empty title="No run yet">Send the request, or pick a run in History.</Empty>;
  if (rows.length === 0) {
    const reached = trace.kind !== undefined || selection.entries.value.length > 0;
    const unspied =
      selection.graph.value.unspied.length === selection.graph.value.nodes.length &&
      selection.graph.value.nodes.length > 0;
    return (
      <Empty title="No recorded calls">
        {unspied
          ? "No bean is traceable: the Node tab of each says why, and what to do so that its calls are recorded."
          : reached
            ? "This run called no traceable bean."
            : "This run reached no bean: its handler asked for none, and called none that is recorded."}
      </Empty>
    );
  }
  const total = Math.max(trace.durationUs, ...rows.map((r) => r.call.startUs + (r.totalUs ?? 0)), 1);
  const first = Math.max(0, Math.floor(top / ROW) - OVERSCAN);
  const shown = lines.slice(first, first + VISIBLE + 2 * OVERSCAN);
  const toggle = (key: number): void => {
    const next = new Set(opened);
    if (!next.delete(key)) next.add(key);
    setOpened(next);
  };
  // One tab stop: the row that was reached last, or the first that is there when that one is scrolled away.
  const stop = at >= first && at < first + shown.length ? at : first;
  return (
    <div
      class="timeline"
      role="table"
      aria-label="Calls in order"
      aria-rowcount={lines.length + 2}
      data-method={trace.method}
      style={{ "--names": `${methodRoom(rows, slowUs)}px` }}
    >
      <div class="call-row head" role="row">
        <span role="columnheader">
          Call <small title="The chain of calls that bounds the end of the run">underlined bar: critical path</small>
        </span>
        <span role="columnheader" title="Without the recorded calls that it made; waiting for anything else is in it">
          Self
        </span>
        <span role="columnheader" title="Until it settled: waiting is in it">
          Total
        </span>
        <Ruler total={total} />
      </div>
      <RootRow trace={trace} total={total} />
      <div
        class="call-rows"
        role="rowgroup"
        onScroll={(event) => setTop(event.currentTarget.scrollTop)}
        onKeyDown={(event) => walk(event, stop, lines.length, setAt)}
      >
        <div role="presentation" style={{ height: `${lines.length * ROW}px` }}>
          <div role="presentation" style={{ transform: `translateY(${first * ROW}px)` }}>
            {shown.map((line, i) => {
              const place = { index: first + i, tab: first + i === stop, total };
              return line.kind === "call" ? (
                <CallRow key={line.row.call.id} row={line.row} {...place} endUs={trace.durationUs} />
              ) : (
                <FoldRow key={`fold ${line.key}`} fold={line} {...place} onToggle={() => toggle(line.key)} />
              );
            })}
          </div>
        </div>
      </div>
      <Repeats rows={rows} />
      <Dropped trace={trace} />
    </div>
  );
}

/** Room that one mark of the ruler takes. */
const MARK = 54;

/** Marks of time, as many as there is room for. */
function Ruler({ total }: { readonly total: number }): JSX.Element {
  const ruler = useRef<HTMLSpanElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (ruler.current === null) return undefined;
    const watcher = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    watcher.observe(ruler.current);
    return () => watcher.disconnect();
  }, []);
  const marks = ticks(total, Math.min(5, width / MARK));
  return (
    <span role="columnheader" class="ruler" aria-label="Time" ref={ruler}>
      {marks
        .filter((at) => at === 0 || (at / total) * width + MARK <= width)
        .map((at) => (
          <i key={at} style={{ left: `${(at / total) * 100}%` }}>
            {duration(at)}
          </i>
        ))}
    </span>
  );
}

/** The calls that are not there, and why. */
function Dropped({ trace }: { readonly trace: Trace }): JSX.Element | null {
  const { droppedCalls, callLimit, calls } = trace;
  if (droppedCalls === 0) return null;
  if (callLimit === undefined)
    return (
      <p class="notice">
        {count(droppedCalls, "call")} begun after the run was over: {droppedCalls === 1 ? "it is" : "they are"} counted,
        not kept.
      </p>
    );
  return (
    <p class="notice" data-limit={callLimit}>
      The first {count(calls.length, "call")} are kept, {droppedCalls.toLocaleString("en")} more are not, and the times
      above are without them. The bound is <code>Devtools.create({`{ limits: { callsPerTrace: ${callLimit} } }`})</code>
      .
    </p>
  );
}

/** The run as a whole. What no recorded call accounts for is the body, middleware, the handler's own work, and waiting. */
function RootRow({ trace, total }: { readonly trace: Trace; readonly total: number }): JSX.Element {
  const { selfUs, firstUs } = rootOf(trace);
  const percent = (us: number): string => `${(us / total) * 100}%`;
  return (
    <div class="call-row root" role="row" aria-rowindex={2} data-root-row>
      <span role="cell" class="call-name">
        <span>
          the run <small class="muted">{duration(firstUs)} before the first bean</small>
        </span>
      </span>
      <span
        role="cell"
        class="num"
        title="In which no recorded call was running: middleware, the body, the handler itself"
      >
        {duration(selfUs)}
      </span>
      <span role="cell" class="num">
        {duration(trace.durationUs)}
      </span>
      <span role="cell" class="bar-cell" aria-label={`the first bean is called after ${duration(firstUs)}`}>
        <i class="bar whole" style={{ left: "0", width: percent(trace.durationUs) }} />
        <i class="bar before" style={{ left: "0", width: percent(firstUs) }} />
      </span>
    </div>
  );
}

/** Whose call it is, indented by its depth, with marks behind it. Of a long name the bean's part is cut, not the method's. */
function NameCell(props: {
  readonly call: Call;
  readonly times?: number;
  readonly children: ComponentChildren;
}): JSX.Element {
  const selection = useSlice(selectionSlice);
  const { call, times } = props;
  return (
    <span
      role="cell"
      class="call-name"
      style={{ paddingLeft: `${indentOf(call)}px` }}
      title={`${call.declaredBy}.${call.method}`}
    >
      <i />
      <span>
        <span class="cut">{selection.beanName(call.bean)}</span>
        <span class="whole">
          .<b>{call.method}</b>
          {times !== undefined && ` × ${times.toLocaleString("en")}`}
        </span>
      </span>
      {props.children}
    </span>
  );
}

/** Equal calls in one line; opens on click, Enter or Space. */
function FoldRow(props: {
  readonly fold: TimelineFold;
  readonly index: number;
  readonly tab: boolean;
  readonly total: number;
  readonly onToggle: () => void;
}): JSX.Element | null {
  const { fold, total } = props;
  const [first] = fold.rows;
  if (first === undefined) return null;
  const { call } = first;
  const percent = (us: number): string => `${(us / total) * 100}%`;
  return (
    <div
      class="call-row fold"
      role="row"
      tabIndex={props.tab ? 0 : -1}
      aria-rowindex={props.index + 3}
      data-fold={fold.key}
      data-stereotype={call.stereotype}
      onClick={props.onToggle}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        props.onToggle();
      }}
    >
      <NameCell call={call} times={fold.rows.length}>
        <button type="button" class="flag calm" tabIndex={-1} aria-expanded={fold.open}>
          {fold.open ? "fold" : "show"}
        </button>
      </NameCell>
      <span role="cell" class="num" title="All of them in sum">
        Σ {duration(fold.selfUs)}
      </span>
      <span role="cell" class="num" title="All of them in sum: more than the time between, where they overlap">
        Σ {duration(fold.totalUs)}
      </span>
      <span role="cell" class="bar-cell" aria-label={`from ${duration(fold.startUs)} to ${duration(fold.endUs)}`}>
        <i
          class="bar"
          data-critical={fold.rows.some((row) => row.critical) ? "" : undefined}
          style={{ left: percent(fold.startUs), width: `max(2px, ${percent(fold.endUs - fold.startUs)})` }}
        />
      </span>
    </div>
  );
}

/** Arrows, Home and End go from row to row, also to rows that are not drawn yet. */
function walk(event: KeyboardEvent, at: number, length: number, go: (at: number) => void): void {
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: length - 1 }[event.key];
  const box = event.currentTarget;
  if (to === undefined || !(box instanceof HTMLElement)) return;
  event.preventDefault();
  const next = Math.max(0, Math.min(length - 1, to));
  go(next);
  if (next * ROW < box.scrollTop) box.scrollTop = next * ROW;
  else if ((next + 1) * ROW > box.scrollTop + box.clientHeight) box.scrollTop = (next + 1) * ROW - box.clientHeight;
  // Two frames: one for the scroll to be reported, one for its rows to be drawn.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => box.querySelector<HTMLElement>(`[aria-rowindex="${next + 3}"]`)?.focus()),
  );
}

/** How many repeated calls are named. */
const NAMED = 3;

/** What was called more than once, and what that cost. */
function Repeats({ rows }: { readonly rows: readonly TimelineRow[] }): JSX.Element | null {
  const selection = useSlice(selectionSlice);
  const repeats = useMemo(() => repeatsOf(rows), [rows]);
  if (repeats.length === 0) return null;
  return (
    <p class="notice">
      Called again with the same arguments:{" "}
      {repeats
        .slice(0, NAMED)
        .map(
          (r) => `${selection.beanName(r.bean)}.${r.method}() ${r.count}×, the repeats ${duration(r.repeatsUs)} in sum`,
        )
        .join("; ")}
      {repeats.length > NAMED && ` and ${repeats.length - NAMED} more`}
    </p>
  );
}

function CallRow(props: {
  readonly row: TimelineRow;
  readonly index: number;
  /** Does Tab lead here? */
  readonly tab: boolean;
  readonly total: number;
  readonly endUs: number;
}): JSX.Element {
  const selection = useSlice(selectionSlice);
  const { row, total } = props;
  const { call, repeat } = row;
  const open = (): void => selection.selectBean(call.bean, call.id);
  const width = Math.max(0.4, ((row.totalUs ?? Math.max(0, props.endUs - call.startUs)) / total) * 100);
  return (
    <div
      class="call-row"
      role="row"
      tabIndex={props.tab ? 0 : -1}
      aria-rowindex={props.index + 3}
      data-call={call.id}
      data-stereotype={call.stereotype}
      data-current={selection.callId.value === call.id ? "" : undefined}
      onClick={open}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        open();
        // This table is gone with that: the keys go on in the panel that has taken its place.
        requestAnimationFrame(() => document.getElementById("panel-node")?.focus());
      }}
    >
      <NameCell call={call}>
        {call.error !== null && (
          <em class="flag error" title={`${call.error.name}: ${call.error.message}`}>
            {row.threw ? "! threw" : "!"}
          </em>
        )}
        {(row.totalUs ?? 0) > slowUs && (
          <em class="flag" title={`Longer than ${duration(slowUs)}`}>
            slow
          </em>
        )}
        {repeat !== undefined && (
          <em
            class="flag"
            title={`The same method with the same arguments, ${repeat.count} times; the repeats took ${duration(repeat.repeatsUs)} in sum`}
          >
            {repeat.index}/{repeat.count}
          </em>
        )}
      </NameCell>
      <span role="cell" class="num">
        {duration(row.selfUs)}
      </span>
      <span role="cell" class="num">
        {row.totalUs === null ? "pending" : duration(row.totalUs)}
      </span>
      <span
        role="cell"
        class="bar-cell"
        aria-label={`starts at ${duration(call.startUs)}${row.critical ? ", on the critical path" : ""}`}
      >
        <i
          class="bar"
          data-failed={call.error === null ? undefined : ""}
          data-critical={row.critical ? "" : undefined}
          data-pending={row.totalUs === null ? "" : undefined}
          style={{ left: `${(call.startUs / total) * 100}%`, width: `${width}%` }}
        />
      </span>
    </div>
  );
}
