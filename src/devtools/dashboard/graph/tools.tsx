/**
 * The bars of the graph. Above: the meaning of colours and icons, find, "Only reachable", zoom, files. Below: the state of the
 * graph, the steps of a run, and the meaning of lines (everywhere, bold is called, dotted is only A, dashed is only B).
 */

import type { JSX } from "preact";
import { comparison } from "../compare/page-comparison.ts";
import { runText } from "../../run/spent.ts";
import { count, duration, messageOf } from "../../run/format.ts";
import { Icon } from "../page/icons.tsx";
import { wantsNoMotion } from "../page/motion.ts";
import { IconButton } from "../page/widgets.tsx";
import { stereotypes } from "../../run/graph/tokens.ts";
import { panels, selection, time } from "../store/page-store.ts";
import { saveGraph } from "./export.ts";
import { groupLabel } from "../../run/graph/groups.ts";
import { LINES, LineSample, type LineKind } from "./line-sample.tsx";
import { graph } from "./page-graph.ts";

/** The meaning of icons and colours. */
export function Legend(): JSX.Element {
  return (
    <ul class="legend" aria-label="Stereotypes">
      {stereotypes.map((name) => (
        <li key={name} data-stereotype={name}>
          <i>
            <Icon name={name} />
          </i>
          {name}
        </li>
      ))}
      <li>
        <i class="plain">
          <Icon name="unrecorded" />
        </i>
        not traceable
      </li>
    </ul>
  );
}

const zooms = [
  ["Zoom out", "−", 0.8],
  ["Zoom in", "+", 1.25],
] as const;

/** Find a bean, lay out only reachable ones, fit. */
export function GraphTools(props: {
  readonly onFit: () => void;
  readonly onZoom: (factor: number) => void;
  readonly onFound: (id: string) => void;
}): JSX.Element {
  const save = (as: "svg" | "png"): void => {
    const host = document.querySelector(".graph");
    const below = graph.groups.value.filter((group) => !group.open).map(groupLabel);
    if (!host) return;
    saveGraph(host, selection.routeId.value ?? "beans", below.join("   "), as).catch((error: unknown) => {
      panels.notice.value = messageOf(error);
    });
  };
  const submit = (): void => {
    const [hit] = graph.hits.value;
    if (hit === undefined) return;
    selection.selectBean(hit);
    props.onFound(hit);
  };
  return (
    <div class="graph-tools">
      <input
        id="find"
        type="search"
        aria-label="Find bean"
        placeholder="Find bean  /"
        value={graph.find.value}
        onInput={(event) => {
          graph.find.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") submit();
          if (event.key !== "Escape") return;
          graph.find.value = "";
          document.querySelector<HTMLElement>(".graph")?.focus();
        }}
      />
      <button
        type="button"
        aria-pressed={graph.focused.value}
        disabled={(selection.reach.value?.size ?? 0) === 0}
        onClick={() => graph.toggleOnlyReachable()}
      >
        Only reachable
      </button>
      <span class="joined" role="group" aria-label="Zoom">
        {zooms.map(([name, sign, factor]) => (
          <button
            key={name}
            type="button"
            class="icon-button"
            aria-label={name}
            title={`${name}  ${sign}`}
            onClick={() => props.onZoom(factor)}
          >
            {sign}
          </button>
        ))}
        <button type="button" title="Fit  F" onClick={props.onFit}>
          Fit
        </button>
      </span>
      <span class="joined" role="group" aria-label="Save the graph as a picture">
        <button type="button" onClick={() => save("svg")}>
          SVG
        </button>
        <button type="button" onClick={() => save("png")}>
          PNG
        </button>
      </span>
    </div>
  );
}

