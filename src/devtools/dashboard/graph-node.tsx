/**
 * One bean in the graph. Its state is computed for itself, so that a selection re-renders only what changed.
 */

import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { count, duration } from "./format.ts";
import { StereotypePath, UnrecordedPath } from "./icons.tsx";
import { store } from "./instance.ts";
import type { PlacedBean } from "./layout.ts";
import type { PathBean } from "./path.ts";

type View = "reach" | "dim" | "idle" | PathBean;

function viewOf(id: string): View {
  const onPath = store.shownPath.value?.beans.get(id);
  if (onPath !== undefined) return onPath;
  const reach = store.reach.value;
  if (reach === null || reach.size === 0) return "idle";
  return reach.has(id) ? "reach" : "dim";
}

/** The box, stripe, icon and name of a bean, and on a path its count and total time. */
export function GraphNode({
  id,
  at,
}: {
  readonly id: string;
  readonly at: PlacedBean | undefined;
}): JSX.Element | null {
  const view = useComputed(() => viewOf(id)).value;
  const selected = useComputed(() => store.bean.value === id).value;
  const found = useComputed(
    () => store.find.value.trim() !== "" && id.toLowerCase().includes(store.find.value.trim().toLowerCase()),
  ).value;
  const current = useComputed(
    () => store.step.value !== null && store.path.value?.steps[store.step.value - 1]?.call.bean === id,
  ).value;
  const bean = store.beans.value.get(id);
  if (at === undefined || bean === undefined) return null;
  const run = typeof view === "string" ? undefined : view;
  const recorded = run?.recorded === true;
  const note =
    run === undefined
      ? bean.traceable
        ? ""
        : ", not traceable"
      : recorded
        ? `, called ${run.count === 1 ? "once" : count(run.count, "time")}, ${duration(run.totalUs)}${run.threw ? ", threw" : ""}`
        : ", on the path, not recorded";
  const badge = run?.threw ? `! ${run.count}×` : `${run?.count}×`;
  const badgeWidth = badge.length * 7 + 12;
  const nameY = run === undefined ? at.height / 2 : 16;
  return (
    <g
      class="node"
      data-bean={id}
      data-state={run === undefined ? view : "path"}
      data-stereotype={bean.stereotype}
      data-threw={run?.threw ? "" : undefined}
      data-failed={run?.failed ? "" : undefined}
      data-recorded={run !== undefined && !recorded ? "false" : undefined}
      data-found={found ? "" : undefined}
      data-current={current ? "" : undefined}
      data-selected={selected ? "" : undefined}
      transform={`translate(${at.x} ${at.y})`}
      onClick={() => store.selectBean(id)}
    >
      <g
        class="handle"
        role="button"
        tabindex={-1}
        aria-current={selected ? "true" : undefined}
        aria-label={`${bean.name}, ${bean.stereotype}${note}`}
      >
        <rect class="box" width={at.width} height={at.height} rx="8" />
        <path class="stripe" d={`M8,0H30V${at.height}H8a8,8 0 0 1 -8,-8V8a8,8 0 0 1 8,-8z`} />
        <StereotypePath of={bean.stereotype} x={7} y={at.height / 2 - 8} />
        <text class="name" aria-hidden="true" x="42" y={nameY}>
          {bean.name}
        </text>
      </g>
      {run !== undefined && (
        <text class="time" aria-hidden="true" x="42" y="32">
          {recorded ? duration(run.totalUs) : "not recorded"}
        </text>
      )}
      {!bean.traceable && <UnrecordedPath x={at.width - 20} y={6} />}
      {recorded && (
        <g class="count" aria-hidden="true" transform={`translate(${at.width - badgeWidth + 8} -9)`}>
          <rect width={badgeWidth} height="18" rx="9" />
          <text x={badgeWidth / 2} y="9.5">
            {badge}
          </text>
        </g>
      )}
    </g>
  );
}
