/**
 * The App tab: statistics of the kept runs, the application's jobs, its start, its metrics and its health.
 */

import type { JSX } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { HealthView, MetricsView, StartUp, StartUpView } from "../../run/shapes.ts";
import { clock, count, duration } from "../../run/format.ts";
import { Failure, Table } from "../page/widgets.tsx";
import { day } from "../runs/earlier.ts";
import { earlier } from "../runs/page-runs.ts";
import { selection } from "../store/page-store.ts";
import { useSlice } from "../store/slice.ts";
import { factsSlice } from "./facts.ts";
import { Jobs } from "./jobs.tsx";
import { beanRows, routeRows, sorted, type Column, type SumRow } from "./table.ts";

const facts = useSlice(factsSlice);

/** Everything, read when the tab opens. */
export function AppFacts(): JSX.Element {
  const { aggregates, startUp, metrics, health, jobs, failure, load, follow } = facts;
  useLayoutEffect(follow, []);
  const sums = aggregates.value;
  return (
    <div class="app-facts">
      <Failure reason={failure.value} />
      {jobs.value && <Jobs {...jobs.value} />}
      <h3>
        Kept runs
        <button type="button" class="quiet" onClick={() => void load()}>
          Read again
        </button>
      </h3>
      {sums && (
        <>
          <p class="muted">
            {count(sums.count, "run")}
            {sums.since !== null && ` since ${day(sums.since)}`}
          </p>
          <Sums label="Routes" of="Runs" rows={routeRows(sums)} />
          <Sums label="Beans" of="Calls" rows={beanRows(sums)} />
        </>
      )}
      {startUp.value && <Starts {...startUp.value} />}
      {health.value && <Health {...health.value} />}
      {metrics.value && <Metrics {...metrics.value} />}
    </div>
  );
}

