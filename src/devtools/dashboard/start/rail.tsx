/**
 * The lists beside the groups: the slowest routes, the newest errors, and what changed since the last start.
 */

import type { JSX } from "preact";
import { clock, count, duration, shownPath } from "../../run/format.ts";
import { sinceLastStart } from "../../run/overview/starts.ts";
import type { RouteAggregate } from "../../run/shapes.ts";
import { Place } from "../page/error-view.tsx";
import { Quantity } from "../page/quantity.tsx";
import { Failure, Method, Status, Table } from "../page/widgets.tsx";
import { day } from "../runs/earlier.ts";
import { facts, overview } from "./page-overview.ts";

const MOST = { routes: 10, errors: 6, changes: 8 };

/** The three lists. */
export function Rail(): JSX.Element {
  return (
    <div class="rail">
      <Slowest />
      <Errors />
      <Changes />
    </div>
  );
}

function Slowest(): JSX.Element {
  const sums = facts.aggregates.value;
  const routes = (sums?.routes ?? []).filter(({ kind }) => kind === "request").toSorted((a, b) => b.p95Us - a.p95Us);
  const most = routes[0]?.p95Us ?? 1;
  return (
    <section aria-label="Slowest routes">
      <div class="zone-head">
        <h2>Slowest routes</h2>
        <span class="muted">by p95 of the kept runs</span>
        <span class="grow" />
        {routes.length > 0 && (
          <button type="button" class="link" onClick={() => overview.showSums()}>
            All {count(routes.length, "route")}
          </button>
        )}
      </div>
      <Failure reason={facts.failure.value} />
      {routes.length > 0 && (
        <Table head={["Method", "Route", "Runs", "p50", "p95", "Bars"]} numbers={[2, 3, 4]}>
          {routes.slice(0, MOST.routes).map((route) => (
            <SlowRoute key={`${route.method} ${route.route}`} of={route} most={most} />
          ))}
        </Table>
      )}
      {sums && routes.length === 0 && <p class="hint">No request is kept yet.</p>}
      {!sums && facts.failure.value === null && <p class="hint">Reading the runs…</p>}
    </section>
  );
}

const BAR = 44;

function SlowRoute({ of, most }: { readonly of: RouteAggregate; readonly most: number }): JSX.Element {
  const [p50, p95] = [of.p50Us, of.p95Us].map((us) => (BAR * us) / most);
  return (
    <tr>
      <td>
        <Method name={of.method} />
      </td>
      <th scope="row">
        <button type="button" class="link" title="Open its slowest run" onClick={() => void overview.inspectRoute(of)}>
          {of.route === null ? "(no route)" : shownPath(of.route)}
        </button>
      </th>
      <td class="num">{of.count}</td>
      <td class="num">
        <Quantity text={duration(of.p50Us)} />
      </td>
      <td class="num">
        <b>
          <Quantity text={duration(of.p95Us)} />
        </b>
      </td>
      <td>
        <svg width={BAR} height="8" aria-hidden="true">
          <rect y="1" width={p50} height="6" />
          <rect y="3.5" width={p95} height="1.5" />
        </svg>
      </td>
    </tr>
  );
}

function Errors(): JSX.Element {
  const kinds = overview.errors.value;
  const failed = kinds.reduce((sum, one) => sum + one.count, 0);
  return (
    <section aria-label="Newest errors">
      <div class="zone-head">
        <h2>Newest errors</h2>
        <span class="muted">
          {failed === 0 ? "none in the shown runs" : `${count(kinds.length, "kind")}, ${count(failed, "run")}`}
        </span>
      </div>
      <ul>
        {kinds.slice(0, MOST.errors).map(({ message, run, count: n, frame }) => (
          <li key={message} class="error-kind">
            <Status code={run.status} of={run.kind} />
            <button type="button" class="link" title="Open the newest run" onClick={() => overview.inspect(run)}>
              {message}
            </button>
            <span class="muted">
              {n > 1 && `${n}× `}
              {clock(run.startedAt)}
            </span>
            <span class="error-where">
              <Method name={run.method} />
              <code>{shownPath(run.route ?? run.path)}</code>
              {frame && <Place of={frame} />}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Left out if the page did not see the start before this one. */
function Changes(): JSX.Element | null {
  const starts = overview.starts.value;
  const changes = starts && sinceLastStart(starts);
  if (!starts?.previous || !changes) return null;
  return (
    <section aria-label="Since the last start">
      <div class="zone-head">
        <h2>Since the last start</h2>
        <span class="muted">at {day(starts.previous.startedAt)}</span>
      </div>
      {changes.length === 0 && <p class="hint">No bean and no route has changed.</p>}
      <ul>
        {changes.slice(0, MOST.changes).map(([what, name]) => (
          <li key={name} class="change">
            <span class="muted">{what}</span> <b>{name}</b>
          </li>
        ))}
      </ul>
      {changes.length > MOST.changes && <p class="hint">and {changes.length - MOST.changes} more</p>}
    </section>
  );
}
