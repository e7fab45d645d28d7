/**
 * The page: header, graph above, workbench below (lists, editor, detail), both borders movable.
 */

import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Graph } from "../graph/graph.tsx";
import { isNumber, isRecord } from "../../run/values.ts";
import { remembered } from "../page/storage.ts";
import { Splitter, Tabs } from "../page/widgets.tsx";
import { ReplayAction } from "../replay/view.tsx";
import { Editor } from "../request/editor.tsx";
import { RunActions } from "../runs/run-actions.tsx";
import { panels, selection } from "../store/page-store.ts";
import type { DetailTab } from "../store/panels.ts";
import { useSlice } from "../store/slice.ts";
import { Dialogs } from "./dialogs.tsx";
import { Banners, Header } from "./header.tsx";
import { listenForKeys } from "./page-keys.ts";
import { followLocation } from "./link.ts";
import { Lists } from "./lists.tsx";
import { tabs } from "./tabs.tsx";

const SIZES_KEY = "framework-dev.sizes";
const HEADER = 44;
/** At and below this width, editor and detail are below each other. */
const STACKED = 1020;

interface Sizes {
  /** Share of the window's height. */
  readonly graph: number;
  /** Width in pixels. */
  readonly list: number;
}

const isSizes = (value: unknown): value is Sizes =>
  isRecord(value) && isNumber(value["graph"]) && isNumber(value["list"]);

const sizes = remembered(() => localStorage, SIZES_KEY, { graph: 0.52, list: 300 }, isSizes);

/** Everything. */
export function App(): JSX.Element {
  const [height, setHeight] = useState(innerHeight);
  useLayoutEffect(() => {
    const measure = (): void => setHeight(innerHeight);
    addEventListener("resize", measure);
    const releases = [listenForKeys(useSlice), followLocation(useSlice)];
    return () => {
      removeEventListener("resize", measure);
      for (const release of releases) release();
    };
  }, []);
  const { graph, list } = sizes.value;
  const bottom = Math.round(Math.max(HEADER + 130, Math.min(height - 200, graph * height)));
  return (
    <div class="app" style={{ gridTemplateRows: `${HEADER}px ${bottom - HEADER + 6}px minmax(0, 1fr)` }}>
      <Header />
      <main class="graph-main" aria-label="Bean graph">
        <Banners />
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
      <Dialogs />
    </div>
  );
}

function Detail(): JSX.Element {
  const tab = panels.detail.value;
  const section = useRef<HTMLElement>(null);
  const sent = selection.exchangeId.value;
  useLayoutEffect(() => {
    const [detail, work] = [section.current, section.current?.parentElement];
    if (sent === null || innerWidth > STACKED || !detail || !work) return;
    work.scrollTop += detail.getBoundingClientRect().top - work.getBoundingClientRect().top;
  }, [sent]);
  return (
    <section class="detail" aria-label="Run" ref={section}>
      <h2 class="sr">Run</h2>
      <Tabs
        label="Run"
        value={tab}
        onChange={(value) => {
          panels.detail.value = value;
        }}
        items={(Object.keys(tabs) as DetailTab[])
          .filter((id) => tabs[id].isShown?.() !== false)
          .map((id) => ({ id, label: tabs[id].label, extra: tabs[id].extra?.() }))}
      >
        <RunActions>
          <ReplayAction />
        </RunActions>
      </Tabs>
      <div class="detail-body" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tabs[tab].view()}
      </div>
    </section>
  );
}
