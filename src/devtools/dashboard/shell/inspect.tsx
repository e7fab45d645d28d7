/**
 * Inspect: the place to read runs. All borders move, and the shares of the zones are remembered.
 *
 *   the request, folded to a line
 *   ─────────────────────────────
 *   graph, down to a strip
 *   ───────────────────┬─────────
 *   runs as a table    │ the run, Why first
 *   ───────────────────┴─────────
 *   timeline, over the full width
 */

import type { JSX } from "preact";
import { Graph } from "../graph/graph.tsx";
import { clamp } from "../../run/format.ts";
import type { Trace } from "../../run/shapes.ts";
import { isNumber, isRecord } from "../../run/values.ts";
import { remembered } from "../page/storage.ts";
import { Splitter } from "../page/widgets.tsx";
import { drafts } from "../request/page-request.ts";
import { RequestLine } from "../request/request-line.tsx";
import { RunTable } from "../runs/run-table.tsx";
import { panels } from "../store/page-store.ts";
import { Timeline } from "../timeline/view.tsx";
import { Detail } from "./detail.tsx";
import { HEADER, useWindow } from "./window.ts";

const SIZES_KEY = "framework-dev.inspect-sizes";
/** The height of the request's line, and of a border. */
const LINE = 38;
const BORDER = 6;

/** Shares of the zones: of the room below the line, and of the window's width. */
interface Sizes {
  readonly graph: number;
  readonly timeline: number;
  readonly runs: number;
}

const isSizes = (value: unknown): value is Sizes =>
  isRecord(value) && isNumber(value["graph"]) && isNumber(value["timeline"]) && isNumber(value["runs"]);

const sizes = remembered(() => localStorage, SIZES_KEY, { graph: 0.235, timeline: 0.32, runs: 0.55 }, isSizes);

/** The least heights of the graph, of the runs and of the timeline, and the least width of the runs and of the run. */
const LEAST = { graph: 64, middle: 120, timeline: 80, runs: 320, detail: 300 };

/** The place to read runs. */
export function Inspect(): JSX.Element {
  const { width, height } = useWindow();
  const room = Math.max(1, height - HEADER - LINE - 2 * BORDER);
  const set = (change: Partial<Sizes>): void => void (sizes.value = { ...sizes.value, ...change });
  const maxTimeline = Math.max(LEAST.timeline, room - LEAST.graph - LEAST.middle);
  const timeline = Math.round(clamp(sizes.value.timeline * room, LEAST.timeline, maxTimeline));
  const maxGraph = Math.max(LEAST.graph, room - timeline - LEAST.middle);
  const graph = Math.round(clamp(sizes.value.graph * room, LEAST.graph, maxGraph));
  const maxRuns = Math.max(LEAST.runs, width - LEAST.detail);
  const runs = Math.round(clamp(sizes.value.runs * width, LEAST.runs, maxRuns));
  const edit = (trace: Trace): void => {
    drafts.editRun(trace);
    panels.place.value = "compose";
  };
  return (
    <main
      class="inspect"
      style={{ gridTemplateRows: `${LINE}px ${graph + BORDER}px minmax(0, 1fr) ${BORDER}px ${timeline}px` }}
    >
      <RequestLine onEdit={() => (panels.place.value = "compose")} />
      <section class="graph-main" aria-label="Bean graph">
        <Graph />
        <Splitter
          label="Height of the graph"
          axis="y"
          value={graph}
          min={LEAST.graph}
          max={maxGraph}
          onChange={(value) => set({ graph: value / room })}
        />
      </section>
      <div class="inspect-middle" style={{ gridTemplateColumns: `${runs}px ${BORDER}px minmax(0, 1fr)` }}>
        <RunTable onEdit={edit} />
        <Splitter
          label="Width of the runs"
          axis="x"
          value={runs}
          min={LEAST.runs}
          max={maxRuns}
          onChange={(value) => set({ runs: value / width })}
        />
        <Detail without={["timeline"]} />
      </div>
      <Splitter
        label="Height of the timeline"
        axis="y"
        value={room - timeline}
        min={room - maxTimeline}
        max={room - LEAST.timeline}
        onChange={(value) => set({ timeline: (room - value) / room })}
      />
      <section class="inspect-timeline" aria-label="Timeline">
        <h2 class="sr">Timeline</h2>
        <Timeline />
      </section>
    </main>
  );
}
