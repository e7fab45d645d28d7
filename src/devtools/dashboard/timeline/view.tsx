/**
 * The Timeline tab: the run over time, as rows or as a flame, with one scale for both.
 */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import type { Trace } from "../../run/shapes.ts";
import { LeafPane } from "../leaves/pane.tsx";
import { runText } from "../../run/spent.ts";
import { Choice, Empty, NoRun } from "../page/widgets.tsx";
import { panels, selection } from "../store/page-store.ts";
import { Flame } from "./flame-view.tsx";
import { Rows } from "./rows.tsx";
import { ScaleTools } from "./ruler.tsx";

const shown = signal<"Rows" | "Flame">("Rows");

/** The tabs that show an open leaf themselves. */
const withLeaf: ReadonlySet<string> = new Set(["why", "logs"]);

/** The Timeline tab. */
export function Timeline(): JSX.Element {
  const trace = selection.whole.value;
  if (!trace) return <NoRun />;
  if (trace.calls.length + trace.leaves.length === 0) return <Nothing trace={trace} />;
  return (
    <div class="timeline-panel">
      <div class="panel-bar">
        <Choice
          label="Show the run as"
          names={["Rows", "Flame"]}
          value={shown.value}
          onChange={(name) => (shown.value = name)}
        />
        <span class="muted run-text">{runText(trace)}</span>
        <ScaleTools />
      </div>
      {shown.value === "Rows" ? <Rows trace={trace} /> : <Flame trace={trace} />}
      {!(panels.place.value === "inspect" && withLeaf.has(panels.detail.value)) && <LeafPane />}
    </div>
  );
}

function Nothing({ trace }: { readonly trace: Trace }): JSX.Element {
  const { unspied, nodes } = selection.graph.value;
  const reached = trace.kind !== undefined || selection.entries.value.length > 0;
  return (
    <Empty title="No recorded calls">
      {unspied.length === nodes.length && nodes.length > 0
        ? "No bean is traceable: the Bean tab of each says why."
        : reached
          ? "This run called no traceable bean."
          : "This run reached no bean."}
    </Empty>
  );
}
