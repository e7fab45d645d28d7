/**
 * The runs around the brush: a band a route. One path for each kind of run, whatever their number; the active run alone is an
 * element, which the keys move.
 */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo, useRef } from "preact/hooks";
import { shownPath, traceKey } from "../../run/format.ts";
import { keepInSight } from "../page/box.ts";
import { listKeys, onKeys } from "../page/on-keys.ts";
import { useSize } from "../page/use-size.ts";
import { Method } from "../page/widgets.tsx";
import { isError, isIn, type Between } from "../runs/history.ts";
import { panels, selection } from "../store/page-store.ts";
import { bandsOf, besideSaid, boxAt, endOf, pathOf, saidOf, scaleOf, type Band, type Box } from "./layout.ts";
import { Marks } from "./overview.tsx";
import { lanes } from "./page-lanes.ts";

/** The part of the brush's length that is shown beside it. */
const AROUND = 0.12;

/** The brush and a little around it. */
function viewOf([from, to]: Between, extent: Between): Between {
  const around = Math.max(1, (to - from) * AROUND);
  const isWhole = from <= extent[0] && to >= extent[1];
  return isWhole ? [from, to] : [from - around, to + around];
}

/** The names of the routes, and their runs. */
export function Bands(): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const { width } = useSize(box).value;
  const extent = lanes.extent.value ?? ([0, 1] as const);
  const range = lanes.range.value ?? extent;
  const view = viewOf(range, extent);
  const runs = lanes.runs.value;
  const bands = useMemo(() => bandsOf(runs.filter((run) => isIn(run, view))), [runs, ...view]);
  const last = bands.at(-1);
  const height = last ? last.top + last.height : 0;
  return (
    <div class="lanes-scroll">
      <div class="lanes-axis" aria-hidden="true">
        <Marks over={view} width={width} />
      </div>
      <ul class="lanes-names" aria-label="Routes">
        {bands.map(({ method, route, height: tall }) => (
          <li key={`${method} ${route}`} style={{ height: `${tall}px` }}>
            <Method name={method} />
            <code title={shownPath(route)}>{shownPath(route)}</code>
          </li>
        ))}
      </ul>
      <div ref={box} class="lanes-box" style={{ height: `${height}px` }}>
        <Runs bands={bands} range={range} view={view} width={width} height={height} />
      </div>
    </div>
  );
}

interface RunsProps {
  readonly bands: readonly Band[];
  readonly range: Between;
  readonly view: Between;
  readonly width: number;
  readonly height: number;
}

function Runs({ bands, range, view, width, height }: RunsProps): JSX.Element | null {
  const activeKey = useSignal<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const { x } = scaleOf(view, width);
  const boxes = useMemo(() => bands.flatMap((band) => band.boxes), [bands]);
  const set = useMemo(() => new Set(lanes.sides.value?.set.map(traceKey)), [lanes.sides.value]);
  const keyed = (key: string | null): Box | undefined => boxes.find(({ run }) => traceKey(run) === key);
  const active = keyed(activeKey.value) ?? keyed(selection.traceId.value) ?? boxes[0];
  if (!active) return null;
  const at = boxes.indexOf(active);
  const go = (to: number): void => {
    const next = boxes[to];
    if (!next) return;
    activeKey.value = traceKey(next.run);
    keepInSight(list.current?.closest(".lanes-scroll") ?? null, next.top, next.top + next.height);
  };
  const choose = (box: Box, isAdded: boolean): void => {
    activeKey.value = traceKey(box.run);
    if (isAdded) lanes.toggle(box.run);
    else void lanes.select(box.run);
  };
  const inspect = async (box: Box): Promise<void> => {
    await lanes.select(box.run);
    panels.place.value = "inspect";
  };
  const under = (event: MouseEvent & { readonly currentTarget: Element }): Box | undefined => {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    return boxAt(bands, x, event.clientX - left, event.clientY - top);
  };
  const step = (by: number) => (): void => go(bandStep(bands, boxes, active, by));
  return (
    <div
      ref={list}
      class="lanes-list"
      role="listbox"
      aria-label="Runs"
      aria-multiselectable="true"
      aria-description="Left and right: the runs of a route. Up and down: routes. Space selects, Shift Space adds, Enter opens in Inspect"
      tabIndex={0}
      aria-activedescendant="lanes-run"
      onClick={(event) => {
        const box = under(event);
        if (box) choose(box, isMore(event));
      }}
      onDblClick={(event) => {
        const box = under(event);
        // Two quick clicks on neighbours with Shift select both.
        if (box && !isMore(event)) void inspect(box);
      }}
      onPointerMove={(event) => {
        const box = under(event);
        event.currentTarget.title = box ? saidOf(box.run, marksOf(box, set)) : "";
      }}
      onKeyDown={(event) => {
        const { ArrowDown: next, ArrowUp: before, ...ends } = listKeys(at, boxes.length, go);
        onKeys({
          ...ends,
          ArrowRight: next,
          ArrowLeft: before,
          ArrowDown: step(1),
          ArrowUp: step(-1),
          Enter: () => inspect(active),
          " ": () => choose(active, event.shiftKey),
          Escape: lanes.clearChosen,
        })(event);
      }}
    >
      <Drawing bands={bands} boxes={boxes} set={set} range={range} x={x} width={width} height={height} />
      <div
        id="lanes-run"
        class="lanes-run"
        role="option"
        data-trace={traceKey(active.run)}
        aria-selected={set.has(traceKey(active.run)) || traceKey(active.run) === selection.traceId.value}
        aria-setsize={boxes.length}
        aria-posinset={at + 1}
        aria-label={saidOf(active.run, marksOf(active, set))}
        style={{
          left: `${x(active.run.startedAt) - 2}px`,
          top: `${active.top - 2}px`,
          width: `${Math.max(2, x(endOf(active.run)) - x(active.run.startedAt)) + 4}px`,
          height: `${active.height + 4}px`,
        }}
      />
    </div>
  );
}

