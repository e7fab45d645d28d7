/**
 * The path of the selected run over the still picture: its lines, as wide as the time behind them, and a dot on each line of a call
 * that runs at the shown moment.
 *
 *   selected ──▶ drawn once, each line when its first call begins, in proportion │ moment ──▶ the lines so far, and dots
 */

import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { BoldPath } from "../../run/graph/shapes.ts";
import { wantsNoMotion } from "../page/motion.ts";
import { time } from "../store/page-store.ts";
import { PLAY_MS } from "../store/time.ts";
import { graph, scene } from "./page-graph.ts";
import { lineWidth, progressAt } from "./run-time.ts";

/** The path is drawn by then. */
const DRAWN_MS = PLAY_MS + 400;
/** A wider line needs no arrow, since it is narrower where it ends. */
const ARROW_UP_TO = 6;

/** Moves the moment on while it plays. */
export function usePlayback(): void {
  const playing = time.playing.value;
  useLayoutEffect(() => {
    if (!playing) return undefined;
    let before = performance.now();
    let frame = requestAnimationFrame(function move(now) {
      time.advance(Math.max(0, now - before));
      before = now;
      frame = requestAnimationFrame(move);
    });
    return () => cancelAnimationFrame(frame);
  }, [playing]);
}

/** The path of the selected run, drawn line by line in the proportions of the run. A comparison is not animated. */
export function Overlay(): JSX.Element | null {
  const layer = useRef<SVGGElement>(null);
  const edges = graph.boldEdges.value;
  const comparing = scene.comparing.value !== null;
  useLayoutEffect(() => {
    const timer = setTimeout(() => layer.current?.setAttribute("data-still", ""), wantsNoMotion() ? 0 : DRAWN_MS);
    return () => clearTimeout(timer);
  }, []);
  if (edges.size === 0) return null;
  const still = comparing || (time.begun.value !== null && !time.playing.value);
  return (
    <g class="overlay" ref={layer} data-stepping={still ? "" : undefined} data-comparing={comparing ? "" : undefined}>
      {[...graph.boldPaths.value].map(([key, path]) => (
        <RunLine key={key} id={key} path={path} still={still} />
      ))}
    </g>
  );
}

/** The line of the calls along one edge. */
function RunLine(props: { readonly id: string; readonly path: BoldPath; readonly still: boolean }): JSX.Element {
  const { id, path, still } = props;
  const edge = graph.boldEdges.value.get(id);
  const spent = graph.times.value?.edges.get(id);
  const startUs = spent?.calls[0]?.startUs ?? 0;
  // Kept, because another delay would begin the animation again.
  const [delay] = useState(() => (time.at.value === null ? (startUs / time.endUs.peek()) * PLAY_MS : 0));
  const isDrawn = time.playing.value && startUs < time.playedFromUs.value;
  const isStray = edge?.declared === false;
  const width = spent && !isStray ? lineWidth(spent) : undefined;
  const isAside = spent?.isCritical === false && !isStray;
  const arrow = isStray ? "stray" : isAside ? "aside" : "run";
  const { numbers } = scene;
  const isTrailed = edge !== undefined && numbers.value.has(edge.from) && numbers.value.has(edge.to);
  const hasArrow = isStray || (width ?? 0) <= ARROW_UP_TO;
  return (
    <path
      class="run"
      d={path.d}
      pathLength={still ? undefined : 1}
      style={{ animationDelay: `${Math.round(delay)}ms`, strokeWidth: width === undefined ? undefined : `${width}px` }}
      data-run={id}
      data-drawn={isDrawn ? "" : undefined}
      data-critical={spent?.isCritical === true ? "" : undefined}
      data-aside={isAside ? "" : undefined}
      data-side={edge && "side" in edge ? edge.side : undefined}
      data-stray={isStray ? "" : undefined}
      data-trail={isTrailed ? "" : undefined}
      {...(scene.bridges.value.has(id) && { "marker-start": "url(#arrow-run)" })}
      {...(hasArrow && { [path.back ? "marker-start" : "marker-end"]: `url(#arrow-${arrow})` })}
    />
  );
}

/** At the shown moment, how far each running call is along its line. */
export function Dots(): JSX.Element | null {
  const at = time.at.value;
  const times = graph.times.value;
  if (at === null || !times) return null;
  return (
    <g class="dots">
      {[...graph.boldPaths.value].flatMap(([key, { d, back }]) => {
        const spent = times.edges.get(key);
        return (spent ? progressAt(spent, at) : []).map((part, i) => (
          <circle
            key={`${key} ${i}`}
            r="5"
            data-dot={key}
            style={{ offsetPath: `path("${d}")`, offsetDistance: `${(100 * (back ? 1 - part : part)).toFixed(1)}%` }}
          />
        ));
      })}
    </g>
  );
}
