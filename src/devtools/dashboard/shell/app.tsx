/**
 * The page: header, graph above, workbench below (lists, editor, detail), both borders movable.
 */

import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { comparison } from "../compare/page-comparison.ts";
import { Compare } from "../compare/view.tsx";
import { Graph } from "../graph/graph.tsx";
import { Logs } from "../leaves/logs.tsx";
import { NodePanel } from "../node/panel.tsx";
import { isNumber, isRecord } from "../page/guards.ts";
import { remembered } from "../page/storage.ts";
import { Splitter, Tabs } from "../page/widgets.tsx";
import { Panels } from "../plugins/view.tsx";
import { ReplayAction, ReplayOutcome } from "../replay/view.tsx";
import { Editor } from "../request/editor.tsx";
import { Response } from "../request/response.tsx";
import { RunRequest } from "../request/run-request.tsx";
import { RunActions } from "../runs/run-actions.tsx";
import { application, panels, selection } from "../store/page-store.ts";
import { useSlice } from "../store/slice.ts";
import { AppFacts } from "../app/view.tsx";
import { Timeline } from "../timeline/view.tsx";
import { Dialogs } from "./dialogs.tsx";
import { Banners, Header } from "./header.tsx";
import { listenForKeys } from "./page-keys.ts";
import { followLocation } from "./link.ts";
import { Lists } from "./lists.tsx";

const SIZES_KEY = "framework-dev.sizes";
const HEADER = 44;
/** At and below this width editor and detail stand below each other. */
const STACKED = 1020;

interface Sizes {
  /** Share of the window's height. */
  readonly graph: number;
  /** Width in pixels. */
  readonly list: number;
}

const isSizes = (value: unknown): value is Sizes =>
  isRecord(value) && isNumber(value["graph"]) && isNumber(value["list"]);

/** How the page is divided. */
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

const PANELS = {
  response: () => <Response />,
  request: () => <RunRequest />,
  timeline: () => <Timeline />,
  logs: () => <Logs />,
  node: () => <NodePanel />,
  compare: () => (
    <>
      <ReplayOutcome />
      <Compare />
    </>
  ),
  app: () => <AppFacts />,
  panels: () => <Panels />,
};

function Detail(): JSX.Element {
  const shown = application.panels.value.length;
  const tab = panels.detail.value;
  const section = useRef<HTMLElement>(null);
  const sent = selection.exchangeId.value;
  useLayoutEffect(() => {
    const [detail, work] = [section.current, section.current?.parentElement];
    if (sent === null || innerWidth > STACKED || !detail || !work) return;
    work.scrollTop += detail.getBoundingClientRect().top - work.getBoundingClientRect().top;
  }, [sent]);
  const marks = `${comparison.markedA.value ? "A" : ""}${comparison.markedB.value ? "B" : ""}`;
  const logs = selection.whole.value?.leaves.filter(({ kind }) => kind === "log").length ?? 0;
  const bean = selection.bean.value === null ? undefined : selection.beans.value.get(selection.bean.value)?.name;
  return (
    <section class="detail" aria-label="Run" ref={section}>
      <h2 class="sr">Run</h2>
      <Tabs
        label="Run"
        value={tab}
        onChange={(value) => {
          panels.detail.value = value;
        }}
        items={[
          { id: "response", label: "Response" },
          { id: "request", label: "Request" },
          {
            id: "timeline",
            label: "Timeline",
            extra: selection.whole.value ? String(selection.whole.value.calls.length) : undefined,
          },
          { id: "logs", label: "Logs", extra: logs === 0 ? undefined : String(logs) },
          { id: "node", label: "Node", extra: bean },
          { id: "compare", label: "Compare", extra: marks ? marks : undefined },
          { id: "app", label: "App" },
          ...(shown === 0 ? [] : [{ id: "panels" as const, label: "Panels", extra: String(shown) }]),
        ]}
      >
        <RunActions>
          <ReplayAction />
        </RunActions>
      </Tabs>
      <div class="detail-body" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {PANELS[tab]()}
      </div>
    </section>
  );
}
