/**
 * The actions of the selected run: mark it for comparison, pin it, save it to a file.
 */

import type { ComponentChildren, JSX } from "preact";
import { saveFile } from "../page/download.ts";
import { IconButton } from "../page/widgets.tsx";
import { traceKey } from "../../run/format.ts";
import { selection } from "../store/page-store.ts";
import { runFileName } from "./run-file.ts";
import { kept, runFiles } from "./page-runs.ts";

/** Shown at the end of the row of tabs, after other rooms' actions of a run; nothing without a run. */
export function RunActions({ children }: { readonly children: ComponentChildren }): JSX.Element | null {
  const trace = selection.trace.value;
  if (!trace) return null;
  const key = traceKey(trace);
  const pinned = kept.pinned.value.has(key);
  return (
    <div class="run-actions" role="group" aria-label="This run">
      {children}
      {(["a", "b"] as const).map((as) => (
        <button
          key={as}
          type="button"
          class="icon-button quiet"
          aria-label={`Compare as ${as.toUpperCase()}`}
          title={`Mark this run as ${as.toUpperCase()}`}
          aria-pressed={selection.marks.value[as] === key}
          onClick={() => selection.mark(as, trace)}
        >
          {as.toUpperCase()}
        </button>
      ))}
      <IconButton
        icon="pin"
        label="Pin"
        isQuiet
        title="Keeps it when others are dropped"
        aria-pressed={pinned}
        onClick={() => kept.togglePin(key)}
      />
      <IconButton
        icon="save"
        label="Save run"
        isQuiet
        title="Save this run as a file"
        onClick={() => saveFile(runFileName(trace), "application/json", runFiles.savedRun() ?? "")}
      />
    </div>
  );
}
