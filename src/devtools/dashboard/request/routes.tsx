/**
 * The routes of the application, to pick one from.
 */

import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { MethodSelect, onListKey, Path } from "../page/list-parts.tsx";
import { Empty, Method } from "../page/widgets.tsx";
import { routeKey } from "../../run/format.ts";
import { application, selection } from "../store/page-store.ts";

/** The filter of the list, kept while another list is open. */
const filter = signal({ text: "", method: "" });

/** The Requests tab. */
export function Routes(): JSX.Element {
  const { text, method } = filter.value;
  const wanted = text.trim().toLowerCase();
  const all = application.routes.value;
  const routes = all.filter(
    (r) => (method === "" || r.method === method) && routeKey(r).toLowerCase().includes(wanted),
  );
  const at = routes.findIndex((r) => routeKey(r) === selection.routeId.value);
  return (
    <>
      <div class="filters">
        <input
          type="search"
          aria-label="Filter routes"
          placeholder="Filter"
          value={text}
          onInput={(event) => (filter.value = { text: event.currentTarget.value, method })}
        />
        <MethodSelect
          value={method}
          methods={all.map((r) => r.method)}
          onChange={(value) => (filter.value = { text, method: value })}
        />
      </div>
      <ul
        class="list"
        role="listbox"
        aria-label="Routes"
        tabIndex={0}
        aria-activedescendant={at < 0 ? undefined : `route-${at}`}
        onKeyDown={onListKey(routes, at, (r) => selection.selectRoute(routeKey(r)))}
      >
        {routes.map((route, i) => (
          <li
            key={routeKey(route)}
            id={`route-${i}`}
            role="option"
            aria-selected={i === at}
            data-route={routeKey(route)}
            data-deprecated={route.contract?.deprecated ? "" : undefined}
            title={[routeKey(route), route.contract?.summary].filter(Boolean).join("\n")}
            onClick={() => selection.selectRoute(routeKey(route))}
          >
            <Method name={route.method} />
            <Path text={routeKey({ ...route, method: "" })} />
            {route.contract?.deprecated && <span class="sr">deprecated</span>}
          </li>
        ))}
      </ul>
      {application.loaded.value && all.length === 0 && (
        <Empty title="No routes">Register a route, for example app.get("/hello", …).</Empty>
      )}
      {all.length > 0 && routes.length === 0 && (
        <Empty title="No route matches">Change the filter to see all {all.length}.</Empty>
      )}
    </>
  );
}
