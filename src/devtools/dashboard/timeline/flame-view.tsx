/**
 * The flame view: the run from left to right, callers above callees, with the scale of the rows. A click or Enter zooms to a bar,
 * Escape back out; arrows walk. Only the bars on screen exist.
 */

import { computed, useSignal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { JSX, RefObject } from "preact";
import { useMemo, useLayoutEffect, useId, useRef } from "preact/hooks";
import type { Trace } from "../../run/shapes.ts";
import { KINDS, leafText } from "../../run/spent.ts";
import { keepInSight } from "../page/box.ts";
import { useSize, type BoxSize } from "../page/use-size.ts";
import { duration } from "../../run/format.ts";
import { onKeys } from "../page/on-keys.ts";
import { selection, time } from "../store/page-store.ts";
import {
  drawnBars,
  flameBars,
  flameBrackets,
  flameStep,
  windowOf,
  type DrawnBar,
  type FlameBar,
  type FlameBracket,
} from "./flame.ts";
import { MomentLine, Ruler } from "./ruler.tsx";
import { useScaleInput, zoomKeys } from "./scale-input.ts";
import { between, placeOf } from "./window.ts";

const LANE = 22;

/** The bars of a run. */
export function Flame({ trace }: { readonly trace: Trace }): JSX.Element {
  const id = useId();
  const [host, scale, box] = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)];
  const bars = useMemo(() => flameBars(trace), [trace]);
  const [at, zoom, top] = [useSignal(0), useSignal(0), useSignal(0)];
  const [size, width] = [useSize(box), useSize(scale)];
  const range = useScaleInput(host, scale);
  useLayoutEffect(() => {
    at.value = zoom.value = 0;
  }, [trace]);
  const lanes = useMemo(() => bars.reduce((most, { lane }) => Math.max(most, lane), 0) + 1, [bars]);
  const brackets = useMemo(() => flameBrackets(trace, bars), [bars]);
  const seen = (): readonly [number, number] => {
    return [Math.floor(top.value / LANE) - 2, Math.ceil((top.value + size.value.height) / LANE) + 2];
  };
  const drawn = useMemo(
    () => computed(() => drawnBars(bars, time.shown.value, width.value.width, seen(), at.value)),
    [bars],
  );
  const { choose, onKey } = flameMoves({ trace, bars, at, zoom, box });
  const now = bars[at.value];
  return (
    <div class="flame-view" ref={host} data-method={trace.method}>
      <p class="flame-now" role="status">
        {now && (
          <>
            <b>{wordsOf(now, trace, selection.beanName)}</b> {duration(now.endUs - now.startUs)}{" "}
            <span class="muted">+{duration(now.startUs)}</span>
          </>
        )}
      </p>
      <div class="flame-ruler">
        <Ruler scale={scale} range={range} />
      </div>
      <div
        ref={box}
        class="flame"
        role="tree"
        tabIndex={0}
        aria-label="Flame view. Arrows walk, Enter zooms in, Escape out."
        aria-activedescendant={`${id}-${at.value}`}
        onKeyDown={onKey}
        onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
      >
        <div role="none" style={{ height: `${lanes * LANE}px` }}>
          {drawn.value.map((bar) => (
            <Bar
              key={bar.at}
              id={`${id}-${bar.at}`}
              bar={bars[bar.at]}
              drawn={bar}
              words={wordsOf(bars[bar.at], trace, selection.beanName)}
              now={bar.at === at.value}
              onChoose={() => choose(bar.at)}
            />
          ))}
          <Brackets of={brackets} width={width} seen={seen} />
          <MomentLine width={width} />
        </div>
      </div>
    </div>
  );
}

