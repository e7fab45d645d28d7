/** Kept runs that are lost or made up, and figures that are not theirs. */
import type { RequirementId } from "../../spec/requirements.ts";
import {
  aggregatesPath,
  devtoolsHealthPath,
  devtoolsMetricsPath,
  historyPath,
  runsPath,
  searchPath,
  sessionsPath,
  startupPath,
} from "../kit/devtools.ts";
import { breaks, editHeader, editObject, type Mutant } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

type Body = Readonly<Record<string, unknown>>;

function spoils(name: string, kills: readonly RequirementId[], path: string, change: Rewrite): Mutant {
  return breaks(name, kills, (exchange) => (exchange.sent.path === path ? change(exchange) : exchange));
}

const body =
  (change: (body: Body) => object): Rewrite =>
  (exchange) =>
    editObject(exchange, change);

/** Each item of a list within the body changed, or left out. */
const items = (name: string, change: (item: Body, at: number) => Body | undefined): Rewrite =>
  body((whole) => ({
    ...whole,
    [name]: (whole[name] as readonly Body[]).map(change).filter((item) => item !== undefined),
  }));

/** Of one run: what is asked for behind the path. */
const ofRun = (name: string, change: Rewrite): Mutant =>
  breaks(name, ["HISTORY-004"], (exchange) => (exchange.sent.path.startsWith(runsPath) ? change(exchange) : exchange));

const beansOf = (change: (beans: readonly Body[]) => readonly Body[]): Rewrite =>
  body(({ current, ...rest }) => {
    const start = current as Body;
    return { ...rest, current: { ...start, beans: change(start["beans"] as readonly Body[]) } };
  });

/** The mutants of this chapter. */
export const history = [
  spoils("sessions-are-accepted", ["HISTORY-002"], sessionsPath, (exchange) => ({ ...exchange, status: 202 })),
  spoils("sessions-in-plain-text", ["HISTORY-002"], sessionsPath, (exchange) =>
    editHeader(exchange, "Content-Type", "text/plain"),
  ),
  spoils(
    "sessions-know-nobody-running",
    ["HISTORY-002"],
    sessionsPath,
    items("sessions", (one) => ({ ...one, current: false })),
  ),
  spoils(
    "sessions-count-no-runs",
    ["HISTORY-002"],
    sessionsPath,
    items("sessions", (one) => ({ ...one, runs: 0 })),
  ),
  spoils(
    "sessions-oldest-last",
    ["HISTORY-002"],
    sessionsPath,
    body((whole) => {
      const [first] = whole["sessions"] as readonly Body[];
      const older = (startedAt: number): Body => ({ ...first, instance: `x${startedAt}`, current: false, startedAt });
      return { ...whole, sessions: [first, older(1), older(2)] };
    }),
  ),
  spoils("history-is-accepted", ["HISTORY-003"], historyPath, (exchange) =>
    exchange.status === 200 ? { ...exchange, status: 202 } : exchange,
  ),
  spoils("history-goes-on-nowhere", ["HISTORY-003"], historyPath, (exchange) =>
    exchange.status === 200 ? editObject(exchange, (whole) => ({ ...whole, next: "x.1" })) : exchange,
  ),
  ofRun(
    "runs-are-others",
    body((run) => (run["sequence"] === undefined ? run : { ...run, path: "/users/h004-other" })),
  ),
  ofRun("runs-are-made-up", (exchange) => ({ ...exchange, status: 200 })),
  ofRun("runs-without-a-problem", (exchange) =>
    exchange.status === 404 ? editHeader(exchange, "Content-Type", "application/json") : exchange,
  ),
  spoils(
    "aggregates-count-half",
    ["HISTORY-014"],
    aggregatesPath,
    items("routes", (one) => ({ ...one, count: 1 })),
  ),
  spoils(
    "aggregates-see-no-error",
    ["HISTORY-014"],
    aggregatesPath,
    items("routes", (one) => ({ ...one, errors: 0 })),
  ),
  spoils(
    "aggregates-take-the-slowest-for-the-median",
    ["HISTORY-014"],
    aggregatesPath,
    items("routes", (one) => ({ ...one, p50Us: Number(one["maxUs"]) + 1 })),
  ),
  spoils(
    "aggregates-name-no-runs",
    ["HISTORY-014"],
    aggregatesPath,
    items("routes", (one) => ({ ...one, runs: [] })),
  ),
  spoils(
    "aggregates-forget-a-bean",
    ["HISTORY-014"],
    aggregatesPath,
    items("beans", (one, at) => (at === 0 ? undefined : one)),
  ),
  spoils(
    "aggregates-time-no-bean",
    ["HISTORY-014"],
    aggregatesPath,
    items("beans", (one) => ({ ...one, p95Us: Number(one["p95Us"]) + 1 })),
  ),
  spoils(
    "start-forgets-a-bean",
    ["HISTORY-015"],
    startupPath,
    beansOf((beans) => beans.slice(1)),
  ),
  spoils(
    "start-backwards",
    ["HISTORY-015"],
    startupPath,
    beansOf((beans) => beans.map((bean, at) => ({ ...bean, startUs: beans.length - at }))),
  ),
  spoils(
    "start-without-parents",
    ["HISTORY-015"],
    startupPath,
    beansOf((beans) => beans.map((bean) => ({ ...bean, parent: null }))),
  ),
  spoils(
    "start-with-others-parents",
    ["HISTORY-015"],
    startupPath,
    beansOf((beans) => beans.map((bean) => ({ ...bean, parent: bean["parent"] ?? "Mailer" }))),
  ),
  spoils(
    "start-never-ends",
    ["HISTORY-015"],
    startupPath,
    beansOf((beans) => beans.map((bean) => ({ ...bean, durationUs: null }))),
  ),
  spoils(
    "metrics-are-not-shown",
    ["HISTORY-018"],
    devtoolsMetricsPath,
    body(() => ({ metrics: null, reason: "none" })),
  ),
  spoils(
    "metrics-come-with-a-reason-for-their-absence",
    ["HISTORY-018"],
    devtoolsMetricsPath,
    body((whole) => ({ ...whole, reason: "none" })),
  ),
  spoils(
    "metrics-count-twice",
    ["HISTORY-018"],
    devtoolsMetricsPath,
    body(({ metrics, ...rest }) => {
      const { routes, ...others } = metrics as { readonly routes: readonly Body[] };
      return {
        ...rest,
        metrics: { ...others, routes: routes.map((one) => ({ ...one, count: Number(one["count"]) + 1 })) },
      };
    }),
  ),
  spoils(
    "health-is-not-shown",
    ["HISTORY-019"],
    devtoolsHealthPath,
    body(() => ({ health: null, reason: "none", checks: [] })),
  ),
  spoils(
    "health-gives-no-reason",
    ["HISTORY-019"],
    devtoolsHealthPath,
    items("checks", ({ error: _, ...one }) => one),
  ),
  spoils(
    "health-is-always-up",
    ["HISTORY-019"],
    devtoolsHealthPath,
    body((whole) => ({ ...whole, health: { status: "UP", checks: { db: "UP", disk: "UP" } } })),
  ),
  ...[historyPath, searchPath].map((path) =>
    breaks(`${path.slice(path.lastIndexOf("/") + 1)}-takes-any-limit`, ["HISTORY-023"], (exchange) =>
      exchange.sent.path === path && /limit=(?:0|101|x)/.test(exchange.sent.target)
        ? { ...exchange, status: 200 }
        : exchange,
    ),
  ),
];
