/**
 * The bean graph: the still picture in one SVG, the animated path of a run in a second one above it.
 *
 *   arrangement + selection ──▶ nodes, groups, edges (data-state) │ run path ──▶ overlay (data-run)
 *
 * One tab stop; arrows walk dependencies and layers (keys.ts). The camera moves without re-rendering.
 */

import { useSignal } from "@preact/signals";
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
import { cameraSlice } from "./camera-memory.ts";
import { LEGIBLE, PILL, unseenBeans } from "./geometry.ts";
import { focusNode, graphKey } from "./keys.ts";
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
  const hadFocus = useRef(false);
  const unseen = useSignal<readonly string[]>([]);
  const memory = use(cameraSlice);
  useEffect(() => {
    if (host.current === null || still.current === null || moving.current === null) return undefined;
    const viewport = createViewport(host.current, [still.current, moving.current], (at, screen, byHand) => {
      if (sight.current !== null) frame(sight.current, at, screen, graph.picture.value);
      const { width, height } = graph.screen.value ?? {};
      if (screen.width !== width || screen.height !== height) graph.screen.value = screen;
      if (byHand) memory.keep(at);
      const beyond = unseenBeans(graph.picture.value, graph.pathBeans.value, at, screen);
      if (String(beyond) !== String(unseen.value)) unseen.value = beyond;
    });
    camera.current = viewport;
    return () => viewport.stop();
  }, []);
  const floor = (): number | undefined => (graph.pathBeans.value.size > 0 ? LEGIBLE : undefined);
  const fit = (all = false): void => {
    const { beans } = graph.picture.value;
    const near = graph.pathBeans.value.size > 0 ? graph.pathBeans.value : selection.reach.value;
    const everything = all || graph.groups.value.length > 0 || !near?.size;
    camera.current?.fit(graph.picture.value, everything ? beans.keys() : near, graph.entry.value, floor());
  };
  useEffect(() => {
    const kept = memory.kept();
    if (kept === null) fit();
    else camera.current?.place(kept, floor());
  }, [graph.picture.value, selection.reach.value, graph.pathBeans.value]);
  useEffect(() => {
    const { value: bean } = selection.bean;
    if (bean !== null) graph.openGroupOf(bean);
  }, [selection.bean.value, graph.groups.value]);
  useEffect(() => {
    // A node that had the focus is gone: the keys stay with the graph.
    if (hadFocus.current && document.activeElement === document.body) host.current?.focus({ preventScroll: true });
  }, [graph.picture.value]);
  const show = (id: string): void => camera.current?.reveal(graph.picture.value.beans.get(id));
  const step = selection.step.value;
  useEffect(() => {
    const call = step === null || step === 0 ? undefined : selection.path.value?.steps[step - 1]?.call;
    if (call !== undefined) show(call.bean);
  }, [step]);
  const find = (id: string): void => {
    // After the group that it is in has opened.
    requestAnimationFrame(() => {
      show(id);
      focusNode(host.current, id);
    });
  };
  return (
    <div class="graph-zone">
      <div class="graph-bar">
        <Legend />
        <GraphTools
          onFit={() => {
            memory.forget();
            fit();
          }}
          onZoom={(factor) => camera.current?.zoom(factor)}
          onFound={find}
        />
      </div>
      <div class="graph-view">
        <div
          class="graph"
          ref={host}
          role="group"
          tabIndex={0}
          aria-label="Bean dependency graph. Arrow keys move along dependencies, Enter opens a bean, F fits the route, 0 fits everything."
          data-method={selection.method.value}
          onFocusIn={() => (hadFocus.current = true)}
          onFocusOut={(event) => (hadFocus.current = event.relatedTarget === null)}
          onKeyDown={(event) =>
            graphKey(use, event, {
              fit: (all) => {
                memory.forget();
                fit(all);
              },
              show,
              zoom: (factor) => camera.current?.zoom(factor),
            })
          }
        >
          <svg class="still" width="100%" height="100%">
            <Arrows />
            <g ref={still}>
              <Edges />
              <EntryPill />
              <Nodes />
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
        {graph.pathBeans.value.size === 0 && (
          <Minimap sight={sight} onCenter={(x, y) => camera.current?.center(x, y)} />
        )}
      </div>
      <GraphFooter
        unseen={unseen.value.length}
        onFurther={() => {
          const [next] = unseen.value
            .flatMap((id) => graph.picture.value.beans.get(id) ?? [])
            .sort((a, b) => a.x - b.x);
          camera.current?.reveal(next);
        }}
      />
    </div>
  );
}

function Nodes(): JSX.Element {
  const graph = useSlice(graphSlice);
  const { beans } = graph.picture.value;
  return (
    <g>
      {graph.shown.value.map((id) => (
        <GraphNode key={id} id={id} at={beans.get(id)} />
      ))}
    </g>
  );
}

/** Their sizes; the hollow one is of a call along no declared dependency. */
const ARROWS = { edge: 7, run: 10, stray: 13 } as const;

function Arrows(): JSX.Element {
  return (
    <defs>
      {(["edge", "run", "stray"] as const).map((kind) => (
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
          <path d={kind === "stray" ? "M1 1.500 9 5 1 8.500z" : "M0 1 10 5 0 9z"} />
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
            data-loop={edge.from === edge.to ? "" : undefined}
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

/** The last edge of a path begins to be drawn after so long, or sooner where there are few. */
const PATH_MS = 2_600;
const MOST_PACE_MS = 260;

/** The path of the selected run, in bold; draws itself in three seconds, call by call. A comparison stands still. */
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
  const last = Math.max(1, ...[...edges.values()].map((edge) => edge.order));
  const pace = Math.min(MOST_PACE_MS, PATH_MS / last);
  return (
    <g class="overlay" ref={layer} data-stepping={still ? "" : undefined} data-comparing={comparing ? "" : undefined}>
      {[...graph.boldPaths.value].map(([key, { d, back }]) => {
        const edge = edges.get(key);
        return (
          <path
            key={key}
            class="run"
            d={d}
            pathLength={still ? undefined : 1}
            style={{ animationDelay: `${Math.round((edge?.order ?? 0) * pace)}ms` }}
            data-run={key}
            data-side={edge?.side}
            data-stray={edge?.declared === false ? "" : undefined}
            {...{ [back ? "marker-start" : "marker-end"]: `url(#arrow-${edge?.declared === false ? "stray" : "run"})` }}
          />
        );
      })}
    </g>
  );
}
