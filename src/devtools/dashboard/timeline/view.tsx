/**
 * The calls of a run over time, the text version of the path in the graph. Only rows on screen exist.
 */

import { signal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { rootOf, timelineRows, type TimelineRow } from "../../run/calls.ts";
import type { Call, Trace } from "../../run/shapes.ts";
import { alikeStatements } from "../../run/explain/alike.ts";
import { LeafPane } from "../leaves/pane.tsx";
import { runText } from "../../run/spent.ts";
import { duration, grouped } from "../../run/format.ts";
import { useSize } from "../page/use-size.ts";
import { VirtualRows } from "../page/virtual-rows.tsx";
import { Choice, Empty, NoRun } from "../page/widgets.tsx";
import { selection } from "../store/page-store.ts";
import { Flame } from "./flame-view.tsx";
import { leafCounts, withLeafLines } from "./leaf-lines.ts";
import { LeafRow, LeafToggle, SlowFlag, slowUs } from "./leaf-row.tsx";
import { AlikeStatements, Dropped, Repeats } from "./notices.tsx";
import { Bar, Flag, TimeCells, TimeRow, type RowPlace } from "./time-row.tsx";
import { indentOf, methodRoom, ticks, timelineLines, type TimelineFold } from "./timeline.ts";

const ROW = 26;

const shown = signal<"Rows" | "Flame">("Rows");

/** The Timeline tab. */
export function Timeline(): JSX.Element {
  const trace = selection.whole.value;
  if (!trace) return <NoRun />;
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

function Nothing({ trace }: { readonly trace: Trace }): JSX.Element {
  const { unspied, nodes } = selection.graph.value;
  const reached = trace.kind !== undefined || selection.entries.value.length > 0;
  return (
    <Empty title="No recorded calls">
      {unspied.length === nodes.length && nodes.length > 0
        ? "No bean is traceable: the Node tab of each says why."
        : reached
          ? "This run called no traceable bean."
          : "This run reached no bean."}
    </Empty>
  );
}

/** With more leaves than this, the leaves of each call start closed. */
const MANY_LEAVES = 100;

function Rows({ trace }: { readonly trace: Trace }): JSX.Element {
  const rows = useMemo(() => timelineRows(trace), [trace]);
  const alike = useMemo(() => alikeStatements(trace), [trace]);
  const marks = useMemo(
    () => new Map(alike.flatMap((one) => one.ids.map((id, i) => [id, { one, i }] as const))),
    [alike],
  );
  const counts = useMemo(() => leafCounts(trace.leaves), [trace]);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  /** The calls with leaves that differ from their initial state. */
  const [turned, setTurned] = useState<ReadonlySet<number | null>>(new Set());
  const shownCall = selection.callId.value;
  const startsOpen = trace.leaves.length <= MANY_LEAVES;
  const isOpen = (id: number | null): boolean => turned.has(id) !== startsOpen;
  const lines = useMemo(() => {
    const calls = timelineLines(rows, opened, shownCall);
    return withLeafLines(calls, trace.calls, trace.leaves, isOpen);
  }, [rows, opened, turned, shownCall]);
  const totalUs = Math.max(trace.durationUs, ...rows.map((r) => r.call.startUs + (r.totalUs ?? 0)), 1);
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
      <Head totalUs={totalUs} />
      <RootRow trace={trace} totalUs={totalUs}>
        <LeafToggle count={counts.get(null)} open={isOpen(null)} onToggle={() => turn(null)} />
      </RootRow>
      <VirtualRows
        length={lines.length}
        height={ROW}
        before={2}
        row={(index, tab) => {
          const line = lines[index];
          const place = { index, tab, totalUs };
          if (!line) return null;
          if (line.kind === "leaf")
            return (
              <LeafRow
                key={`leaf ${line.leaf.id}`}
                line={line}
                mark={marks.get(line.leaf.id)}
                place={place}
                endUs={trace.durationUs}
              />
            );
          if (line.kind === "fold")
            return (
              <FoldRow
                key={`fold ${line.key}`}
                fold={line}
                place={place}
                onToggle={() => setOpened(toggled(opened, line.key))}
              />
            );
          const { id } = line.row.call;
          return (
            <CallRow
              key={id}
              row={line.row}
              place={place}
              endUs={trace.durationUs}
              onTurn={counts.has(id) ? () => turn(id) : undefined}
            >
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

function Head({ totalUs }: { readonly totalUs: number }): JSX.Element {
  return (
    <div class="call-row head" role="row">
      <span role="columnheader" class="cut">
        Call <small title="The calls that bound the end of the run">underlined bar: critical path</small>
      </span>
      <span role="columnheader" title="Without the calls that it made">
        Self
      </span>
      <span role="columnheader" title="Until it settled: waiting is in it">
        Total
      </span>
      <Ruler total={totalUs} />
    </div>
  );
}

function toggled<T>(set: ReadonlySet<T>, item: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(item)) next.add(item);
  return next;
}

/** The room of one mark of the ruler. */
const MARK = 54;

function Ruler({ total }: { readonly total: number }): JSX.Element {
  const ruler = useRef<HTMLSpanElement>(null);
  const { width } = useSize(ruler).value;
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

/** The run as a whole. Time outside of recorded calls is the body, middleware, the handler's own work, and waiting. */
function RootRow(props: {
  readonly trace: Trace;
  readonly totalUs: number;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { trace, totalUs } = props;
  const { selfUs, firstUs } = rootOf(trace);
  return (
    <div class="call-row root" role="row" aria-rowindex={2}>
      <span role="cell" class="call-name">
        <span>
          the run <small class="muted cut">{duration(firstUs)} before the first bean</small>
        </span>
        {props.children}
      </span>
      <TimeCells
        self={<span title="In which no recorded call was running">{duration(selfUs)}</span>}
        whole={duration(trace.durationUs)}
        says={`the first bean is called after ${duration(firstUs)}`}
        bars={
          <>
            <Bar kind="whole" fromUs={0} us={trace.durationUs} totalUs={totalUs} />
            <Bar kind="before" fromUs={0} us={firstUs} totalUs={totalUs} />
          </>
        }
      />
    </div>
  );
}

/** The name of a call, indented by its depth, with marks after it. Of a long name the bean's part is cut, not the method's. */
function NameCell(props: {
  readonly call: Call;
  readonly times?: number;
  readonly children: ComponentChildren;
}): JSX.Element {
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
          {times !== undefined && ` × ${grouped(times)}`}
        </span>
      </span>
      {props.children}
    </span>
  );
}

/** Equal calls in one line; opens on click, Enter or Space. */
function FoldRow(props: {
  readonly fold: TimelineFold;
  readonly place: RowPlace;
  readonly onToggle: () => void;
}): JSX.Element | null {
  const { fold, place, onToggle } = props;
  const [first] = fold.rows;
  if (!first) return null;
  const { call } = first;
  const { startUs, endUs } = fold;
  const isCritical = fold.rows.some((row) => row.critical);
  return (
    <TimeRow
      kind="fold"
      place={place}
      marks={{ "data-fold": fold.key, "data-stereotype": call.stereotype }}
      onOpen={onToggle}
      onSpace={onToggle}
      self={`Σ ${duration(fold.selfUs)}`}
      whole={`Σ ${duration(fold.totalUs)}`}
      says={`from ${duration(startUs)} to ${duration(endUs)}`}
      bars={
        <Bar
          fromUs={startUs}
          us={endUs - startUs}
          totalUs={place.totalUs}
          marks={{ "data-critical": isCritical ? "" : undefined }}
        />
      }
    >
      <NameCell call={call} times={fold.rows.length}>
        <button type="button" class="flag calm" tabIndex={-1} aria-expanded={fold.open}>
          {fold.open ? "fold" : "show"}
        </button>
      </NameCell>
    </TimeRow>
  );
}

function CallRow(props: {
  readonly row: TimelineRow;
  readonly place: RowPlace;
  readonly endUs: number;
  /** Shows and hides its leaves. Undefined without any. */
  readonly onTurn: (() => void) | undefined;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { row, place } = props;
  const { call, repeat, totalUs } = row;
  const open = (): void => {
    selection.selectBean(call.bean, call.id);
    // This table disappears with that, so the focus moves to the panel that replaces it.
    requestAnimationFrame(() => document.getElementById("panel-node")?.focus());
  };
  return (
    <TimeRow
      place={place}
      marks={{
        "data-call": call.id,
        "data-stereotype": call.stereotype,
        "data-current": selection.callId.value === call.id ? "" : undefined,
      }}
      onOpen={open}
      onSpace={props.onTurn}
      self={duration(row.selfUs)}
      whole={duration(totalUs)}
      says={`starts at ${duration(call.startUs)}${row.critical ? ", on the critical path" : ""}`}
      bars={
        <Bar
          fromUs={call.startUs}
          us={totalUs ?? Math.max(0, props.endUs - call.startUs)}
          totalUs={place.totalUs}
          marks={{
            "data-failed": call.error ? "" : undefined,
            "data-critical": row.critical ? "" : undefined,
            "data-pending": totalUs === null ? "" : undefined,
          }}
        />
      }
    >
      <NameCell call={call}>
        {call.error && (
          <Flag isError means={`${call.error.name}: ${call.error.message}`}>
            {row.threw ? "! threw" : "!"}
          </Flag>
        )}
        <SlowFlag us={totalUs} />
        {repeat && (
          <Flag means={`The same arguments ${repeat.count} times; the repeats took ${duration(repeat.repeatsUs)}`}>
            {repeat.index}/{repeat.count}
          </Flag>
        )}
        {props.children}
      </NameCell>
    </TimeRow>
  );
}