function Sums(props: { readonly label: string; readonly of: string; readonly rows: readonly SumRow[] }): JSX.Element {
  const [by, sortBy] = useState<Column>("count");
  const [opened, open] = useState<string | null>(null);
  const columns: readonly (readonly [column: Column, title: string])[] = [
    ["name", props.label],
    ["count", props.of],
    ["errors", "Errors"],
    ["p50Us", "Median"],
    ["p95Us", "p95"],
  ];
  return (
    <table class="panel-table sums" aria-label={props.label}>
      <thead>
        <tr>
          {columns.map(([column, title]) => (
            <th
              key={column}
              scope="col"
              class={column === "name" ? undefined : "num"}
              aria-sort={by !== column ? undefined : column === "name" ? "ascending" : "descending"}
            >
              <button type="button" class="link" onClick={() => sortBy(column)}>
                {title}
              </button>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {sorted(props.rows, by).map((row) => (
          <Sum
            key={row.name}
            row={row}
            isOpen={row.name === opened}
            onToggle={() => open(row.name === opened ? null : row.name)}
          />
        ))}
      </tbody>
    </table>
  );
}

function Sum(props: { readonly row: SumRow; readonly isOpen: boolean; readonly onToggle: () => void }): JSX.Element {
  const { traceId } = selection;
  const { row, isOpen, onToggle } = props;
  return (
    <>
      <tr>
        <th scope="row">
          <button type="button" class="link" aria-expanded={isOpen} onClick={onToggle}>
            {row.name}
          </button>
        </th>
        <td class="num">{row.count}</td>
        <td class={row.errors > 0 ? "num bad" : "num"}>{row.errors}</td>
        <td class="num">{duration(row.p50Us)}</td>
        <td class="num">{duration(row.p95Us)}</td>
      </tr>
      {isOpen && (
        <tr>
          <td class="behind" colSpan={5}>
            Latest runs:{" "}
            {row.runs.map((key) => (
              <button
                key={key}
                type="button"
                class="quiet"
                data-run-key={key}
                title={key}
                aria-current={traceId.value === key ? "true" : undefined}
                onClick={() => void earlier.open(key)}
              >
                {key.slice(0, 4)}.{key.split(".").at(-1)}
              </button>
            ))}
          </td>
        </tr>
      )}
    </>
  );
}

function Starts({ current, failed }: StartUpView): JSX.Element {
  return (
    <>
      <h3>Start</h3>
      {failed && (
        <div class="notice error">
          <b>The start of {day(failed.startedAt)} failed.</b> {failed.error?.name}: {failed.error?.message}
          {failed.chain.length > 0 && <p>At {failed.chain.join(" → ")}</p>}
          {failed.notBuilt.length > 0 && <p>Not made: {failed.notBuilt.join(", ")}</p>}
          <Start start={failed} label="Failed start" />
        </div>
      )}
      {current ? (
        <Start start={current} label="Start" />
      ) : (
        <p class="hint">The beans were made without the recorder.</p>
      )}
    </>
  );
}

/** Beans and listeners, in the order of their starts, over the time of the whole start. */
function Start({ start, label }: { readonly start: StartUp; readonly label: string }): JSX.Element {
  const steps = [
    ...start.beans.map(({ bean, ...more }) => ({ ...more, name: bean })),
    ...start.hooks.map(({ name, ...more }) => ({ ...more, name: `onStart ${name}`, selfUs: null })),
  ].toSorted((a, b) => a.startUs - b.startUs);
  const total = Math.max(1, start.durationUs ?? 0, ...steps.map((step) => step.startUs + (step.durationUs ?? 0)));
  return (
    <>
      <p class="muted">
        {count(start.beans.length, "bean")}
        {start.droppedBeans > 0 && ` and ${start.droppedBeans} more`}, {count(start.hooks.length, "listener")} in{" "}
        {duration(total)}
      </p>
      <Table class="panel-table starts" label={label} head={["Made", "Time", "Own", "When"]} numbers={[1, 2]}>
        {steps.map((step) => (
          <tr>
            <th scope="row">
              {step.name}
              {step.error && <b class="bad"> {step.error.message}</b>}
            </th>
            <td class="num">{step.durationUs === null ? "not over" : duration(step.durationUs)}</td>
            <td class="num">{step.selfUs === null ? "" : duration(step.selfUs)}</td>
            <td>
              <svg width="100%" height="12" role="img" aria-label={`from ${duration(step.startUs)}`}>
                <rect
                  class={step.error ? "bar bad" : "bar"}
                  x={`${Math.min(99.5, (100 * step.startUs) / total)}%`}
                  width={`${Math.max(0.5, (100 * (step.durationUs ?? total - step.startUs)) / total)}%`}
                  height="12"
                />
              </svg>
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function Health({ health, reason, checks }: HealthView): JSX.Element {
  return (
    <>
      <h3>Health{health && <b class={health.status === "UP" ? undefined : "bad"}>{health.status}</b>}</h3>
      {!health && <p class="hint">{reason}</p>}
      <ul class="checks">
        {checks.map(({ name, status, durationUs, checkedAt, error, recent }) => (
          <li key={name}>
            <b class={status === "UP" ? undefined : "bad"}>{status}</b> {name} in {duration(durationUs)} at{" "}
            {clock(checkedAt)}
            {error !== undefined && <>: {error}</>}
            {recent.length > 1 && (
              <span class="muted">
                {" "}
                · down in {recent.filter((one) => one.status !== "UP").length} of the last {recent.length}
              </span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

function Metrics({ metrics, reason }: MetricsView): JSX.Element {
  return (
    <>
      <h3>Metrics</h3>
      {metrics ? (
        <>
          <p class="muted">
            {count(metrics.activeRequests, "request")} under way · since {day(metrics.since)}
          </p>
          <Table label="Metrics" head={["Route", "Requests", "Errors", "Mean", "p95"]} numbers={[1, 2, 3, 4]}>
            {metrics.routes.map(({ method, route, count: requests, errors, durationSeconds: took }) => (
              <tr key={`${method} ${route}`}>
                <th scope="row">
                  {method} {route}
                </th>
                <td class="num">{requests}</td>
                <td class={errors > 0 ? "num bad" : "num"}>{errors}</td>
                <td class="num">{duration(took.mean * 1e6)}</td>
                <td class="num">{duration(took.p95 * 1e6)}</td>
              </tr>
            ))}
          </Table>
        </>
      ) : (
        <p class="hint">{reason}</p>
      )}
    </>
  );
}
