/**
 * The flame view: the run from left to right, callers above callees. A click or Enter zooms to a bar,
 * Escape back out; arrows walk. Only the bars on screen exist.
 */

import { computed, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo, useLayoutEffect, useId, useRef } from "preact/hooks";
import type { Trace } from "../../run/shapes.ts";
import { KINDS, leafText } from "../../run/spent.ts";
import { keepInSight } from "../page/box.ts";
import { useSize } from "../page/use-size.ts";
import { duration } from "../../run/format.ts";
import { onKeys } from "../page/on-keys.ts";
import { selection } from "../store/page-store.ts";
import { drawnBars, flameBars, flameStep, windowOf, type DrawnBar, type FlameBar } from "./flame.ts";

const LANE = 22;

/** The bars of a run. */
export function Flame({ trace }: { readonly trace: Trace }): JSX.Element {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const bars = useMemo(() => flameBars(trace), [trace]);
  const [at, zoom] = [useSignal(0), useSignal(0)];
  const [size, top] = [useSize(box), useSignal(0)];
  useLayoutEffect(() => {
    at.value = zoom.value = 0;
  }, [trace]);
  const lanes = Math.max(...bars.map(({ lane }) => lane)) + 1;
  const bounds = (): DrawnBar[] => {
    const { width, height } = size.value;
    const seen = [Math.floor(top.value / LANE) - 2, Math.ceil((top.value + height) / LANE) + 2] as const;
    return drawnBars(bars, windowOf(bars, zoom.value), width, seen, at.value);
  };
  const drawn = useMemo(() => computed(bounds), [bars]);
  const show = (next: number): void => {
    at.value = next;
    const bar = bars[next];
    if (!bar) return;
    const { fromUs, toUs } = windowOf(bars, zoom.value);
    if (bar.endUs < fromUs || bar.startUs > toUs) zoom.value = Math.max(0, bar.parent);
    keepInSight(box.current, bar.lane * LANE, (bar.lane + 1) * LANE);
  };
  const choose = (next: number): void => {
    show(next);
    zoom.value = next;
    const { call, leaf } = bars[next] ?? {};
    if (call) selection.showCall(call);
    else
      selection.selectLeaf(
        leaf ?? null,
        trace.calls.find(({ id: callId }) => callId === leaf?.parentId),
      );
  };
  const zoomIn = (): void => choose(at.value);
  const onKey = (event: KeyboardEvent): void => {
    const next = flameStep(bars, at.value, event.key);
    onKeys({
      [event.key]: next === undefined ? undefined : () => show(next),
      Enter: zoomIn,
      " ": zoomIn,
      Escape: () => (zoom.value = Math.max(0, bars[zoom.value]?.parent ?? 0)),
    })(event);
  };
  const now = bars[at.value];
  return (
    <div class="flame-view">
      <p class="flame-now" role="status">
        {now && (
          <>
            <b>{wordsOf(now, trace, selection.beanName)}</b> {duration(now.endUs - now.startUs)}{" "}
            <span class="muted">+{duration(now.startUs)}</span>
          </>
        )}
        <span class="grow" />
        <button type="button" class="quiet" aria-disabled={zoom.value === 0} onClick={() => (zoom.value = 0)}>
          Whole run
        </button>
      </p>
      <div
        ref={box}
        class="flame"
        role="tree"
        tabIndex={0}
        aria-label="Flame view. Arrows walk, Enter zooms in, Escape out."
        aria-activedescendant={`${id}-${at.value}`}
        data-method={trace.method}
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
        </div>
      </div>
    </div>
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
      aria-level={lane + 1}
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
