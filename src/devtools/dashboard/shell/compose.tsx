/**
 * Compose: the graph above, and below it the lists, the editor and the run, with movable borders.
 */

import type { JSX } from "preact";
import { Graph } from "../graph/graph.tsx";
import { isNumber, isRecord } from "../../run/values.ts";
import { clamp } from "../../run/format.ts";
import { remembered } from "../page/storage.ts";
import { Splitter } from "../page/widgets.tsx";
import { Editor } from "../request/editor.tsx";
import { Detail } from "./detail.tsx";
import { Lists } from "./lists.tsx";
import { HEADER, useWindow } from "./window.ts";

const SIZES_KEY = "framework-dev.sizes";

interface Sizes {
  /** Share of the window's height. */
  readonly graph: number;
  /** Width in pixels. */
  readonly list: number;
}

const isSizes = (value: unknown): value is Sizes =>
  isRecord(value) && isNumber(value["graph"]) && isNumber(value["list"]);

const sizes = remembered(() => localStorage, SIZES_KEY, { graph: 0.52, list: 300 }, isSizes);

/** The place to write requests. */
export function Compose(): JSX.Element {
  const { height } = useWindow();
  const { graph, list } = sizes.value;
  const bottom = Math.round(clamp(graph * height, HEADER + 130, Math.max(HEADER + 130, height - 200)));
  return (
    <div class="compose" style={{ gridTemplateRows: `${bottom - HEADER + 6}px minmax(0, 1fr)` }}>
      <main class="graph-main" aria-label="Bean graph">
        <Graph />
        <Splitter
          label="Height of the graph"
          axis="y"
          value={bottom}
          min={HEADER + 130}
          max={height - 200}
          onChange={(value) => (sizes.value = { graph: value / height, list })}
        />
      </main>
      <section class="bench" aria-label="Workbench" style={{ gridTemplateColumns: `${list}px 6px minmax(0, 1fr)` }}>
        <Lists />
        <Splitter
          label="Width of the list"
          axis="x"
          value={list}
          min={200}
          max={560}
          onChange={(value) => (sizes.value = { graph, list: value })}
        />
        <div class="work">
          <Editor />
          <Detail />
        </div>
      </section>
    </div>
  );
}