const isMore = ({ shiftKey, ctrlKey, metaKey }: MouseEvent): boolean => shiftKey || ctrlKey || metaKey;

/** The box of the band above or below that is nearest in time. */
function bandStep(bands: readonly Band[], boxes: readonly Box[], { run, top }: Box, by: number): number {
  const now = bands.findIndex((band) => top >= band.top && top < band.top + band.height);
  const far = (box: Box): number => Math.abs(box.run.startedAt - run.startedAt);
  const near = bands[now + by]?.boxes.toSorted((a, b) => far(a) - far(b))[0];
  return near ? boxes.indexOf(near) : -1;
}

/** What is to be said of a run. */
function marksOf({ run }: Box, set: ReadonlySet<string>): readonly string[] {
  const beside = lanes.interleavings.value.get(traceKey(run));
  return [
    ...(isError(run) ? ["failed"] : []),
    ...(set.has(traceKey(run)) ? ["among the selected"] : []),
    ...(beside ? [besideSaid(new Set(beside.map((one) => one.run)).size)] : []),
  ];
}

interface DrawingProps {
  readonly bands: readonly Band[];
  readonly boxes: readonly Box[];
  readonly set: ReadonlySet<string>;
  readonly range: Between;
  readonly x: (at: number) => number;
  readonly width: number;
  readonly height: number;
}

function Drawing({ bands, boxes, set, range, x, width, height }: DrawingProps): JSX.Element {
  const rings = lanes.interleavings.value;
  const beside = new Set([...rings.values()].flatMap((all) => all.map(({ run }) => traceKey(run))));
  const of = (is: (box: Box, key: string) => boolean, by = 0): string =>
    pathOf(
      boxes.filter((box) => is(box, traceKey(box.run))),
      x,
      by,
    );
  const chosen = selection.traceId.value;
  const [left, right] = [Math.max(0, x(range[0])), Math.min(width, x(range[1]))];
  return (
    <svg width={width} height={height} aria-hidden="true">
      <path class="rows" d={bands.map(({ top }) => `M0 ${top + 0.5}h${width}`).join("")} />
      <path class="other" d={of(({ run }, key) => !isError(run) && !set.has(key))} />
      <path class="set" d={of(({ run }, key) => !isError(run) && set.has(key))} />
      <path class="failed" d={of(({ run }) => isError(run))} />
      <path class="outside" d={`M0 0h${left}v${height}h-${left}zM${right} 0H${width}v${height}H${right}z`} />
      {right - left < width && <path class="ends" d={`M${left} 0v${height}M${right} 0v${height}`} />}
      <path class="beside" d={of((_, key) => beside.has(key), 1)} />
      <path class="ring" d={of((_, key) => rings.has(key), 2)} />
      <path class="chosen" d={of((_, key) => key === chosen, 3)} />
    </svg>
  );
}
