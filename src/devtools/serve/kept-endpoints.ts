/**
 * Across time: the endpoints for more than the last hundred runs.
 *
 *   …/api/sessions · history · runs/{instance}.{sequence}   the kept runs, page by page
 *   …/api/search · aggregates                               the runs that match, and their statistics
 *   …/api/startup · metrics · health                        the application's start and state
 *   …/api/sources                                           the places of its beans' methods
 *
 * They have the same guard as all of devtools, and only read.
 *
 * Spec: spec/history.md, spec/search.md
 */
import type { Context } from "framework";
import { parseQuery } from "../run/search/query.ts";
import type { MethodSource, SearchProblem, SessionList, StartUpView } from "../run/shapes.ts";
import { apiPath } from "../run/wire.ts";
import { aggregatesOf } from "../keep/aggregates.ts";
import { metricsOf, type HealthPanel } from "./app-panels.ts";
import type { LoopDelay } from "./loop-delay.ts";
import { problem, sendJson, sendProblem, type EndpointAt } from "./endpoints.ts";
import type { History } from "../keep/history/history.ts";
import type { DevtoolsHost } from "../host.ts";
import type { KeptRuns } from "../keep/kept-runs.ts";
import { after, searchRuns, type Paging } from "../keep/search-runs.ts";
import type { StartLog } from "../record/start-log.ts";

/** The sources of these endpoints. */
export interface AcrossTime {
  readonly app: DevtoolsHost;
  readonly kept: KeptRuns;
  readonly history: History | undefined;
  /** As configured. */
  readonly historyFile: string | undefined;
  readonly starts: StartLog;
  readonly health: HealthPanel;
  readonly loop: Pick<LoopDelay, "p99Us">;
  methodSources(): readonly MethodSource[];
}

const defaultLimit = 50;
const maxLimit = 100;
/** The bound of one page of history; one run is sent in any case. */
const maxPageChars = 8_388_608;

/** These endpoints, by path. */
export function acrossTime(shown: AcrossTime): readonly EndpointAt[] {
  const { app, kept, starts, health } = shown;
  return [
    [apiPath("sessions"), async (ctx) => sendJson(ctx, JSON.stringify(await sessionsOf(shown)))],
    [apiPath("history"), (ctx) => serveHistory(ctx, kept)],
    [apiPath("search"), (ctx) => serveSearch(ctx, kept)],
    [
      apiPath("aggregates"),
      async (ctx) => sendJson(ctx, JSON.stringify(aggregatesOf(ofSession(ctx, await kept.all())))),
    ],
    [apiPath("startup"), async (ctx) => sendJson(ctx, JSON.stringify(await startUpOf(starts, kept, shown.history)))],
    [apiPath("metrics"), (ctx) => sendJson(ctx, JSON.stringify(metricsOf(app, shown.loop.p99Us())))],
    [apiPath("sources"), (ctx) => sendJson(ctx, JSON.stringify(shown.methodSources()))],
    [apiPath("health"), async (ctx) => sendJson(ctx, JSON.stringify(await health.view()))],
    [apiPath("runs/"), (ctx, key) => serveRun(ctx, key, kept)],
  ];
}

async function sessionsOf({ kept, historyFile }: AcrossTime): Promise<SessionList> {
  return { sessions: await kept.sessions(), file: historyFile ?? null };
}

async function startUpOf(starts: StartLog, kept: KeptRuns, history: History | undefined): Promise<StartUpView> {
  await kept.onDisk();
  return { current: starts.view(), failed: history?.failedStart ?? null };
}

async function serveRun(ctx: Context, key: string, kept: KeptRuns): Promise<void> {
  const text = await kept.textOf(key);
  if (text === undefined) return problem(ctx, 404, "Not Found", "no run of that instance and sequence is kept");
  sendJson(ctx, text);
}

async function serveHistory(ctx: Context, kept: KeptRuns): Promise<void> {
  const paging = pagingOf(ctx);
  if (typeof paging === "string") return problem(ctx, 400, "Bad Request", paging);
  const rest = after(ofSession(ctx, await kept.onDisk()), paging.cursor);
  const page = await kept.textOfAll(rest.slice(0, paging.limit), maxPageChars);
  const last = page.at(-1)?.key;
  const next = last === undefined || last === rest.at(-1)?.key ? null : last;
  sendJson(ctx, `{"runs":[${page.map(({ text }) => text).join(",")}],"next":${JSON.stringify(next)}}`);
}

async function serveSearch(ctx: Context, kept: KeptRuns): Promise<void> {
  const paging = pagingOf(ctx);
  if (typeof paging === "string") return problem(ctx, 400, "Bad Request", paging);
  const { query, issues } = parseQuery(parameter(ctx, "q") ?? "");
  if (issues !== undefined) {
    const detail = `the query cannot be understood: ${issues[0]?.message ?? ""}`;
    const body: SearchProblem = { type: "about:blank", title: "Bad Request", status: 400, detail, issues };
    return sendProblem(ctx, body);
  }
  sendJson(ctx, JSON.stringify(await searchRuns(await kept.all(), query, paging)));
}

/** The runs of `?session=`, or all without it. */
function ofSession<T extends { readonly document: { readonly instance: string } }>(
  ctx: Context,
  runs: readonly T[],
): readonly T[] {
  const session = parameter(ctx, "session");
  return session === undefined ? runs : runs.filter(({ document }) => document.instance === session);
}

/** Limit and cursor of a request, or the sentence that names the mistake. */
function pagingOf(ctx: Context): Paging | string {
  const [limit = String(defaultLimit), cursor] = [parameter(ctx, "limit"), parameter(ctx, "cursor")];
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxLimit)
    return `limit is a whole number from 1 to ${maxLimit}`;
  if (cursor !== undefined && !/^[A-Za-z0-9-]{1,64}\.[1-9]\d{0,14}$/.test(cursor))
    return "cursor is the next of an earlier page: instance.sequence";
  return { limit: Number(limit), cursor };
}

/** A parameter of the query; empty counts as absent. */
function parameter(ctx: Context, name: string): string | undefined {
  const [value] = ctx.queryParams(name);
  return value === "" ? undefined : value;
}
