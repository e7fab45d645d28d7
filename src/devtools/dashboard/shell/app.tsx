/**
 * The page: header, graph above, workbench below (lists, editor, detail), both borders movable.
 */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Compare } from "../compare/view.tsx";
import { Dialogs } from "./dialogs.tsx";
import { Editor } from "../request/editor.tsx";
import { Graph } from "../graph/graph.tsx";
import { Icon } from "../page/icons.tsx";
import { store } from "../store/browser.ts";
import { Lists } from "./lists.tsx";
import { NodePanel } from "../node/panel.tsx";
import { Response } from "../request/response.tsx";
import { listenForKeys } from "./shortcuts.ts";
import { RunActions } from "../runs/run-actions.tsx";
import { recall, remember } from "../page/storage.ts";
import { Timeline } from "../timeline/view.tsx";
import { Splitter, Tabs } from "../page/widgets.tsx";

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

function isSizes(value: unknown): value is Sizes {
  return (
    typeof value === "object" &&
    value !== null &&
    "graph" in value &&
    "list" in value &&
    typeof value.graph === "number" &&
    typeof value.list === "number"
  );
}

/** Everything. */
export function App(): JSX.Element {
  const [sizes, setSizes] = useState(() => recall(() => localStorage, SIZES_KEY, { graph: 0.52, list: 300 }, isSizes));
  const [height, setHeight] = useState(innerHeight);
  useEffect(() => {
    const measure = (): void => setHeight(innerHeight);
    addEventListener("resize", measure);
    const release = listenForKeys();
    return () => {
      removeEventListener("resize", measure);
      release();
    };
  }, []);
  const resize = (change: Partial<Sizes>): void => {
    const next = { ...sizes, ...change };
    setSizes(next);
    remember(() => localStorage, SIZES_KEY, next);
  };
  const bottom = Math.round(Math.max(HEADER + 130, Math.min(height - 200, sizes.graph * height)));
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
          onChange={(value) => resize({ graph: value / height })}
        />
      </main>
      <section
        class="bench"
        aria-label="Workbench"
        style={{ gridTemplateColumns: `${sizes.list}px 6px minmax(0, 1fr)` }}
      >
        <Lists />
        <Splitter
          label="Width of the list"
          axis="x"
          value={sizes.list}
          min={200}
          max={560}
          onChange={(list) => resize({ list })}
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

function Header(): JSX.Element {
  const { online, theme } = store;
  const live = online.value === null ? "connecting" : online.value ? "live" : "offline, retrying";
  return (
    <header class="top">
      <h1>
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
          <path d="M4 9h4.5M8.500 9 13 4.500M8.500 9 13 13.500" />
          <circle cx="3.500" cy="9" r="2.500" />
          <circle cx="14" cy="4" r="2.500" />
          <circle cx="14" cy="14" r="2.500" />
        </svg>
        framework <span>devtools</span>
      </h1>
      <span class="pill">development only</span>
      <span class="grow" />
      <span class="live" data-live={live} role="status">
        {live}
      </span>
      <button
        type="button"
        class="palette-button"
        onClick={() => (store.dialog.value = "palette")}
        aria-keyshortcuts="Control+K Meta+K"
      >
        Go to<kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Help"
        title="Keys"
        onClick={() => (store.dialog.value = "help")}
      >
        <Icon name="help" />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Theme"
        title={`Switch to the ${theme.value === "dark" ? "light" : "dark"} theme`}
        onClick={() => store.setTheme(theme.value === "dark" ? "light" : "dark")}
      >
        <Icon name={theme.value === "dark" ? "moon" : "sun"} />
      </button>
    </header>
  );
}

function Banners(): JSX.Element | null {
  const { failure, notice, loaded } = store;
  if (failure.value !== null) {
    return (
      <div class="banner" role="alert">
        The application does not answer ({failure.value}).{" "}
        {loaded.value ? "The last data stays below." : "Start it, then retry."}
        <button type="button" onClick={() => void store.load()}>
          Retry
        </button>
      </div>
    );
  }
  if (notice.value === null) return null;
  return (
    <div class="banner mild" role="alert">
      {notice.value}
      <button type="button" onClick={() => (store.notice.value = null)}>
        Dismiss
      </button>
    </div>
  );
}

const PANELS = {
  response: () => <Response />,
  timeline: () => <Timeline />,
  node: () => <NodePanel />,
  compare: () => <Compare />,
};

function Detail(): JSX.Element {
  const tab = store.detail.value;
  const section = useRef<HTMLElement>(null);
  const sent = store.exchangeId.value;
  useEffect(() => {
    const [detail, work] = [section.current, section.current?.parentElement];
    if (sent === null || innerWidth > STACKED || !detail || !work) return;
    work.scrollTop += detail.getBoundingClientRect().top - work.getBoundingClientRect().top;
  }, [sent]);
  const marks = `${store.markedA.value === null ? "" : "A"}${store.markedB.value === null ? "" : "B"}`;
  const bean = store.bean.value === null ? undefined : store.beans.value.get(store.bean.value)?.name;
  return (
    <section class="detail" aria-label="Run" ref={section}>
      <h2 class="sr">Run</h2>
      <Tabs
        label="Run"
        value={tab}
        onChange={(value) => {
          store.detail.value = value;
        }}
        items={[
          { id: "response", label: "Response" },
          {
            id: "timeline",
            label: "Timeline",
            extra: store.trace.value === null ? undefined : String(store.trace.value.calls.length),
          },
          { id: "node", label: "Node", extra: bean },
          { id: "compare", label: "Compare", extra: marks === "" ? undefined : marks },
        ]}
      >
        <RunActions />
      </Tabs>
      <div class="detail-body" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {PANELS[tab]()}
      </div>
    </section>
  );
}
