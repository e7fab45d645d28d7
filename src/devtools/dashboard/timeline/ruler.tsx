/**
 * The ruler above the bars, with the moment that graph, timeline and logs show, and the buttons for people without a wheel.
 */

import type { ReadonlySignal } from "@preact/signals";
import type { JSX, RefObject } from "preact";
import { duration } from "../../run/format.ts";
import { wantsNoMotion } from "../page/motion.ts";
import { onKeys } from "../page/on-keys.ts";
import { ticks } from "../../run/ticks.ts";
import { useSize, type BoxSize } from "../page/use-size.ts";
import { IconButton } from "../page/widgets.tsx";
import { time } from "../store/page-store.ts";
import { scaleKeys, zoomBy, type Range } from "./scale-input.ts";
import { placeOf } from "./window.ts";

/** The room of one mark of the ruler. */
const MARK = 58;
/** Half the width of the handle. */
const HANDLE = 30;

/** The marks of the shown part, the dragged range, and the line's handle. It is a slider of the moment. */
export function Ruler(props: {
  readonly scale: RefObject<HTMLDivElement | null>;
  readonly range: ReadonlySignal<Range | null>;
}): JSX.Element {
  const { scale, range } = props;
  const { width } = useSize(scale).value;
  const window = time.shown.value;
  const marks = ticks(window, Math.min(8, width / MARK)).map((us) => [us, placeOf(us, window, width)] as const);
  const at = time.at.value;
  const handle = at === null ? -Infinity : placeOf(at, window, width);
  const step = (window.toUs - window.fromUs) / 100;
  const move = (by: number) => (): void => time.seek((at ?? (by < 0 ? time.endUs.value : 0)) + by);
  return (
    <div
      ref={scale}
      class="ruler"
      role="slider"
      tabIndex={0}
      aria-label="Moment of the run"
      aria-valuemin={0}
      aria-valuemax={Math.round(time.endUs.value)}
      aria-valuenow={Math.round(at ?? time.endUs.value)}
      aria-valuetext={at === null ? "the whole run" : duration(at)}
      title="Click: this moment. Drag: zoom into the range."
      onKeyDown={onKeys({
        ...scaleKeys,
        ArrowLeft: move(-step),
        ArrowRight: move(step),
        Home: () => time.seek(0),
        End: () => time.seek(null),
        Escape: () => time.seek(null),
      })}
    >
      {marks
        .filter(([us, left]) => left >= 0 && (us === 0 || left + MARK <= width))
        .filter(([, left]) => left > handle + HANDLE || left + MARK < handle - HANDLE)
        .map(([us, left]) => (
          <i key={us} class="tick" style={{ left: `${left}px` }}>
            {duration(us)}
          </i>
        ))}
      <Selected range={range} width={width} />
      <Moment width={width} />
    </div>
  );
}

/** The range that is being dragged, with its length. */
function Selected(props: { readonly range: ReadonlySignal<Range | null>; readonly width: number }): JSX.Element | null {
  const range = props.range.value;
  if (!range) return null;
  const [from, to] = [Math.min(...range), Math.max(...range)];
  const [left, right] = [from, to].map((us) => placeOf(us, time.shown.value, props.width));
  return (
    <span class="range" style={{ left: `${left}px`, width: `${(right ?? 0) - (left ?? 0)}px` }}>
      {duration(to - from)}
    </span>
  );
}

/** The handle of the moment. */
function Moment({ width }: { readonly width: number }): JSX.Element | null {
  const at = time.at.value;
  if (at === null) return null;
  const left = placeOf(at, time.shown.value, width);
  if (left < 0 || left > width) return null;
  return (
    <b class="moment" style={{ left: `${left}px` }}>
      {duration(at)}
    </b>
  );
}

/** The line of the moment over the bars. */
export function MomentLine({ width }: { readonly width: ReadonlySignal<BoxSize> }): JSX.Element | null {
  const at = time.at.value;
  if (at === null) return null;
  const left = placeOf(at, time.shown.value, width.value.width);
  return left < 0 || left > width.value.width ? null : <i class="moment-line" style={{ left: `${left}px` }} />;
}

/** Play, the moment, zoom, and the whole run. */
export function ScaleTools(): JSX.Element {
  const { fromUs, toUs } = time.shown.value;
  const isWhole = fromUs === 0 && toUs === time.endUs.value;
  const playing = time.playing.value;
  const at = time.at.value;
  const play = (): void => {
    if (playing) time.seek(at);
    else if (at === null) time.replay(wantsNoMotion());
    else time.play(wantsNoMotion());
  };
  return (
    <div class="scale-tools">
      <IconButton
        icon={playing ? "pause" : "play"}
        label={playing ? "Pause the run" : "Play the run"}
        isQuiet
        title="Moves the line through the run's time, in graph, timeline and logs"
        onClick={play}
      />
      <span class="moment-text">
        <b>{duration(at ?? time.endUs.value)}</b> <span class="muted">of {duration(time.endUs.value)}</span>
      </span>
      <span class="joined" role="group" aria-label="Zoom of the time">
        <button type="button" class="quiet" aria-label="Show more time" title="−" onClick={() => zoomBy(1 / 1.5)}>
          −
        </button>
        <button type="button" class="quiet" aria-label="Show less time" title="+" onClick={() => zoomBy(1.5)}>
          +
        </button>
        <button type="button" class="quiet" aria-disabled={isWhole} title="0" onClick={() => time.show(null)}>
          Whole run
        </button>
      </span>
    </div>
  );
}
