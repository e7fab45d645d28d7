/**
 * History: the runs of this page and live traffic, newest first, filtered.
 */

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import type { Trace } from "../../wire.ts";
import { clock, count, duration } from "../page/format.ts";
import { ANY_RUN, totalSeen } from "./history.ts";
import type { HistoryFilter } from "./history.ts";
import { Icon } from "../page/icons.tsx";
import { store } from "../store/browser.ts";
import { MethodSelect, onListKey, Path } from "../page/list-parts.tsx";
import { Empty, Method, Status } from "../page/widgets.tsx";
import { traceKey } from "../store/keys.ts";

const set = (change: Partial<HistoryFilter>): void => {
  store.historyFilter.value = { ...store.historyFilter.value, ...change };
};

/** The History tab. */
export function History(): JSX.Element {
  const runs = store.history.value;
  const at = runs.findIndex((t) => traceKey(t) === store.traceId.value);
  const filtered = store.historyFilter.value !== ANY_RUN && store.traces.value.length > 0;
  const move = onListKey(runs, at, (t) => store.selectTrace(t));
  return (
    <>
      <Filters />
      <Choices />
      <Counts />
      <ul
        class="list"
        role="listbox"
        aria-label="Runs"
        aria-keyshortcuts="A B P E"
        tabIndex={0}
        aria-activedescendant={at < 0 ? undefined : `run-${at}`}
        onKeyDown={(event) => {
          move(event);
          actOnRun(event, runs[at]);
        }}
      >
        {runs.map((trace, i) => (
          <Run key={traceKey(trace)} trace={trace} index={i} selected={i === at} />
        ))}
      </ul>
      {runs.length === 0 && (
        <Empty title={filtered ? "No run matches" : "No runs yet"}>
          {filtered ? "Change the filters to see the others." : "Send a request, or let traffic arrive."}
        </Empty>
      )}
    </>
  );
}

/** Keys for the selected run: mark it as A or B, pin it, edit and resend it. */
function actOnRun(event: KeyboardEvent, trace: Trace | undefined): void {
  if (trace === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const acts: Readonly<Record<string, () => void>> = {
    a: () => store.mark("a", trace),
    b: () => store.mark("b", trace),
    p: () => store.togglePin(traceKey(trace)),
    e: () => store.editRun(trace),
  };
  const act = acts[event.key];
  if (act === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  act();
}

function Run(props: { readonly trace: Trace; readonly index: number; readonly selected: boolean }): JSX.Element {
  const { trace } = props;
  const key = traceKey(trace);
  const { a, b } = store.marks.value;
  const mine = trace.correlationId !== null && store.mine.value.has(trace.correlationId);
  const from = store.opened.value.has(key) ? ", from a file" : mine ? ", sent from this page" : "";
  return (
    <li
      id={`run-${props.index}`}
      role="option"
      aria-selected={props.selected}
      data-trace={key}
      data-mine={mine ? "" : undefined}
      title={`${trace.method} ${trace.path}, ${clock(trace.startedAt)}${from}`}
      onClick={() => store.selectTrace(trace)}
    >
      <Method name={trace.method} />
      <Path text={trace.path} />
      {key === a && <b class="mark">A</b>}
      {key === b && <b class="mark">B</b>}
      {store.opened.value.has(key) && <Icon name="file" />}
      {store.pinned.value.has(key) && <Icon name="pin" />}
      <Status code={trace.status} />
      <span class="time">{duration(trace.durationUs)}</span>
    </li>
  );
}

function Filters(): JSX.Element {
  const filter = store.historyFilter.value;
  return (
    <>
      <div class="filters">
        <input
          type="search"
          aria-label="Filter runs"
          placeholder="Path, argument, result"
          value={filter.text}
          onInput={(event) => set({ text: event.currentTarget.value })}
        />
        <MethodSelect
          value={filter.method}
          methods={store.traces.value.map((t) => t.method)}
          onChange={(method) => set({ method })}
        />
      </div>
      <div class="filters">
        <select
          aria-label="Status"
          value={filter.status}
          onChange={(event) => set({ status: event.currentTarget.value })}
        >
          <option value="">Status</option>
          {["2", "3", "4", "5"].map((digit) => (
            <option key={digit} value={digit}>
              {digit}xx
            </option>
          ))}
        </select>
        <select
          aria-label="Duration"
          value={filter.minUs}
          onChange={(event) => set({ minUs: Number(event.currentTarget.value) })}
        >
          <option value={0}>Time</option>
          {[1, 10, 100, 1_000].map((ms) => (
            <option key={ms} value={ms * 1_000}>
              ≥ {ms < 1_000 ? `${ms} ms` : "1 s"}
            </option>
          ))}
        </select>
        <BeanSelect value={filter.bean} />
      </div>
    </>
  );
}

function BeanSelect({ value }: { readonly value: string }): JSX.Element {
  const ids = [...new Set(store.traces.value.flatMap((t) => t.calls.map((call) => call.bean)))].sort();
  return (
    <select class="wide" aria-label="Bean" value={value} onChange={(event) => set({ bean: event.currentTarget.value })}>
      <option value="">Bean</option>
      {(value === "" || ids.includes(value) ? ids : [value, ...ids]).map((id) => (
        <option key={id} value={id}>
          {store.beans.value.get(id)?.name ?? id}
        </option>
      ))}
    </select>
  );
}

function Choices(): JSX.Element {
  const filter = store.historyFilter.value;
  const file = useRef<HTMLInputElement>(null);
  return (
    <div class="filters">
      <button
        type="button"
        class="quiet"
        aria-pressed={filter.onlyErrors}
        onClick={() => set({ onlyErrors: !filter.onlyErrors })}
      >
        Errors
      </button>
      <button
        type="button"
        class="quiet"
        aria-pressed={filter.onlyMine}
        onClick={() => set({ onlyMine: !filter.onlyMine })}
      >
        Mine
      </button>
      <span class="grow" />
      <button
        type="button"
        class="quiet"
        aria-pressed={store.paused.value}
        onClick={() => store.setPaused(!store.paused.value)}
      >
        {store.paused.value ? `Resume (${store.waiting.value})` : "Pause"}
      </button>
      <button
        type="button"
        class="quiet"
        title="Takes away all but pinned runs and runs from files"
        onClick={() => store.clearHistory()}
      >
        Clear
      </button>
      <button
        type="button"
        class="quiet"
        aria-label="Load run"
        title="Load a run that was saved as a file"
        onClick={() => file.current?.click()}
      >
        Load
      </button>
      <input
        ref={file}
        type="file"
        class="hidden"
        accept="application/json,.json"
        aria-label="Run file"
        tabIndex={-1}
        onChange={(event) => {
          const [chosen] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (chosen !== undefined) void store.openRun(chosen);
        }}
      />
    </div>
  );
}

function Counts(): JSX.Element {
  const [shown, kept] = [store.history.value.length, store.traces.value.length];
  const total = Math.max(totalSeen(store.traces.value), kept);
  const missed = store.missed.value;
  return (
    <p class="counts" role="status">
      {shown < kept && `${shown} shown · `}
      {kept} of {total} kept
      {store.online.value === false &&
        store.failure.value === null &&
        " · Live traffic is not arriving: the stream was cut or refused. Trying again; Send works all the same."}
      {missed > 0 && ` · ${count(missed, "run")} went by while the page was not listening`}
    </p>
  );
}
