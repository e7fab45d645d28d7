/**
 * The strip over all kept runs, with the brush: by mouse, and by arrows once it has the focus.
 */

import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { count } from "../../run/format.ts";
import { onKeys } from "../page/on-keys.ts";
import { useSize } from "../page/use-size.ts";
import type { Between } from "../runs/history.ts";
import { axisOver, placeOn } from "../runs/run-rows.ts";
import { between, changed, scaleOf, slicesOf } from "./layout.ts";
import { lanes } from "./page-lanes.ts";

/** The width of a slice, and the height of the strip. */
const SLICE = 6;
const HEIGHT = 38;
/** So near to an end of the brush a drag moves that end. */
const GRIP = 6;
/** A pointer that moves less is a click. */
const CLICK = 4;
/** A key moves the brush by this part of its length. */
const STEP = 0.1;

/** The strip. */
export function Overview(): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const { width } = useSize(box).value;
  const runs = lanes.runs.value;
  const extent = lanes.extent.value ?? ([0, 1] as const);
  const slices = useMemo(() => slicesOf(runs, extent, Math.max(1, Math.floor(width / SLICE))), [runs, extent, width]);
  const most = Math.max(...slices.map(({ all }) => all));
  const bars = (of: "all" | "failed"): string =>
    slices
      .map((slice, i) => {
        const height = slice[of] === 0 ? 0 : Math.max(2, (slice[of] / most) * (HEIGHT - 4));
        return height === 0 ? "" : `M${i * SLICE} ${HEIGHT}h${SLICE - 1}v-${height.toFixed(1)}h-${SLICE - 1}z`;
      })
      .join("");
  return (
    <div class="lanes-overview" ref={box}>
      <svg height={HEIGHT} aria-hidden="true">
        <path class="other" d={bars("all")} />
        <path class="failed" d={bars("failed")} />
      </svg>
      <Marks over={extent} width={width} />
      <Brush extent={extent} width={width} />
    </div>
  );
}

/** The last part of an axis has no room for a label, in percent. */
const LAST = 94;

/** The marks of an axis of time. */
export function Marks({ over, width }: { readonly over: Between; readonly width: number }): JSX.Element {
  const axis = axisOver(...over, width);
  return (
    <>
      {axis.marks
        .map(({ at, label }) => [placeOn(axis, at), label] as const)
        .filter(([left]) => left < LAST)
        .map(([left, label]) => (
          <i key={left} class="lanes-mark" style={{ left: `${left}%` }}>
            {label}
          </i>
        ))}
    </>
  );
}

interface Drag {
  readonly from: number;
  readonly range: Between;
  readonly kind: "move" | "start" | "end" | "new";
  readonly x: number;
}

function Brush({ extent, width }: { readonly extent: Between; readonly width: number }): JSX.Element {
  const drag = useRef<Drag | null>(null);
  const range = lanes.range.value ?? extent;
  const { x, at } = scaleOf(extent, width);
  const move = (by: number, to: number) => (): void => lanes.setBrush(changed(range, [by, to], extent));
  const timeOf = (event: PointerEvent & { readonly currentTarget: Element }): readonly [px: number, time: number] => {
    const px = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return [px, at(Math.max(0, Math.min(width, px)))];
  };
  const keys = (event: KeyboardEvent): void => {
    const resize = event.shiftKey;
    onKeys({
      ArrowLeft: resize ? move(0, -STEP) : move(-STEP, -STEP),
      ArrowRight: resize ? move(0, STEP) : move(STEP, STEP),
      Home: () => lanes.setBrush(changed([extent[0], extent[0] + range[1] - range[0]], [0, 0], extent)),
      End: () => lanes.setBrush(changed([extent[1] - range[1] + range[0], extent[1]], [0, 0], extent)),
      Escape: () => lanes.setBrush(null),
    })(event);
  };
  const end = (isDone: boolean): void => {
    if (isDone && drag.current && lanes.dragged.value) lanes.setBrush(lanes.dragged.value);
    lanes.dragged.value = null;
    drag.current = null;
  };
  return (
    <div
      class="lanes-strip"
      title="Drag: another stretch of time. Double click: the newest runs."
      onPointerDown={(event) => {
        const [px, from] = timeOf(event);
        const [left, right] = [x(range[0]), x(range[1])];
        const isWhole = left <= 0 && right >= width;
        const kind = Math.abs(px - left) < GRIP ? "start" : Math.abs(px - right) < GRIP ? "end" : "move";
        drag.current = { from, range, kind: isWhole || px < left - GRIP || px > right + GRIP ? "new" : kind, x: px };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (!drag.current) return;
        const [px, now] = timeOf(event);
        if (lanes.dragged.value !== null || Math.abs(px - drag.current.x) >= CLICK)
          lanes.dragged.value = dragOf(drag.current, now, extent);
      }}
      onPointerUp={() => end(true)}
      onPointerCancel={() => end(false)}
      onDblClick={() => lanes.setBrush(null)}
    >
      <div
        class="lanes-brush"
        role="slider"
        tabIndex={0}
        aria-label="Brush"
        aria-valuemin={extent[0]}
        aria-valuemax={extent[1]}
        aria-valuenow={Math.round(range[0])}
        aria-valuetext={`${between(range)}, ${count(lanes.brushed.value.length, "run")}`}
        aria-description="Arrows move it, with Shift they resize it, Escape returns to the newest runs"
        style={{ left: `${x(range[0])}px`, width: `${Math.max(4, x(range[1]) - x(range[0]))}px` }}
        onKeyDown={keys}
      />
    </div>
  );
}

/** The range while it is dragged. */
function dragOf({ from, range, kind }: Drag, now: number, extent: Between): Between {
  const length = range[1] - range[0];
  const by = (now - from) / length;
  if (kind === "move") return changed(range, [by, by], extent);
  const [fixed, free] =
    kind === "new"
      ? [from, now]
      : kind === "start"
        ? [range[1], range[0] + now - from]
        : [range[0], range[1] + now - from];
  const sorted = [Math.min(fixed, free), Math.max(fixed, free)] as const;
  return changed([sorted[0], Math.max(sorted[1], sorted[0] + 1)], [0, 0], extent);
}
