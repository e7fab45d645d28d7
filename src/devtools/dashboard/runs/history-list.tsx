/**
 * History: the runs of this page and live traffic, newest first, filtered.
 */

import type { JSX } from "preact";
import type { Trace } from "../../run/shapes.ts";
import { clock, count, duration, shownPath, traceKey } from "../../run/format.ts";
import { MethodSelect, onListKey, Path } from "../page/list-parts.tsx";
import { Empty, FileButton, Method, Select, Status } from "../page/widgets.tsx";
import { application, selection } from "../store/page-store.ts";
import { EarlierRuns } from "./earlier-list.tsx";
import { totalSeen } from "./history.ts";
import { InFlightList } from "./in-flight-list.tsx";
import { SearchField, SearchNotes } from "./search-field.tsx";
import { history, kept, runFiles } from "./page-runs.ts";
import { runKeys } from "./run-keys.ts";
import { RunMarks } from "./run-marks.tsx";
import { PauseButton, RunToggles } from "./run-toggles.tsx";

/** The History tab. */
export function History(props: { readonly onEdit: (trace: Trace) => void }): JSX.Element {
  const runs = history.shown.value;
  const at = runs.findIndex((t) => traceKey(t) === selection.traceId.value);
  const filtered = !history.showsAll.value && application.traces.value.length > 0;
  const move = onListKey(runs, at, (t) => selection.selectTrace(t));
  return (
    <>
      <Filters />
      <Choices />
      <Counts />
      <InFlightList />
      <ul
        class="list"
        role="listbox"
        aria-label="Runs"
        aria-keyshortcuts="A B P E"
        tabIndex={0}
        aria-activedescendant={at < 0 ? undefined : `run-${at}`}
        onKeyDown={(event) => {
          move(event);
          const trace = runs[at];
          if (trace) runKeys(trace, props.onEdit)(event);
        }}
      >
        {runs.map((trace, i) => (
          <Run key={traceKey(trace)} trace={trace} index={i} selected={i === at} />
        ))}
      </ul>
      {runs.length === 0 && (
        <Empty title={filtered ? "No run matches" : "No runs yet"}>
          {filtered ? "Change the filters." : "Send a request, or let traffic arrive."}
        </Empty>
      )}
      <EarlierRuns />
    </>
  );
}

function Run(props: { readonly trace: Trace; readonly index: number; readonly selected: boolean }): JSX.Element {
  const { trace } = props;
  const key = traceKey(trace);
  const mine = trace.correlationId !== null && history.mine.value.has(trace.correlationId);
  const from = application.opened.value.has(key) ? ", from a file" : mine ? ", sent from this page" : "";
  return (
    <li
      id={`run-${props.index}`}
      role="option"
      aria-selected={props.selected}
      data-trace={key}
      data-mine={mine ? "" : undefined}
      title={`${trace.method} ${shownPath(trace.path)}, ${clock(trace.startedAt)}${from}`}
      onClick={() => selection.selectTrace(trace)}
    >
      <Method name={trace.method} />
      <Path text={trace.path} />
      {trace.event && <small class="muted">{trace.event}</small>}
      <RunMarks trace={trace} />
      <Status code={trace.status} of={trace.kind} />
      <span class="time">{duration(trace.durationUs)}</span>
    </li>
  );
}

const STATUSES = [["", "Status"], ...["2", "3", "4", "5"].map((digit) => [digit, `${digit}xx`] as const)] as const;
const DURATIONS = [
  [0, "Time"],
  [1_000, "≥ 1 ms"],
  [10_000, "≥ 10 ms"],
  [100_000, "≥ 100 ms"],
  [1_000_000, "≥ 1 s"],
] as const;

function Filters(): JSX.Element {
  const { setFilter } = history;
  const filter = history.filter.value;
  return (
    <>
      <div class="filters">
        <SearchField />
      </div>
      <SearchNotes />
      <div class="filters">
        <MethodSelect
          value={filter.method}
          methods={application.traces.value.map((t) => t.method)}
          onChange={(method) => setFilter({ method })}
        />
        <Select label="Status" options={STATUSES} value={filter.status} onChange={(status) => setFilter({ status })} />
        <Select
          label="Duration"
          options={DURATIONS}
          value={filter.minUs}
          onChange={(least) => setFilter({ minUs: Number(least) })}
        />
        <BeanSelect value={filter.bean} />
        {filter.between && (
          <button type="button" class="quiet" title="The brush of Lanes" onClick={() => setFilter({ between: null })}>
            Only {filter.between.map(clock).join(" to ")} ×
          </button>
        )}
      </div>
    </>
  );
}

function BeanSelect({ value }: { readonly value: string }): JSX.Element {
  const { setFilter } = history;
  const ids = [...new Set(application.traces.value.flatMap((t) => t.calls.map((call) => call.bean)))].sort();
  const listed = !value || ids.includes(value) ? ids : [value, ...ids];
  return (
    <Select
      label="Bean"
      more={{ class: "wide" }}
      options={[["", "Bean"], ...listed.map((id) => [id, selection.beanName(id)] as const)]}
      value={value}
      onChange={(bean) => setFilter({ bean })}
    />
  );
}

function Choices(): JSX.Element {
  return (
    <div class="filters">
      <RunToggles />
      <span class="grow" />
      <PauseButton />
      <button
        type="button"
        class="quiet"
        title="Removes all but pinned runs and runs from files"
        onClick={() => kept.clear()}
      >
        Clear
      </button>
      <FileButton
        label="Load"
        field="Run file"
        accept="application/json,.json"
        more={{ "aria-label": "Load run", title: "Load a run that was saved as a file" }}
        onChoose={([chosen]) => {
          if (chosen) void runFiles.openRun(chosen);
        }}
      />
    </div>
  );
}

function Counts(): JSX.Element {
  const missed = kept.missed.value;
  const [shown, held] = [history.shown.value.length, application.traces.value.length];
  const total = Math.max(totalSeen(application.traces.value), held);
  return (
    <p class="counts" role="status">
      {shown < held && `${shown} shown · `}
      {held} of {total} kept
      {application.online.value === false &&
        application.failure.value === null &&
        " · Live traffic is not arriving; trying again."}
      {missed > 0 && ` · ${count(missed, "run")} went by unseen`}
    </p>
  );
}
