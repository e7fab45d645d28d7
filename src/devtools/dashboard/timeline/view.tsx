/**
 * The calls of a run over time: the text twin of the path in the graph. Only rows on screen exist.
 */

import type { Signal } from "@preact/signals";
import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { rootOf, timelineRows } from "../../analysis/calls.ts";
import type { TimelineRow } from "../../analysis/calls.ts";
import type { Call, Trace } from "../../wire.ts";
import { alikeStatements } from "../../analysis/alike.ts";
import { LeafPane } from "../leaves/pane.tsx";
import { runText } from "../leaves/spent.ts";
import { duration } from "../page/format.ts";
import { VirtualRows } from "../page/virtual-rows.tsx";
import { Choice, Empty } from "../page/widgets.tsx";
import { selectionSlice } from "../store/selection.ts";
import { useSlice } from "../store/slice.ts";
import { Flame } from "./flame-view.tsx";
import { leafCounts, withLeafLines } from "./leaf-lines.ts";
import { LeafRow, LeafToggle, slowUs } from "./leaf-row.tsx";
import { AlikeStatements, Dropped, Repeats } from "./notices.tsx";
import { indentOf, methodRoom, ticks, timelineLines } from "./timeline.ts";
import type { TimelineFold } from "./timeline.ts";

const ROW = 26;

/** The Timeline tab. */
export function Timeline(): JSX.Element {
  const selection = useSlice(selectionSlice);
  const shown = useSlice(timelineSlice);
  const trace = selection.whole.value;
  if (trace === null) return <Empty title="No run yet">Send the request, or pick a run in History.</Empty>;
  if (trace.calls.length + trace.leaves.length === 0) return <Nothing trace={trace} />;
  return (
    <div class="timeline-panel">
      <div class="panel-bar">
        <Choice
          label="Show the run as"
          names={["Rows", "Flame"]}
          value={shown.value}
          onChange={(name) => (shown.value = name)}
        />
        <span class="muted">{runText(trace)}</span>
      </div>
      {shown.value === "Rows" ? <Rows trace={trace} /> : <Flame trace={trace} />}
      <LeafPane />
    </div>
  );
}

/** Are rows shown, or the flame view? */
function timelineSlice(): Signal<"Rows" | "Flame"> {
  return signal("Rows");
}

function Nothing({ trace }: { readonly trace: Trace }): JSX.Element {
  const selection = useSlice(selectionSlice);
  const { unspied, nodes } = selection.graph.value;
  const reached = trace.kind !== undefined || selection.entries.value.length > 0;
  return (
    <Empty title="No recorded calls">
      {unspied.length === nodes.length && nodes.length > 0
        ? "No bean is traceable: the Node tab of each says why, and what to do so that its calls are recorded."
        : reached
          ? "This run called no traceable bean."
          : "This run reached no bean: its handler asked for none, and called none that is recorded."}
    </Empty>
  );
}

/** With more leaves than this, those of each call start closed. */
const MANY_LEAVES = 100;

function Rows({ trace }: { readonly trace: Trace }): JSX.Element {
  const selection = useSlice(selectionSlice);
  const rows = useMemo(() => timelineRows(trace), [trace]);
  const alike = useMemo(() => alikeStatements(trace), [trace]);
  const marks = useMemo(
    () => new Map(alike.flatMap((one) => one.ids.map((id, i) => [id, { one, i }] as const))),
    [alike],
  );
  const counts = useMemo(() => leafCounts(trace.leaves), [trace]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  /** The calls whose leaves are shown otherwise than they start. */
  const [turned, setTurned] = useState<ReadonlySet<number | null>>(new Set());
  const shownCall = selection.callId.value;
  const startsOpen = trace.leaves.length <= MANY_LEAVES;
  const isOpen = (id: number | null): boolean => turned.has(id) !== startsOpen;
  const lines = useMemo(() => {
    const calls = timelineLines(rows, opened, shownCall);
    return withLeafLines(calls, trace.calls, trace.leaves, isOpen);
  }, [rows, opened, turned, shownCall]);
  const total = Math.max(trace.durationUs, ...rows.map((r) => r.call.startUs + (r.totalUs ?? 0)), 1);
  const turn = (id: number | null): void => setTurned(toggled(turned, id));
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
        <span role="columnheader" title="Without the calls that it made">
          Self
        </span>
        <span role="columnheader" title="Until it settled: waiting is in it">
          Total
        </span>
        <Ruler total={total} />
      </div>
      <RootRow trace={trace} total={total}>
        <LeafToggle count={counts.get(null)} open={isOpen(null)} onToggle={() => turn(null)} />
      </RootRow>
      <VirtualRows
        length={lines.length}
        height={ROW}
        before={2}
        row={(index, tab) => {
          const line = lines[index];
          const place = { index, tab, total, endUs: trace.durationUs };
          if (line === undefined) return null;
          if (line.kind === "leaf")
            return <LeafRow key={`leaf ${line.leaf.id}`} line={line} mark={marks.get(line.leaf.id)} {...place} />;
          if (line.kind === "fold")
            return (
              <FoldRow
                key={`fold ${line.key}`}
                fold={line}
                {...place}
                onToggle={() => setOpened(toggled(opened, line.key))}
              />
            );
          const { id } = line.row.call;
          return (
            <CallRow key={id} row={line.row} {...place} onTurn={counts.has(id) ? () => turn(id) : undefined}>
              <LeafToggle count={counts.get(id)} open={isOpen(id)} onToggle={() => turn(id)} />
            </CallRow>
          );
        }}
      />
      <Repeats rows={rows} />
      <AlikeStatements alike={alike} />
      <Dropped trace={trace} />
    </div>
  );
}

function toggled<T>(set: ReadonlySet<T>, item: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(item)) next.add(item);
  return next;
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

/** The run as a whole. What no recorded call accounts for is the body, middleware, the handler's own work, and waiting. */
function RootRow(props: {
  readonly trace: Trace;
  readonly total: number;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { trace, total } = props;
  const { selfUs, firstUs } = rootOf(trace);
  const percent = (us: number): string => `${(us / total) * 100}%`;
  return (
    <div class="call-row root" role="row" aria-rowindex={2} data-root-row>
      <span role="cell" class="call-name">
        <span>
          the run <small class="muted">{duration(firstUs)} before the first bean</small>
        </span>
        {props.children}
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
      <span role="cell" class="num">
        Σ {duration(fold.selfUs)}
      </span>
      <span role="cell" class="num">
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

function CallRow(props: {
  readonly row: TimelineRow;
  readonly index: number;
  /** Does Tab lead here? */
  readonly tab: boolean;
  readonly total: number;
  readonly endUs: number;
  /** Shows and hides its leaves; not there where it has none. */
  readonly onTurn: (() => void) | undefined;
  readonly children: ComponentChildren;
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
        if (event.key === " " && props.onTurn !== undefined) {
          event.preventDefault();
          props.onTurn();
        }
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
        {props.children}
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
