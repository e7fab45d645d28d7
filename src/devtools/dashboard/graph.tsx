/**
 * The bean graph: the still picture in one SVG, the animated path of a run in a second one above it.
 *
 *   layout + selection ──▶ nodes, edges (data-state) │ run path ──▶ overlay (data-run)
 *
 * One tab stop; arrows walk dependencies and layers (graph-keys.ts). The camera moves without re-rendering.
 */

import { computed } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { createCameraman } from "./cameraman.ts";
import type { Cameraman } from "./cameraman.ts";
import { beanSize, PILL, placeEntry } from "./geometry.ts";
import { graphKey } from "./graph-keys.ts";
import { GraphNode } from "./graph-node.tsx";
import { GraphFooter, GraphTools, Legend } from "./graph-tools.tsx";
import { store } from "./instance.ts";
import { layout } from "./layout.ts";
import { edgeKey, ENTRY } from "./path.ts";
import { Empty } from "./widgets.tsx";

/** The picture of the beans that are shown. */
export const picture = computed(() =>
  layout(store.shown.value, store.graph.value.edges, (id) => beanSize(store.beans.value.get(id))),
);
/** The entry pill of the selected route. */
export const entry = computed(() => placeEntry(picture.value, store.entries.value));

/** The upper zone. */
export function Graph(): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const still = useRef<SVGGElement>(null);
  const moving = useRef<SVGGElement>(null);
  const camera = useRef<Cameraman>(null);
  const method = store.trace.value?.method ?? store.route.value?.method;
  useEffect(() => {
    if (host.current === null || still.current === null || moving.current === null) return undefined;
    const man = createCameraman(host.current, [still.current, moving.current]);
    camera.current = man;
    return () => man.stop();
  }, []);
  const fit = (all = false): void => {
    const ids = all
      ? picture.value.beans.keys()
      : (store.reach.value?.size ?? 0) > 0
        ? (store.reach.value ?? [])
        : picture.value.beans.keys();
    camera.current?.fit(picture.value, ids, entry.value);
  };
  useEffect(() => fit(), [picture.value, store.reach.value]);
  const show = (id: string): void => camera.current?.reveal(picture.value.beans.get(id));
  return (
    <div class="graph-zone">
      <div
        class="graph"
        ref={host}
        role="group"
        tabIndex={0}
        aria-label="Bean dependency graph. Arrow keys move along dependencies, Enter opens a bean, F fits the route, 0 fits everything."
        data-method={method}
        onKeyDown={(event) =>
          graphKey(event, picture.value, { fit, show, zoom: (factor) => camera.current?.zoom(factor) })
        }
      >
        <svg class="still" width="100%" height="100%">
          <Arrows />
          <g ref={still}>
            <Edges />
            <EntryPill />
            <g>
              {store.shown.value.map((id) => (
                <GraphNode key={id} id={id} at={picture.value.beans.get(id)} />
              ))}
            </g>
          </g>
        </svg>
        <svg class="moving" width="100%" height="100%" aria-hidden="true">
          <g ref={moving}>
            <Overlay key={`${store.traceId.value} ${store.replays.value}`} />
          </g>
        </svg>
        {store.loaded.value && store.graph.value.nodes.length === 0 && (
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
  const reach = store.reach.value;
  const path = store.shownPath.value;
  return (
    <g class="edges">
      {picture.value.edges.map((edge) => {
        const key = edgeKey(edge.from, edge.to);
        const near = reach !== null && reach.has(edge.from) && reach.has(edge.to);
        const state = path?.edges.has(key)
          ? "path"
          : reach === null || reach.size === 0
            ? "idle"
            : near
              ? "reach"
              : "dim";
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
  const place = entry.value;
  const route = store.route.value;
  if (place === null || route === null) return null;
  const sent = store.trace.value !== null;
  return (
    <g class="entry" data-method={route.method} data-state={sent ? "path" : "reach"} aria-hidden="true">
      {!sent &&
        place.edges.map(({ bean, d }) => <path key={bean} class="entry-edge" d={d} marker-end="url(#arrow-run)" />)}
      <rect x={place.x} y={place.y} width={PILL.width} height={PILL.height} rx={PILL.height / 2} />
      <text x={place.x + PILL.width / 2} y={place.y + PILL.height / 2}>
        {route.method}
      </text>
    </g>
  );
}

/** A gentle curve for a call along no declared dependency. */
function strayPath(from: string, to: string): string | undefined {
  const [a, b] = [picture.value.beans.get(from), picture.value.beans.get(to)];
  const pill = entry.value;
  if (b === undefined) return undefined;
  const [x1, y1] =
    a === undefined
      ? [(pill?.x ?? -148) + PILL.width, (pill?.y ?? b.y) + PILL.height / 2]
      : [a.x + a.width, a.y + a.height / 2];
  const bend = Math.max(40, Math.abs(b.x - x1) / 2);
  return `M${x1},${y1}C${x1 + bend},${y1} ${b.x - bend},${b.y + b.height / 2} ${b.x},${b.y + b.height / 2}`;
}

/** The path of the selected run, in bold; marches for three seconds, then stands still. */
function Overlay(): JSX.Element | null {
  const layer = useRef<SVGGElement>(null);
  const path = store.shownPath.value;
  useEffect(() => {
    const timer = setTimeout(() => layer.current?.setAttribute("data-still", ""), 3_200);
    return () => clearTimeout(timer);
  }, []);
  const drawn = useMemo(
    () => new Map([...picture.value.edges.map((e) => [edgeKey(e.from, e.to), e] as const)]),
    [picture.value],
  );
  if (path === null) return null;
  const toEntry = new Map(entry.value?.edges.map((e) => [e.bean, e.d]));
  return (
    <g class="overlay" ref={layer} data-stepping={store.step.value === null ? undefined : ""}>
      {[...path.edges.values()].map((edge) => {
        const key = edgeKey(edge.from, edge.to);
        const own = drawn.get(key);
        const d =
          edge.from === ENTRY
            ? (toEntry.get(edge.to) ?? strayPath(edge.from, edge.to))
            : (own?.d ?? strayPath(edge.from, edge.to));
        if (d === undefined) return null;
        const delay = { animationDelay: `${Math.min(edge.order * 70, 1_400)}ms, 0ms` };
        return (
          <path
            key={key}
            class="run"
            d={d}
            style={delay}
            data-run={key}
            data-stray={edge.declared ? undefined : ""}
            {...(own?.back ? { "marker-start": "url(#arrow-run)" } : { "marker-end": "url(#arrow-run)" })}
          />
        );
      })}
    </g>
  );
}
