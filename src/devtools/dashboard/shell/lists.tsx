/**
 * The left column: the application's routes, or the runs.
 */

import type { JSX } from "preact";
import { Tabs } from "../page/widgets.tsx";
import { Routes } from "../request/routes.tsx";
import { drafts } from "../request/page-request.ts";
import { History } from "../runs/history-list.tsx";
import { application, panels } from "../store/page-store.ts";

/** Tabs and the list of the chosen one. */
export function Lists(): JSX.Element {
  const tab = panels.list.value;
  return (
    <div class="lists">
      <Tabs
        label="Requests and history"
        value={tab}
        onChange={(value) => {
          panels.list.value = value;
        }}
        items={[
          { id: "requests", label: "Requests", extra: String(application.routes.value.length) },
          { id: "history", label: "History", extra: String(application.traces.value.length) },
        ]}
      />
      <div class="list-panel" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`}>
        {tab === "requests" ? <Routes /> : <History onEdit={drafts.editRun} />}
      </div>
    </div>
  );
}