/** The moves between bars: by a key or a click, with the window that follows. */
function flameMoves(props: {
  readonly trace: Trace;
  readonly bars: readonly FlameBar[];
  readonly at: Signal<number>;
  readonly zoom: Signal<number>;
  readonly box: RefObject<Element | null>;
}) {
  const { trace, bars, at, zoom, box } = props;
  const zoomTo = (next: number): void => {
    zoom.value = next;
    const { fromUs, toUs } = windowOf(bars, next);
    time.show(next === 0 ? null : between(fromUs, toUs, time.endUs.value));
  };
  const show = (next: number): void => {
    at.value = next;
    const bar = bars[next];
    if (!bar) return;
    const { fromUs, toUs } = time.shown.value;
    if (bar.endUs < fromUs || bar.startUs > toUs) zoomTo(Math.max(0, bar.parent));
    keepInSight(box.current, bar.lane * LANE, (bar.lane + 1) * LANE);
  };
  const choose = (next: number): void => {
    show(next);
    zoomTo(next);
    const { call, leaf } = bars[next] ?? {};
    if (call) selection.showCall(call);
    else
      selection.selectLeaf(
        leaf ?? null,
        trace.calls.find(({ id: callId }) => callId === leaf?.parentId),
      );
  };
  const onKey = (event: KeyboardEvent): void => {
    const next = flameStep(bars, at.value, event.key);
    const zoomIn = (): void => choose(at.value);
    onKeys({
      ...zoomKeys,
      [event.key]: next === undefined ? zoomKeys[event.key] : () => show(next),
      Enter: zoomIn,
      " ": zoomIn,
      Escape: () => zoomTo(Math.max(0, bars[zoom.value]?.parent ?? 0)),
    })(event);
  };
  return { choose, onKey };
}

/** At the left of calls side by side, a bracket with their number. */
function Brackets(props: {
  readonly of: readonly FlameBracket[];
  readonly width: ReadonlySignal<BoxSize>;
  readonly seen: () => readonly [number, number];
}): JSX.Element {
  const { width } = props.width.value;
  const [first, last] = props.seen();
  const window = time.shown.value;
  return (
    <>
      {props.of
        .filter(({ fromLane, toLane }) => fromLane < toLane && toLane >= first && fromLane <= last)
        .map(
          ({ count, startUs, fromLane, toLane }) => [count, placeOf(startUs, window, width), fromLane, toLane] as const,
        )
        .filter(([, left]) => left >= 0 && left <= width)
        .map(([count, left, fromLane, toLane]) => (
          <i
            key={`${fromLane} ${left}`}
            class="flame-bracket"
            aria-hidden="true"
            title={`${count} side by side`}
            style={{
              transform: `translate(${left}px, ${fromLane * LANE}px)`,
              height: `${(toLane - fromLane + 1) * LANE - 2}px`,
            }}
          >
            <b>{count}</b>
          </i>
        ))}
    </>
  );
}

/** Narrower bars have no words. */
const WORDS = 26;

function Bar(props: {
  readonly id: string;
  readonly bar: FlameBar | undefined;
  readonly drawn: DrawnBar;
  readonly words: string;
  readonly now: boolean;
  readonly onChoose: () => void;
}): JSX.Element | null {
  const { bar, drawn, words } = props;
  if (!bar) return null;
  const { call, leaf, lane } = bar;
  return (
    <div
      id={props.id}
      class="flame-bar"
      role="treeitem"
      aria-level={bar.level + 1}
      aria-selected={props.now}
      aria-label={`${words}, ${duration(bar.endUs - bar.startUs)}`}
      title={`${words}  ${duration(bar.endUs - bar.startUs)}`}
      data-bar={bar.kind}
      data-kind={leaf?.kind}
      data-stereotype={call?.stereotype}
      data-failed={(call ?? leaf)?.error ? "" : undefined}
      style={{ transform: `translate(${drawn.left}px, ${lane * LANE}px)`, width: `${drawn.width}px` }}
      onClick={props.onChoose}
    >
      {drawn.width > WORDS && words}
    </div>
  );
}

function wordsOf(bar: FlameBar | undefined, trace: Trace, beanName: (id: string) => string): string {
  if (bar?.call) return `${beanName(bar.call.bean)}.${bar.call.method}`;
  if (bar?.leaf) return `${KINDS[bar.leaf.kind][0]}: ${leafText(bar.leaf)}`;
  return `${trace.method} ${trace.path}`;
}
