/**
 * The actions of the selected run: mark it for comparison, pin it, save it to a file, export it in another form.
 */

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { saveFile } from "../page/download.ts";
import { onKeys } from "../page/on-keys.ts";
import { CopyButton, Failure, IconButton } from "../page/widgets.tsx";
import type { Answers } from "../../run/analyses.ts";
import { messageOf, traceKey } from "../../run/format.ts";
import { selection } from "../store/page-store.ts";
import { runFileName } from "../../run/run-file.ts";
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
      <Export name={runFileName(trace, ".otlp")} />
    </div>
  );
}

/** Other forms of the run. They are requested when the menu opens, since a browser lets a page copy only within a click. */
function Export({ name }: { readonly name: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [forms, setForms] = useState<Answers["forms"] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const whole = selection.whole.value;
  useEffect(() => {
    let isLast = true;
    setForms(null);
    setFailure(null);
    if (isOpen && whole)
      runFiles.formsOf(whole).then(
        (found) => isLast && setForms(found),
        (error: unknown) => isLast && setFailure(messageOf(error)),
      );
    return () => void (isLast = false);
  }, [isOpen, whole]);
  return (
    <details
      class="export"
      onToggle={(event) => setOpen(event.currentTarget.open)}
      onKeyDown={closeByKey}
      onFocusOut={closeOutside}
    >
      <summary class="icon-button quiet" title="Other forms of this run" aria-label="Export">
        …
      </summary>
      <div>
        <Failure reason={failure} />
        {forms && (
          <>
            <CopyButton label="Copy as Markdown" text={() => forms.markdown} />
            <button
              type="button"
              class="quiet"
              title="Spans of OpenTelemetry, as JSON"
              onClick={() => saveFile(name, "application/json", forms.otlp)}
            >
              Save as OTLP
            </button>
          </>
        )}
      </div>
    </details>
  );
}

function closeByKey(event: KeyboardEvent): void {
  const { currentTarget: details } = event;
  if (!(details instanceof HTMLDetailsElement) || !details.open) return;
  const close = (): void => {
    details.open = false;
    details.querySelector("summary")?.focus();
  };
  onKeys({ Escape: close })(event);
}

/** Closes the forms of a run when the focus goes elsewhere. */
function closeOutside({ currentTarget, relatedTarget }: FocusEvent): void {
  const isElsewhere =
    relatedTarget instanceof Node && currentTarget instanceof Node && !currentTarget.contains(relatedTarget);
  if (isElsewhere && currentTarget instanceof HTMLDetailsElement) currentTarget.open = false;
}
