/**
 * The left column: the application's routes, or the runs (history-view.tsx).
 */

import type { JSX } from "preact";
import { History } from "../runs/history-list.tsx";
import { store } from "../store/browser.ts";
import { MethodSelect, onListKey, Path } from "../page/list-parts.tsx";
import { Empty, Method, Tabs } from "../page/widgets.tsx";
import { routeKey } from "../store/keys.ts";

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
