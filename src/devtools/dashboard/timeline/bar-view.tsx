/**
 * The bars of a row in the shown part of the time. They are redrawn with every frame of a zoom, and the rows are not.
 *
 *   pale ▒▒▒▒▒▒▒▒▒▒  waiting for a call, a statement or a request
 *   full ███   ████  own work; hatched if it is known to block the event loop
 */

import type { ReadonlySignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import { endOf } from "../../run/calls.ts";
import { duration } from "../../run/format.ts";
import { outsideName, outsideSpans, timesOf } from "../../run/outside.ts";
import type { Call, Leaf, Trace } from "../../run/shapes.ts";
import { leafText } from "../../run/spent.ts";
import { oneLine } from "../../run/statements.ts";
import { groupBy } from "../../run/values.ts";
import type { BoxSize } from "../page/use-size.ts";
import { time } from "../store/page-store.ts";
import {
  inTracks,
  isSynchronous,
  ownStretches,
  pathOf,
  piecesIn,
  TRACKS,
  type PieceRules,
  type Stretch,
} from "./bars.ts";
import type { Marks } from "./time-row.tsx";
import type { TimelineFold } from "./timeline.ts";
import { placeOf } from "./window.ts";

type Width = ReadonlySignal<BoxSize>;

/** Up to this many pieces are elements; more of them are one element with a path. */
const ELEMENTS = 6;
/** The height of a bar, and of a thinner one within it. */
const HEIGHT = 12;
const THIN = 6;

/** These stretches as boxes of one look. */
function Pieces(props: {
  readonly of: readonly Stretch[];
  readonly width: Width;
  readonly class: string;
  readonly height?: number;
  readonly rules?: PieceRules;
  readonly marks?: Marks;
}): JSX.Element {
  const { height = HEIGHT } = props;
  const pieces = piecesIn(props.of, time.shown.value, props.width.value.width, props.rules);
  const tracks = Math.min(TRACKS, 1 + pieces.reduce((most, { track }) => Math.max(most, track), 0));
  const thin = tracks === 1 ? height : Math.floor(height / tracks) - 1;
  const topOf = (track: number): number => Math.min(track, TRACKS - 1) * (thin + 1);
  if (pieces.length > ELEMENTS)
    return (
      <i
        class={`${props.class} many`}
        {...props.marks}
        style={{ clipPath: `path("${pathOf(pieces, topOf, thin)}")` }}
      />
    );
  return (
    <>
      {pieces.map(({ left, width, track }, i) => (
        <i
          key={i}
          class={props.class}
          {...props.marks}
          style={{ left: `${left}px`, width: `${width}px`, marginTop: `${topOf(track)}px`, height: `${thin}px` }}
        />
      ))}
    </>
  );
}

const SPARSE: PieceRules = { least: 1, sparse: 6 };
const APART: PieceRules = { least: 2, apart: true };

/** Words beside a bar, where there is room for them. */
function Label(props: {
  readonly afterUs: number;
  readonly width: Width;
  readonly isCode?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element | null {
  const { width } = props.width.value;
  const left = Math.max(0, placeOf(props.afterUs, time.shown.value, width)) + 6;
  if (left > width - 40) return null;
  return (
    <span
      class={props.isCode === true ? "bar-label code" : "bar-label"}
      style={{ left: `${left}px`, maxWidth: `${width - left}px` }}
    >
      {props.children}
    </span>
  );
}

/** A call that blocked the event loop for at least this share of the run has a label. */
const BLOCKED = 0.05;

/** A call: pale from its start to its end, full where nothing below it was running. */
export function CallBar(props: {
  readonly call: Call;
  readonly below: readonly (Call | Leaf)[];
  /** Its statements and requests, if they have no rows of their own. */
  readonly leaves: readonly Leaf[];
  readonly trace: Trace;
  readonly width: Width;
  readonly isCritical: boolean;
}): JSX.Element {
  const { call, below, leaves, trace, width } = props;
  const own = useMemo(() => ownStretches(call, below, trace), [call, trace]);
  const thin = useMemo(() => inTracks(timed(leaves), trace), [leaves]);
  const whole = [{ startUs: call.startUs, endUs: endOf(call, trace), track: 0 }];
  const blocks = isSynchronous(call);
  const marks = {
    "data-failed": call.error ? "" : undefined,
    "data-critical": props.isCritical ? "" : undefined,
    "data-pending": call.durationUs === null ? "" : undefined,
    "data-sync": blocks ? "" : undefined,
  };
  const [first] = leaves;
  return (
    <>
      <Pieces of={whole} width={width} class="bar" marks={marks} />
      <Pieces of={own} width={width} class="own" rules={SPARSE} marks={marks} />
      {first && (
        <Pieces of={thin} rules={APART} width={width} class="thin" height={THIN} marks={{ "data-kind": first.kind }} />
      )}
      {first ? (
        <Label afterUs={endOf(call, trace)} width={width} isCode>
          {leaves.length > 1 && `${leaves.length}× `}
          {oneLine(leafText(first))}
        </Label>
      ) : (
        blocks &&
        (call.durationUs ?? 0) > BLOCKED * trace.durationUs &&
        below.length === 0 && (
          <Label afterUs={endOf(call, trace)} width={width}>
            synchronous: the event loop stood still
          </Label>
        )
      )}
    </>
  );
}

const timed = (leaves: readonly Leaf[]): readonly Leaf[] => leaves.filter(({ kind }) => kind !== "log");

/** Equal calls in one row, each at its place, with their statements within. */
export function FoldBar(props: {
  readonly fold: TimelineFold;
  readonly leaves: readonly Leaf[];
  readonly trace: Trace;
  readonly width: Width;
  readonly isCritical: boolean;
}): JSX.Element {
  const { fold, leaves, trace, width } = props;
  const calls = useMemo(
    () =>
      inTracks(
        fold.rows.map(({ call }) => call),
        trace,
      ),
    [fold],
  );
  const thin = useMemo(() => inTracks(timed(leaves), trace), [leaves]);
  const isBeside = calls.some(({ track }) => track > 0);
  return (
    <>
      <Pieces
        of={calls}
        width={width}
        rules={APART}
        class="bar ticks"
        marks={{ "data-critical": props.isCritical ? "" : undefined }}
      />
      {!isBeside && (
        <Pieces
          of={thin}
          rules={APART}
          width={width}
          class="thin"
          height={THIN}
          marks={{ "data-kind": leaves[0]?.kind }}
        />
      )}
      <Label afterUs={fold.endUs} width={width}>
        {isBeside ? "side by side" : "one after another"}
      </Label>
    </>
  );
}

/** A statement, a request or a log line: a thinner bar in the colour of its kind. */
export function LeafBar(props: { readonly leaf: Leaf; readonly endUs: number; readonly width: Width }): JSX.Element {
  const { startUs, durationUs, error, kind } = props.leaf;
  const endUs = durationUs === null ? Math.max(startUs, props.endUs) : startUs + durationUs;
  return (
    <Pieces
      of={[{ startUs, endUs, track: 0 }]}
      width={props.width}
      class="thin"
      height={THIN}
      marks={{
        "data-kind": kind,
        "data-failed": error ? "" : undefined,
        "data-pending": durationUs === null ? "" : undefined,
      }}
    />
  );
}

/** At most so many names, the longest first, stand beside the parts outside of beans. */
const NAMES = 8;

/** What lies outside of beans, each part with its name. The names are in the middle of the row, in order. */
export function OutsideBar({ trace, width }: { readonly trace: Trace; readonly width: Width }): JSX.Element {
  const parts = useMemo(() => outsideSpans(trace).map((part) => ({ ...part, track: 0 })), [trace]);
  const byKind = useMemo(() => [...groupBy(parts, ({ kind }) => kind)], [parts]);
  const { fromUs, toUs } = time.shown.value;
  const seen = parts.filter(({ startUs, endUs }) => endUs > fromUs && startUs < toUs);
  const longest = timesOf(seen).slice(0, NAMES);
  const [first] = seen;
  return (
    <>
      {byKind.map(([kind, of]) => (
        <Pieces key={kind} of={of} width={width} rules={SPARSE} class="outside" marks={{ "data-phase": kind }} />
      ))}
      {first && (
        <Label afterUs={first.startUs <= fromUs || seen.length > 1 ? first.endUs : first.startUs} width={width}>
          {longest.map((one) => (
            <span key={outsideName(one)} class="outside-name">
              <i class="outside" data-phase={one.kind} /> {outsideName(one)} {duration(one.us)}
            </span>
          ))}
        </Label>
      )}
    </>
  );
}
