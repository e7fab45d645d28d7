/**
 * The bean graph: the still picture in one SVG, the animated path of a run in a second one above it.
 *
 *   arrangement + selection ──▶ nodes, groups, edges (data-state) │ run path ──▶ overlay (data-run)
 *
 * One tab stop; arrows walk dependencies and layers (graph-keys.ts). The camera moves without re-rendering.
 */

import type { JSX } from "preact";
import { Empty } from "../page/widgets.tsx";
import { edgeKey, ENTRY } from "../store/path.ts";
import { application } from "../store/page-store.ts";
import { useSlice } from "../store/slice.ts";
import { edgeView } from "./bean-view.ts";
import { GraphNode, TrailNumber } from "./bean.tsx";
import { PILL } from "../../run/graph/geometry.ts";
import { graphKey } from "./graph-keys.ts";
import { Minimap } from "./minimap.tsx";
import { Dots, Overlay, usePlayback } from "./overlay.tsx";
import { graph, scene } from "./page-graph.ts";
import { GraphFooter, GraphTools, Legend } from "./tools.tsx";
import { useCamera } from "./use-camera.ts";

/** The graph, alone or between its bars. */
export function Graph({ isAlone = false }: { readonly isAlone?: boolean }): JSX.Element {
  const { refs, focus, camera, unseen } = useCamera(useSlice);
  usePlayback();
  return (
    <div class="graph-zone">
      {!isAlone && (
        <div class="graph-bar">
          <Legend />
          <GraphTools onFit={() => camera.fit()} onZoom={camera.zoom} onFound={camera.find} />
        </div>
      )}
      <div class="graph-view">
        <div
          class="graph"
          ref={refs.host}
          role="group"
          tabIndex={0}
          aria-label="Bean dependency graph. Arrow keys move along dependencies, Enter opens a bean, F fits the route, 0 fits everything."
          data-method={scene.method.value}
          data-trailed={scene.numbers.value.size > 0 ? "" : undefined}
          {...focus}
          onKeyDown={(event) => graphKey(useSlice, event, camera)}
        >
          <svg class="still" width="100%" height="100%">
            <Arrows />
            <g ref={refs.still}>
              <Islands />
              <Edges />
              <EntryPill />
              <Nodes />
            </g>
          </svg>
          <svg class="moving" width="100%" height="100%" aria-hidden="true">
            <g ref={refs.moving}>
              <Overlay key={`${scene.traceId.value} ${scene.replays.value}`} />
              <Dots />
            </g>
          </svg>
          {application.loaded.value && scene.graph.value.nodes.length === 0 && (
            <div class="graph-empty">
              <Empty title="No beans yet">Bind a bean in the container.</Empty>
            </div>
          )}
        </div>
        {graph.pathBeans.value.size === 0 && <Minimap sight={refs.sight} onCenter={camera.center} />}
      </div>
      {!isAlone && <GraphFooter unseen={unseen} onFurther={camera.further} />}
    </div>
  );
}

function Islands(): JSX.Element {
  return (
    <g class="islands">
      {graph.picture.value.islands?.map(({ name, x, y, width, height }) => (
        <g key={name} data-island={name} transform={`translate(${x} ${y})`}>
          <rect width={width} height={height} rx="12" />
          <text x="14" y="18">
            {name}
          </text>
        </g>
      ))}
    </g>
  );
}

function Nodes(): JSX.Element {
  const { beans } = graph.picture.value;
  return (
    <g>
      {graph.shown.value.map((id) => (
        <GraphNode key={id} id={id} at={beans.get(id)} />
      ))}
    </g>
  );
}

/** The sizes of arrowheads. The hollow one is for a call along no declared dependency. */
const ARROWS = { edge: 7, aside: 7, run: 10, stray: 13 } as const;

function Arrows(): JSX.Element {
  return (
    <defs>
      {(["edge", "aside", "run", "stray"] as const).map((kind) => (
        <marker
          key={kind}
          id={`arrow-${kind}`}
          class={`arrow-${kind}`}
          viewBox="0 0 10 10"
          refX="9"
          refY="5"
          markerWidth={ARROWS[kind]}
          markerHeight={ARROWS[kind]}
          markerUnits="userSpaceOnUse"
          orient="auto-start-reverse"
        >
          <path d={kind === "stray" ? "M1 2 9 5 1 8z" : "M0 1 10 5 0 9z"} />
        </marker>
      ))}
    </defs>
  );
}

function Edges(): JSX.Element {
  const reach = scene.reach.value;
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
            {...(edge.back ? { "marker-start": arrow } : { "marker-end": arrow })}
          />
        );
      })}
    </g>
  );
}

function EntryPill(): JSX.Element | null {
  const place = graph.entry.value;
  const method = scene.method.value;
  if (!place || method === null) return null;
  const sent = scene.trace.value !== null;
  return (
    <g
      class="entry"
      data-method={method}
      data-state={sent ? "path" : "reach"}
      data-trail={scene.numbers.value.get(ENTRY)}
      aria-hidden="true"
    >
      {!sent &&
        place.edges.map(({ bean, d }) => <path key={bean} class="entry-edge" d={d} marker-end="url(#arrow-run)" />)}
      <rect x={place.x} y={place.y} width={PILL.width} height={PILL.height} rx={PILL.height / 2} />
      <text x={place.x + PILL.width / 2} y={place.y + PILL.height / 2}>
        {method}
      </text>
      <TrailNumber of={ENTRY} x={place.x} y={place.y} />
    </g>
  );
}
