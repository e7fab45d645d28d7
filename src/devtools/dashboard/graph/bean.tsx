/**
 * One bean in the graph. It computes its own state, so that a selection re-renders only changed beans.
 */

import { computed } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { spentText, type KindSpent } from "../../run/spent.ts";
import { IconPath } from "../page/icons.tsx";
import { nameIn, placesIn, stripePath } from "../../run/graph/bean-box.ts";
import { pillWidth, wordsOf, wordsOfHeat } from "./bean-view.ts";
import { HOTTEST } from "./scene.ts";
import { fillWidth } from "./run-time.ts";
import { BEAN_HEIGHT } from "../../run/graph/geometry.ts";
import type { PlacedBean } from "../../run/graph/shapes.ts";
import { graph, scene } from "./page-graph.ts";

/** The box, stripe, icon and name of a bean, and on a path its count and total time. */
export function GraphNode(props: { readonly id: string; readonly at: PlacedBean | undefined }): JSX.Element | null {
  const { id, at } = props;
  const view = useMemo(() => computed(() => graph.viewOf(id)), [id]).value;
  const marks = useMarks(id);
  const spent = useMemo(() => computed(() => graph.times.value?.beans.get(id)), [id]).value;
  const below = useMemo(() => computed(() => graph.below.value.get(id)), [id]).value ?? [];
  const hot = useMemo(() => computed(() => scene.live.value?.heat.value.get(id)), [id]).value;
  const bean = scene.beans.value.get(id);
  const trailed = marks["data-trail"];
  if (!at || !bean) return null;
  const { pill, line, said } = hot ? wordsOfHeat(hot) : wordsOf(view, bean);
  const place = placesIn(at);
  const lines = nameIn(bean.name, at);
  const run = "run" in view ? view.run : undefined;
  const room = at.width - place.stripe - 2;
  const fill = hot ? (room * hot.level) / HOTTEST : run && spent ? fillWidth(spent, room) : 0;
  return (
    <g
      class="node"
      data-bean={id}
      data-state={view.state}
      data-side={"change" in view ? view.change.side : undefined}
      data-stereotype={bean.stereotype}
      data-threw={run?.threw || (hot && hot.errors > 0) ? "" : undefined}
      data-failed={run?.failed ? "" : undefined}
      data-heat={hot?.level}
      data-critical={run && spent?.isCritical === true ? "" : undefined}
      {...marks}
      transform={`translate(${at.x} ${at.y})`}
      onClick={() => scene.open(id)}
    >
      <g
        class="handle"
        role="button"
        tabindex={-1}
        aria-current={marks["data-selected"] === "" ? "true" : undefined}
        aria-label={`${bean.name}, ${bean.stereotype}${said}${below.map((one) => `, ${spentText(one)}`).join("")}${trailed ? `, ${trailed}. with the value` : ""}`}
      >
        <rect class="box" width={at.width} height={at.height} rx="8" />
        {fill > 0 && <rect class="fill" x={place.stripe} y="1.5" width={fill} height={at.height - 3} rx="4" />}
        <path class="stripe" d={stripePath(at)} />
        <IconPath class="glyph" of={bean.stereotype} x={place.icon} y={at.height / 2 - 8} />
        <text
          class="name"
          aria-hidden="true"
          x={place.text}
          y={lines.length === 1 && line === undefined ? at.height / 2 : place.name}
        >
          {lines.map((words, i) => (
            <tspan x={place.text} y={i === 0 ? undefined : place.rest}>
              {words}
            </tspan>
          ))}
        </text>
      </g>
      {line !== undefined && (
        <text
          class="time"
          aria-hidden="true"
          x={run || hot ? at.width - 9 : place.text}
          y={place.line}
          text-anchor={run || hot ? "end" : undefined}
        >
          {line}
        </text>
      )}
      {below.length > 0 && view.state === "path" && <Below kinds={below} at={at} from={place.line} />}
      {!bean.traceable && <IconPath class="unrecorded" of="unrecorded" x={at.width - 20} y={5} scale={0.8} />}
      {pill !== undefined && (
        <g class="count" aria-hidden="true" transform={pillPlace(at, pill, (run ?? hot) !== undefined)}>
          <rect width={pillWidth(pill)} height={place.pillHeight} rx={place.pillHeight / 2} />
          <text x={pillWidth(pill) / 2} y={place.pillHeight / 2 + 0.5}>
            {pill}
          </text>
        </g>
      )}
      <TrailNumber of={id} x={0} y={0} />
    </g>
  );
}

/** The number of a bean or of the entry on the trail of a value, at its corner. */
export function TrailNumber(props: {
  readonly of: string;
  readonly x: number;
  readonly y: number;
}): JSX.Element | null {
  const number = useMemo(() => computed(() => scene.numbers.value.get(props.of)), [props.of]).value;
  if (number === undefined) return null;
  return (
    <g class="trail-number" transform={`translate(${props.x} ${props.y})`} aria-hidden="true">
      <circle r="10" />
      <text>{number}</text>
    </g>
  );
}

/** The place of a pill: at the corner for a bean that threw, and where the count of a comparison has room. */
function pillPlace(at: PlacedBean, pill: string, isRun: boolean): string {
  const place = placesIn(at);
  return isRun
    ? `translate(${at.width + 7 - pillWidth(pill)} ${-place.pillHeight / 2})`
    : `translate(${place.pillEnd - pillWidth(pill)} ${place.pill})`;
}

/** The leaves of the bean's calls: the kind that took longest, and if room is short, only its icon. */
function Below(props: {
  readonly kinds: readonly KindSpent[];
  readonly at: PlacedBean;
  readonly from: number;
}): JSX.Element | null {
  const { kinds, at } = props;
  const [most] = kinds.toSorted((a, b) => b.totalUs - a.totalUs);
  if (!most) return null;
  const said = kinds.map(spentText).join(" · ");
  const isRoomy = at.height === BEAN_HEIGHT;
  const words = kinds.length === 1 ? spentText(most) : `${spentText(most)} +${kinds.length - 1}`;
  const width = words.length * 7.3 + 10;
  return (
    <g class="below" data-kind={most.kind} aria-hidden="true">
      <title>{said}</title>
      {isRoomy ? (
        <g transform={`translate(34 ${at.height - 4})`}>
          <rect width={width} height="16" rx="8" />
          <text x={width / 2} y="8.5">
            {words}
          </text>
        </g>
      ) : (
        <IconPath class="kind" of={most.kind} x={placesIn(at).text} y={props.from - 6} scale={0.75} />
      )}
    </g>
  );
}

/** Whether the bean is selected, found by a search, on the trail of a value, or the one of the current step. */
function useMarks(id: string) {
  const mark = (isMarked: () => boolean): "" | undefined =>
    useMemo(() => computed(isMarked), [id]).value ? "" : undefined;
  return {
    "data-selected": mark(() => scene.bean.value === id),
    "data-found": mark(() => graph.isFound(id)),
    "data-trail": useMemo(() => computed(() => scene.numbers.value.get(id)), [id]).value,
    "data-current": mark(() => scene.path.value?.steps[(scene.step.value ?? 0) - 1]?.call.bean === id),
  } as const;
}
