/**
 * The calls of a run over time, the text version of the path in the graph. Only rows on screen exist.
 */

import type { ComponentChildren, JSX } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { byParent, rootOf } from "../../run/calls.ts";
import { timelineRows } from "../../run/timeline-rows.ts";
import { alikeStatements } from "../../run/explain/alike.ts";
import { duration } from "../../run/format.ts";
import { outsideName, outsideOf } from "../../run/outside.ts";
import type { Call, Leaf, Trace } from "../../run/shapes.ts";
import { sideBySide } from "../../run/side-by-side.ts";
import { onKeys } from "../page/on-keys.ts";
import { useSize } from "../page/use-size.ts";
import { VirtualRows } from "../page/virtual-rows.tsx";
import { selection } from "../store/page-store.ts";
import { OutsideBar } from "./bar-view.tsx";
import { CallRow, FoldRow } from "./call-rows.tsx";
import { leafCounts, withLeafLines, type RunLine } from "./leaf-lines.ts";
import { LeafRow, LeafToggle, slowUs } from "./leaf-row.tsx";
import { AlikeStatements, Dropped, Repeats, Retries } from "./notices.tsx";
import { rowBrackets, rowParts, rowsOf } from "./path-lines.ts";
import { PathLines } from "./path-view.tsx";
import { MomentLine, Ruler } from "./ruler.tsx";
import { scaleKeys, useScaleInput } from "./scale-input.ts";
import { TimeCells, Took, type RowPlace } from "./time-row.tsx";
import { methodRoom, timelineLines } from "./timeline.ts";

const ROW = 22;
/** With more leaves than this, the leaves of each call start closed. */
const MANY_LEAVES = 100;
const NONE: readonly never[] = [];

/** The run as a table, with the time of each call to the right of its name. */
export function Rows({ trace }: { readonly trace: Trace }): JSX.Element {
  const facts = useMemo(() => factsOf(trace), [trace]);
  const { rows, counts } = facts;
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  /** The calls with leaves that differ from their initial state. */
  const [turned, setTurned] = useState<ReadonlySet<number | null>>(new Set());
  const [host, scale] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const range = useScaleInput(host, scale);
  const width = useSize(scale);
  const shownCall = selection.callId.value;
  const isOpen = (id: number | null): boolean => turned.has(id) !== trace.leaves.length <= MANY_LEAVES;
  const lines = useMemo(() => {
    const calls = timelineLines(rows, opened, shownCall);
    return withLeafLines(calls, trace.calls, trace.leaves, isOpen);
  }, [rows, opened, turned, shownCall]);
  const over = useMemo(() => {
    const places = rowsOf(trace, lines);
    return { parts: rowParts(trace, places), brackets: rowBrackets(trace, places) };
  }, [lines]);
  const turn = (id: number | null): void => setTurned(toggled(turned, id));
  const rowFor = (line: RunLine, place: RowPlace): JSX.Element => {
    if (line.kind === "leaf") {
      const mark = facts.marks.get(line.leaf.id);
      return <LeafRow key={`leaf ${line.leaf.id}`} line={line} mark={mark} place={place} endUs={trace.durationUs} />;
    }
    if (line.kind === "fold") {
      const leaves = line.open ? NONE : line.rows.flatMap(({ call }) => facts.leaves.get(call.id) ?? []);
      const toggle = (): void => setOpened(toggled(opened, line.key));
      const more = { fold: line, leaves, trace, place, onToggle: toggle };
      return <FoldRow key={`fold ${line.key}`} {...more} />;
    }
    const { id } = line.row.call;
    return (
      <CallRow
        key={id}
        row={line.row}
        below={facts.below.get(id) ?? NONE}
        leaves={isOpen(id) ? NONE : (facts.leaves.get(id) ?? NONE)}
        beside={facts.beside.get(id) ?? 0}
        trace={trace}
        place={place}
        onTurn={counts.has(id) ? () => turn(id) : undefined}
      >
        <LeafToggle count={counts.get(id)} open={isOpen(id)} onToggle={() => turn(id)} />
      </CallRow>
    );
  };
  return (
    <div
      ref={host}
      class="timeline"
      role="table"
      aria-label="Calls in order"
      aria-rowcount={lines.length + 2}
      data-method={trace.method}
      style={{ "--names": `${methodRoom(rows, slowUs)}px` }}
      onKeyDown={onKeys(scaleKeys)}
    >
      <div class="timeline-head" role="rowgroup">
        <Head>
          <Ruler scale={scale} range={range} />
        </Head>
        <OutsideRow trace={trace} width={width}>
          <LeafToggle count={counts.get(null)} open={isOpen(null)} onToggle={() => turn(null)} />
        </OutsideRow>
      </div>
      <VirtualRows
        length={lines.length}
        height={ROW}
        before={2}
        row={(index, tab) => {
          const line = lines[index];
          return line ? rowFor(line, { index, tab, width }) : null;
        }}
        over={(first, last) => (
          <div class="call-row over" role="presentation" style={{ height: `${(last - first) * ROW}px` }}>
            <div class="bar-cell">
              <PathLines {...over} first={first} last={last} height={ROW} width={width} />
              <MomentLine width={width} />
            </div>
          </div>
        )}
      />
      <Retries trace={trace} />
      <Repeats trace={trace} />
      <AlikeStatements alike={facts.alike} />
      <Dropped trace={trace} />
    </div>
  );
}

/** What all rows need of a run. */
function factsOf(trace: Trace) {
  const alike = alikeStatements(trace);
  return {
    rows: timelineRows(trace),
    alike,
    marks: new Map(alike.flatMap((one) => one.ids.map((id, i) => [id, { one, i }] as const))),
    counts: leafCounts(trace.leaves),
    leaves: byParent<Leaf>(trace.leaves),
    below: byParent<Call | Leaf>([...trace.calls, ...trace.leaves]),
    beside: new Map(
      sideBySide(trace).flatMap(({ items }) =>
        items.flatMap((one) => ("bean" in one ? [[one.id, items.length - 1] as const] : [])),
      ),
    ),
  };
}

function Head({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return (
    <div class="call-row head" role="row">
      <span
        role="columnheader"
        class="cut"
        title="The line below bars is the critical path: the calls that bound the end"
      >
        Call
      </span>
      <span role="columnheader" class="num" title="Without the calls that it made">
        Self
      </span>
      <span role="columnheader" class="num" title="Until it settled: waiting is in it">
        Total
      </span>
      <span role="columnheader" class="ruler-cell">
        {children}
      </span>
    </div>
  );
}

function toggled<T>(set: ReadonlySet<T>, item: T): ReadonlySet<T> {
  const next = new Set(set);
  if (!next.delete(item)) next.add(item);
  return next;
}

/** The time outside of recorded calls: parsing, middleware, the handler's own work, waiting, the response. */
function OutsideRow(props: {
  readonly trace: Trace;
  readonly width: RowPlace["width"];
  readonly children: ComponentChildren;
}): JSX.Element {
  const { trace, width } = props;
  const { selfUs } = rootOf(trace);
  const says = useMemo(() => outsideOf(trace).map((one) => `${outsideName(one)} ${duration(one.us)}`), [trace]);
  return (
    <div class="call-row root" role="row" aria-rowindex={2}>
      <span role="cell" class="call-name">
        <span title="The time in which no recorded call was running">outside beans</span>
        {props.children}
      </span>
      <TimeCells
        self={<Took us={selfUs} />}
        whole={<Took us={trace.durationUs} />}
        says={says.join(", ")}
        bars={<OutsideBar trace={trace} width={width} />}
      />
    </div>
  );
}