function sentence(): string {
  const { graph, route, reach, entries, beanName, path, whole: trace } = selection;
  const { comparing } = comparison;
  if (comparing.value) return "Comparing A and B";
  if (trace.value && path.value) {
    const called = [...path.value.beans.values()].filter((b) => b.recorded).length;
    const dropped =
      trace.value.droppedCalls > 0 ? ` · ${count(trace.value.droppedCalls, "call")} beyond the limit` : "";
    if (called === 0) return "No recorded bean was called in this run.";
    return `${count(called, "bean")} called · ${runText(trace.value)} · ${duration(trace.value.durationUs)}${dropped}`;
  }
  if (!route.value)
    return graph.value.nodes.length === 0
      ? ""
      : `${count(graph.value.nodes.length, "bean")} · pick a route to see what it can reach`;
  if (entries.value.length === 0)
    return "Not known yet where this route enters the graph: send it once, or declare its beans option.";
  return `${count(reach.value?.size ?? 0, "bean")} reachable from ${entries.value.map(beanName).join(", ")} · Send to trace the run`;
}

/** The collapsed beans outside of the path. A click shows these beans one by one, another one collapses them again. */
function Groups(): JSX.Element | null {
  const groups = graph.groups.value;
  if (groups.length === 0) return null;
  return (
    <div class="groups" role="group" aria-label="Not on the path">
      {groups.map((group) => (
        <button
          key={group.stereotype}
          type="button"
          data-group={group.stereotype}
          data-stereotype={group.stereotype}
          data-state={group.reach ? "reach" : "dim"}
          data-found={!group.open && group.members.some(graph.isFound) ? "" : undefined}
          aria-pressed={group.open}
          title={group.open ? "Collapse" : "Show"}
          onClick={() => graph.toggleGroup(group)}
        >
          <Icon name={group.stereotype} />
          {groupLabel(group)}
        </button>
      ))}
    </div>
  );
}

/** The meaning of the lines that the picture can have now. */
export function Lines(): JSX.Element {
  const { boldEdges } = graph;
  const { comparing } = comparison;
  const { trace, method } = selection;
  const kinds: readonly LineKind[] = comparing.value
    ? ["depends", "both", "a", "b"]
    : trace.value
      ? ["depends", "called", "aside"]
      : ["depends"];
  const hasStray = [...boldEdges.value.values()].some((edge) => !edge.declared && edge.from !== edge.to);
  return (
    <ul class="lines" aria-label="Lines" data-method={method.value ?? undefined}>
      {[...kinds, ...(hasStray ? (["undeclared"] as const) : [])].map((kind) => (
        <li key={kind}>
          <LineSample kind={kind} />
          {LINES[kind]}
        </li>
      ))}
    </ul>
  );
}

/** The state of the graph in a sentence, and for a run, its steps. */
export function GraphFooter(props: {
  /** How many beans of the path are out of sight. */
  readonly unseen: number;
  readonly onFurther: () => void;
}): JSX.Element {
  const total = selection.path.value?.steps.length ?? 0;
  const step = selection.step.value;
  const now = step === null || step === 0 ? undefined : selection.path.value?.steps[step - 1]?.call;
  return (
    <div class="graph-footer">
      <p role="status">{now ? `${now.id + 1}. ${selection.beanName(now.bean)}.${now.method}()` : sentence()}</p>
      {total > 0 && !comparison.comparing.value && (
        <div class="steps">
          <IconButton
            icon="back"
            label="Previous call"
            onClick={() => selection.moveStep(-1)}
            aria-disabled={step === 0}
          />
          <span>
            {time.begun.value ?? total} / {total}
          </span>
          <IconButton
            icon="forward"
            label="Next call"
            onClick={() => selection.moveStep(1)}
            aria-disabled={step === null || step === total}
          />
          <IconButton
            icon="replay"
            label="Replay"
            title="Plays the run: graph, timeline and logs follow"
            onClick={() => time.replay(wantsNoMotion())}
          />
        </div>
      )}
      {props.unseen > 0 && (
        <button type="button" class="quiet unseen" onClick={props.onFurther}>
          {count(props.unseen, "bean")} out of sight
        </button>
      )}
      <Groups />
      <Lines />
    </div>
  );
}
