/**
 * The bean graph: the still picture in one SVG, the animated path of a run in a second one above it.
 *
 *   layout + selection ──▶ nodes, edges (data-state) │ run path ──▶ overlay (data-run)
 *
 * One tab stop; arrows walk dependencies and layers (keys.ts). The camera moves without re-rendering.
 */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { comparisonSlice } from "../compare/compare.ts";
import { Empty } from "../page/widgets.tsx";
import { applicationSlice } from "../store/application.ts";
import { edgeKey } from "../store/path.ts";
import { selectionSlice } from "../store/selection.ts";
import { useSlice, useStore } from "../store/slice.ts";
import { edgeView } from "./bean-view.ts";
import { GraphNode } from "./bean.tsx";
import { PILL } from "./geometry.ts";
import { graphKey } from "./keys.ts";
import { frame, Minimap } from "./minimap.tsx";
import { graphSlice } from "./picture.ts";
import { GraphFooter, GraphTools, Legend } from "./tools.tsx";
import { createViewport } from "./viewport.ts";
import type { Viewport } from "./viewport.ts";

/** The upper zone. */
export function Graph(): JSX.Element {
  const use = useStore();
  const selection = use(selectionSlice);
  const graph = use(graphSlice);
  const host = useRef<HTMLDivElement>(null);
  const still = useRef<SVGGElement>(null);
  const moving = useRef<SVGGElement>(null);
  const sight = useRef<SVGRectElement>(null);
  const camera = useRef<Viewport>(null);
  useEffect(() => {
    if (host.current === null || still.current === null || moving.current === null) return undefined;
    const viewport = createViewport(host.current, [still.current, moving.current], (at, screen) => {
      if (sight.current !== null) frame(sight.current, at, screen, graph.picture.value);
    });
    camera.current = viewport;
    return () => viewport.stop();
  }, []);
  const fit = (all = false): void => {
    const near = all ? undefined : selection.reach.value;
    camera.current?.fit(graph.picture.value, near?.size ? near : graph.picture.value.beans.keys(), graph.entry.value);
  };
  useEffect(() => fit(), [graph.picture.value, selection.reach.value]);
  const show = (id: string): void => camera.current?.reveal(graph.picture.value.beans.get(id));
  return (
    <div class="graph-zone">
      <div
        class="graph"
        ref={host}
        role="group"
        tabIndex={0}
        aria-label="Bean dependency graph. Arrow keys move along dependencies, Enter opens a bean, F fits the route, 0 fits everything."
        data-method={selection.method.value}
        onKeyDown={(event) => graphKey(use, event, { fit, show, zoom: (factor) => camera.current?.zoom(factor) })}
      >
        <svg class="still" width="100%" height="100%">
          <Arrows />
          <g ref={still}>
            <Edges />
            <EntryPill />
            <g>
              {graph.shown.value.map((id) => (
                <GraphNode key={id} id={id} at={graph.picture.value.beans.get(id)} />
              ))}
            </g>
          </g>
        </svg>
        <svg class="moving" width="100%" height="100%" aria-hidden="true">
          <g ref={moving}>
            <Overlay key={`${selection.traceId.value} ${selection.replays.value}`} />
          </g>
        </svg>
        {use(applicationSlice).loaded.value && selection.graph.value.nodes.length === 0 && (
          <div class="graph-empty">
            <Empty title="No beans yet">
              Bind a bean in the container and reload: the graph draws what depends on what.
            </Empty>
          </div>
        )}
      </div>
      <Legend />
      <GraphTools onFit={() => fit()} onFound={show} />
      <GraphFooter />
      <Minimap sight={sight} onCenter={(x, y) => camera.current?.center(x, y)} />
    </div>
  );
}

function Arrows(): JSX.Element {
  return (
    <defs>
      {(["edge", "run"] as const).map((kind) => (
        <marker
          key={kind}
          id={`arrow-${kind}`}
          class={`arrow-${kind}`}
          viewBox="0 0 10 10"
          refX="9"
          refY="5"
          markerWidth={kind === "run" ? 10 : 7}
          markerHeight={kind === "run" ? 10 : 7}
          markerUnits="userSpaceOnUse"
          orient="auto-start-reverse"
        >
          <path d="M0 1 10 5 0 9z" />
        </marker>
      ))}
    </defs>
  );
}

function Edges(): JSX.Element {
  const selection = useSlice(selectionSlice);
  const graph = useSlice(graphSlice);
  const reach = selection.reach.value;
  const bold = graph.boldEdges.value;
  return (
    <g class="edges">
      {graph.picture.value.edges.map((edge) => {
        const key = edgeKey(edge.from, edge.to);
        const state = edgeView(edge, reach, bold);
        const arrow = state === "dim" ? undefined : "url(#arrow-edge)";
        return (
          <path
            key={key}
            d={edge.d}
            data-edge={key}
            data-state={state}
            data-back={edge.back ? "" : undefined}
            {...(edge.back ? { "marker-start": arrow } : { "marker-end": arrow })}
          />
        );
      })}
    </g>
  );
}

function EntryPill(): JSX.Element | null {
  const selection = useSlice(selectionSlice);
  const graph = useSlice(graphSlice);
  const place = graph.entry.value;
  const method = selection.method.value;
  if (place === null || method === null) return null;
  const sent = selection.trace.value !== null;
  return (
    <g class="entry" data-method={method} data-state={sent ? "path" : "reach"} aria-hidden="true">
      {!sent &&
        place.edges.map(({ bean, d }) => <path key={bean} class="entry-edge" d={d} marker-end="url(#arrow-run)" />)}
      <rect x={place.x} y={place.y} width={PILL.width} height={PILL.height} rx={PILL.height / 2} />
      <text x={place.x + PILL.width / 2} y={place.y + PILL.height / 2}>
        {method}
      </text>
    </g>
  );
}

/** The path of the selected run, in bold; marches for three seconds, then stands still. A comparison stands still. */
function Overlay(): JSX.Element | null {
  const selection = useSlice(selectionSlice);
  const graph = useSlice(graphSlice);
  const comparison = useSlice(comparisonSlice);
  const layer = useRef<SVGGElement>(null);
  const edges = graph.boldEdges.value;
  const comparing = comparison.comparing.value !== null;
  useEffect(() => {
    const timer = setTimeout(() => layer.current?.setAttribute("data-still", ""), 3_200);
    return () => clearTimeout(timer);
  }, []);
  if (edges.size === 0) return null;
  const still = comparing || selection.step.value !== null;
  return (
    <g class="overlay" ref={layer} data-stepping={still ? "" : undefined} data-comparing={comparing ? "" : undefined}>
      {[...graph.boldPaths.value].map(([key, { d, back }]) => {
        const edge = edges.get(key);
        return (
          <path
            key={key}
            class="run"
            d={d}
            style={{ animationDelay: `${Math.min((edge?.order ?? 0) * 70, 1_400)}ms, 0ms` }}
            data-run={key}
            data-side={edge?.side}
            data-stray={edge?.declared === false ? "" : undefined}
            {...(back ? { "marker-start": "url(#arrow-run)" } : { "marker-end": "url(#arrow-run)" })}
          />
        );
      })}
    </g>
  );
}
