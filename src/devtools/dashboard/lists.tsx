/**
 * The left column: the application's routes, and the runs.
 */

import type { JSX } from "preact";
import { routeKey } from "./editor-model.ts";
import { clock, duration } from "./format.ts";
import { ANY_RUN, totalSeen, traceKey } from "./history.ts";
import type { HistoryFilter } from "./history.ts";
import { Icon } from "./icons.tsx";
import { store } from "./instance.ts";
import { Empty, Method, Status, Tabs } from "./widgets.tsx";

/** Tabs and the list of the chosen one. */
export function Lists(): JSX.Element {
  const tab = store.list.value;
  return (
    <div class="lists">
      <Tabs
        label="Requests and history"
        value={tab}
        onChange={(value) => {
          store.list.value = value;
        }}
        items={[
          { id: "requests", label: "Requests", extra: String(store.routes.value.length) },
          { id: "history", label: "History", extra: String(store.traces.value.length) },
        ]}
      />
      <div class="list-panel" role="tabpanel" id={`panel-${tab}`} aria-labelledby={`tab-${tab}`}>
        {tab === "requests" ? <Routes /> : <History />}
      </div>
    </div>
  );
}

/** A path that gives way in the middle, so that its telling end stays readable. */
function Path({ text }: { readonly text: string }): JSX.Element {
  const segments = text.split("/");
  const tail = segments.length > 3 ? `/${segments.slice(-2).join("/")}` : "";
  return (
    <code class="path">
      <span>{tail === "" ? text : segments.slice(0, -2).join("/")}</span>
      {tail !== "" && <span class="tail">{tail}</span>}
    </code>
  );
}

function MethodSelect(props: {
  readonly value: string;
  readonly methods: readonly string[];
  readonly onChange: (value: string) => void;
}): JSX.Element {
  return (
    <select aria-label="Method" value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
      <option value="">Method</option>
      {[...new Set(props.methods)].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

/** Moves in a listbox by keys. */
function onListKey<T>(items: readonly T[], at: number, choose: (item: T) => void): (event: KeyboardEvent) => void {
  return (event) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    const item = to === undefined ? undefined : items[Math.max(0, Math.min(items.length - 1, to))];
    if (item === undefined || event.target !== event.currentTarget) return;
    event.preventDefault();
    choose(item);
    const list = event.currentTarget;
    if (list instanceof Element)
      requestAnimationFrame(() => list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" }));
  };
}

function Routes(): JSX.Element {
  const { text, method } = store.routeFilter.value;
  const wanted = text.trim().toLowerCase();
  const all = store.routes.value;
  const routes = all.filter(
    (r) => (method === "" || r.method === method) && routeKey(r).toLowerCase().includes(wanted),
  );
  const at = routes.findIndex((r) => routeKey(r) === store.routeId.value);
  return (
    <>
      <div class="filters">
        <input
          type="search"
          aria-label="Filter routes"
          placeholder="Filter"
          value={text}
          onInput={(event) => (store.routeFilter.value = { text: event.currentTarget.value, method })}
        />
        <MethodSelect
          value={method}
          methods={all.map((r) => r.method)}
          onChange={(value) => (store.routeFilter.value = { text, method: value })}
        />
      </div>
      <ul
        class="list"
        role="listbox"
        aria-label="Routes"
        tabIndex={0}
        aria-activedescendant={at < 0 ? undefined : `route-${at}`}
        onKeyDown={onListKey(routes, at, (r) => store.selectRoute(routeKey(r)))}
      >
        {routes.map((route, i) => (
          <li
            key={routeKey(route)}
            id={`route-${i}`}
            role="option"
            aria-selected={i === at}
            data-route={routeKey(route)}
            title={routeKey(route)}
            onClick={() => store.selectRoute(routeKey(route))}
          >
            <Method name={route.method} />
            <Path text={route.path} />
          </li>
        ))}
      </ul>
      {store.loaded.value && all.length === 0 && (
        <Empty title="No routes">Register a route, for example app.get("/hello", …), then reload.</Empty>
      )}
      {all.length > 0 && routes.length === 0 && (
        <Empty title="No route matches">Change the filter to see all {all.length}.</Empty>
      )}
    </>
  );
}

function HistoryFilters(): JSX.Element {
  const filter = store.historyFilter.value;
  const set = (change: Partial<HistoryFilter>): void => {
    store.historyFilter.value = { ...filter, ...change };
  };
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
      </div>
      <div class="filters counts">
        <span>
          {store.history.value.length} of {Math.max(totalSeen(store.traces.value), store.traces.value.length)} kept
        </span>
        <button
          type="button"
          class="quiet"
          aria-pressed={store.paused.value}
          onClick={() => store.setPaused(!store.paused.value)}
        >
          {store.paused.value ? `Resume (${store.waiting.value})` : "Pause"}
        </button>
        <button type="button" class="quiet" onClick={() => store.clearHistory()}>
          Clear
        </button>
      </div>
    </>
  );
}

function History(): JSX.Element {
  const runs = store.history.value;
  const at = runs.findIndex((t) => traceKey(t) === store.traceId.value);
  const filtered = store.historyFilter.value !== ANY_RUN && store.traces.value.length > 0;
  return (
    <>
      <HistoryFilters />
      <ul
        class="list"
        role="listbox"
        aria-label="Runs"
        tabIndex={0}
        aria-activedescendant={at < 0 ? undefined : `run-${at}`}
        onKeyDown={onListKey(runs, at, (t) => store.selectTrace(t))}
      >
        {runs.map((trace, i) => {
          const key = traceKey(trace);
          const pinned = store.pinned.value.has(key);
          const mine = trace.correlationId !== null && store.mine.value.has(trace.correlationId);
          return (
            <li
              key={key}
              id={`run-${i}`}
              role="option"
              aria-selected={i === at}
              data-trace={key}
              data-mine={mine ? "" : undefined}
              title={`${trace.method} ${trace.path}, ${clock(trace.startedAt)}${mine ? ", sent from this page" : ""}`}
              onClick={() => store.selectTrace(trace)}
            >
              <Method name={trace.method} />
              <Path text={trace.path} />
              {pinned && <Icon name="pin" />}
              <Status code={trace.status} />
              <span class="time">{duration(trace.durationUs)}</span>
            </li>
          );
        })}
      </ul>
      {runs.length === 0 && (
        <Empty title={filtered ? "No run matches" : "No runs yet"}>
          {filtered ? "Change the filters to see the others." : "Send a request, or let traffic arrive."}
        </Empty>
      )}
    </>
  );
}
