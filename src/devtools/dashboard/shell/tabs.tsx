/**
 * The tabs of a run: the name of each, the text next to it, and its content.
 */

import type { JSX } from "preact";
import { AppFacts } from "../app/view.tsx";
import { comparison } from "../compare/page-comparison.ts";
import { Compare } from "../compare/view.tsx";
import { Logs } from "../leaves/logs.tsx";
import { NodePanel } from "../node/panel.tsx";
import { Panels } from "../plugins/view.tsx";
import { ReplayOutcome } from "../replay/view.tsx";
import { Response } from "../request/response.tsx";
import { RunRequest } from "../request/run-request.tsx";
import type { DetailTab } from "../store/panels.ts";
import { application, selection } from "../store/page-store.ts";
import { Timeline } from "../timeline/view.tsx";
import { Why } from "../why/view.tsx";

interface Tab {
  readonly label: string;
  /** Next to the name, empty for nothing. */
  readonly extra?: () => string;
  /** Whether it is there; true by default. */
  readonly isShown?: () => boolean;
  readonly view: () => JSX.Element;
}

const lines = (): number => selection.whole.value?.leaves.filter(({ kind }) => kind === "log").length ?? 0;
const marks = (): string => `${comparison.markedA.value ? "A" : ""}${comparison.markedB.value ? "B" : ""}`;
const beanName = (): string => selection.beans.value.get(selection.bean.value ?? "")?.name ?? "";
const numberOf = (value: number): string => (value === 0 ? "" : String(value));

/** Each tab; `detailTabs` has their order. */
export const tabs: Readonly<Record<DetailTab, Tab>> = {
  why: { label: "Why", view: () => <Why /> },
  response: { label: "Response", view: () => <Response /> },
  request: { label: "Request", view: () => <RunRequest /> },
  timeline: {
    label: "Timeline",
    extra: () => String(selection.whole.value?.calls.length ?? ""),
    view: () => <Timeline />,
  },
  logs: { label: "Logs", extra: () => numberOf(lines()), view: () => <Logs /> },
  node: { label: "Bean", extra: beanName, view: () => <NodePanel /> },
  compare: {
    label: "Compare",
    extra: marks,
    view: () => (
      <>
        <ReplayOutcome />
        <Compare />
      </>
    ),
  },
  app: { label: "App", view: () => <AppFacts /> },
  panels: {
    label: "Panels",
    extra: () => numberOf(application.panels.value.length),
    isShown: () => application.panels.value.length > 0,
    view: () => <Panels />,
  },
};
