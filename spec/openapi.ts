/**
 * The HTTP interface as OpenAPI 3.2: the `query` operation, health, metrics, and the endpoints of devtools.
 *
 * The application's own paths are examples from subject.md. The shapes come from the chapters.
 * The build writes it to src/framework/spec/openapi.json.
 */
import type { TSchema } from "typebox";
import { MethodSources } from "./agents.ts";
import { Problem } from "./errors.ts";
import { BeanGraph } from "./graph.ts";
import { HealthResult } from "./health.ts";
import { Aggregates, HealthView, HistoryPage, MetricsView, SessionList, StartUpView } from "./history.ts";
import { JobReplayed, JobsView } from "./jobs.ts";
import { MetricsSnapshot } from "./metrics.ts";
import { Panel, PanelList } from "./plugins.ts";
import { ReplayPlan, ReplayProblem } from "./replay.ts";
import { RouteList } from "./routes.ts";
import { SearchPage, SearchProblem } from "./search.ts";
import { ServiceRun } from "./services.ts";
import { SubjectMethod, SubjectSearch } from "./subject.ts";
import { Trace, TraceList } from "./trace.ts";

const shapes = {
  Problem,
  Aggregates,
  BeanGraph,
  HealthResult,
  HealthView,
  HistoryPage,
  JobReplayed,
  JobsView,
  MethodSources,
  MetricsSnapshot,
  MetricsView,
  Panel,
  PanelList,
  ReplayPlan,
  ReplayProblem,
  RouteList,
  SearchPage,
  SearchProblem,
  SessionList,
  StartUpView,
  SubjectMethod,
  SubjectSearch,
  ServiceRun,
  Trace,
  TraceList,
};

type Name = keyof typeof shapes;

const ref = (name: Name) => ({ $ref: `#/components/schemas/${name}` });
const json = (name: Name, description: string, type = "application/json") => ({
  description,
  content: { [type]: { schema: ref(name) } },
});
const problem = (description: string) => json("Problem", description, "application/problem+json");

/** How the guard rejects requests (guard.md). */
const guarded = {
  "403": {
    description: "Rejected by the guard; says which check failed.",
    content: { "text/plain": { schema: { type: "string" } } },
  },
  "404": { description: "Rejected by the guard: not a loopback client." },
  "405": problem("Only GET and HEAD are allowed."),
};

const accepted = {
  "Accept-Query": { description: "The media types that QUERY takes on this path.", schema: { type: "string" } },
};

const health = (operationId: string, summary: string) => ({
  get: {
    operationId,
    summary,
    tags: ["health"],
    responses: {
      "200": json("HealthResult", "Every check is up."),
      "400": problem("The path is malformed."),
      "503": json("HealthResult", "At least one check is down."),
    },
  },
});

const devtools = (
  operationId: string,
  summary: string,
  response: object,
  more: object = {},
  parameters: readonly object[] = [],
) => ({
  get: {
    operationId,
    summary,
    tags: ["devtools"],
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: { "200": response, ...guarded, ...more },
  },
});

/** An operation of devtools that is a POST. */
const posted = (...[operationId, summary, response, more, parameters]: Parameters<typeof devtools>) => ({
  post: devtools(operationId, summary, response, more, parameters).get,
});

const ofRun = {
  name: "id",
  in: "query",
  required: true,
  description: "`<instance>.<run>` of a trace",
  schema: { type: "string" },
};
const ofOrigin = {
  name: "origin",
  in: "query",
  required: true,
  description: "Where the application listens; several lead through one another",
  schema: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 8 },
};

const text = (name: string, description: string, required = false) => ({
  name,
  in: "query",
  required,
  description,
  schema: { type: "string" },
});
const inPath = (name: string, description: string) => ({
  name,
  in: "path",
  required: true,
  description,
  schema: { type: "string" },
});
const ofKept = [inPath("instance", "Of the trace"), inPath("sequence", "Of the trace")];
const ofSession = text("session", "The `instance` of a session; the runs of all of them without it");
const paged = [
  { name: "limit", in: "query", description: "50 by default", schema: { type: "integer", minimum: 1, maximum: 100 } },
  text("cursor", "The `next` of an earlier page"),
];

const search = {
  get: {
    operationId: "describeSearch",
    summary: "The safe method without a body",
    tags: ["application"],
    responses: {
      "200": { ...json("SubjectMethod", "The method that was seen."), headers: accepted },
      "404": problem("The path is not known."),
    },
  },
  query: {
    operationId: "search",
    summary: "Search by a body, safe and repeatable (RFC 10008)",
    tags: ["application"],
    requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
    responses: {
      "200": { ...json("SubjectSearch", "What was received."), headers: accepted },
      "400": { ...problem("No well-formed Content-Type, or malformed JSON."), headers: accepted },
      "413": problem("The body is over the limit."),
      "415": { ...problem("A type that the path does not take."), headers: accepted },
    },
  },
};

const metrics = {
  get: {
    operationId: "metrics",
    summary: "What the metrics middleware has counted",
    tags: ["metrics"],
    responses: { "200": json("MetricsSnapshot", "A snapshot."), "404": problem("The application has no such route.") },
  },
};

const page = {
  description: "The dashboard, one self-contained page.",
  content: { "text/html": { schema: { type: "string" } } },
};

const asTest = {
  description: "A file for `node --test`.",
  headers: { "Content-Disposition": { description: "Its name.", schema: { type: "string" } } },
  content: { "text/plain": { schema: { type: "string" } } },
};

const stream = {
  description: "Server-Sent Events: `trace` for each completed trace, `gap` for what was missed (stream.md).",
  content: {
    "text/event-stream": {
      itemSchema: {
        type: "object",
        properties: {
          event: { type: "string", enum: ["trace", "gap"] },
          id: { type: "string" },
          data: { type: "string", contentMediaType: "application/json", contentSchema: ref("Trace") },
        },
        required: ["event", "data"],
      },
    },
  },
};

/** A shape as a component. Its `$id` is its name there, and references use it. */
function component(schema: TSchema): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) => (key === "$id" ? undefined : value));
}

/** The OpenAPI document. */
export const openapi = {
  openapi: "3.2.0",
  info: {
    title: "framework",
    version: "0.1.0",
    summary: "What an application on this framework responds with by itself.",
    description: "Health, metrics, the method QUERY and the development tools. The clauses are in spec/*.md.",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "http://127.0.0.1:8080", description: "make dev" }],
  security: [],
  tags: [
    { name: "application", description: "Example paths of an application." },
    { name: "health", description: "Health, liveness and readiness." },
    { name: "metrics", description: "Counters and durations." },
    { name: "devtools", description: "The dashboard and its data; loopback only." },
  ],
  paths: {
    "/search": search,
    "/health": health("health", "Every check"),
    "/health/live": health("liveness", "The checks of the group liveness"),
    "/health/ready": health("readiness", "The checks of the group readiness"),
    "/metrics": metrics,
    "/framework/dev": devtools("dashboard", "The dashboard", page, {
      "304": { description: "The page has not changed." },
      "503": problem("The page is not built."),
    }),
    "/framework/dev/api/routes": devtools(
      "routes",
      "Every route",
      json("RouteList", "The routes, by path and method."),
    ),
    "/framework/dev/api/graph": devtools("graph", "The beans and what they depend on", json("BeanGraph", "The graph.")),
    "/framework/dev/api/requests": devtools(
      "requests",
      "The traces held",
      json("TraceList", "At most 100, the latest first."),
    ),
    "/framework/dev/api/stream": devtools("stream", "Traces as they complete", stream, {
      "503": problem("Sixteen clients are connected already."),
    }),
    "/framework/dev/api/run": devtools(
      "run",
      "One run with its graph",
      json("ServiceRun", "The run."),
      { "404": problem("No run of this id is held, or the guard rejected the client.") },
      [ofRun],
    ),
    "/framework/dev/api/remote": devtools(
      "remoteRun",
      "One run of an application that a run of this one called",
      json("ServiceRun", "The run, as that application gives it."),
      { "404": problem("No such run, or an origin that has named none."), "502": problem("It could not be asked.") },
      [ofOrigin, ofRun],
    ),
    "/framework/dev/api/panels": devtools(
      "panels",
      "What plugins show of themselves",
      json("PanelList", "The panels."),
    ),
    "/framework/dev/api/panels/{name}": devtools(
      "panel",
      "One panel, read now",
      json("Panel", "Its value, or the error that reading it has thrown."),
      { "404": problem("No plugin of this name has a panel, or the guard rejected the client.") },
      [inPath("name", "The plugin's name")],
    ),
    "/framework/dev/api/sessions": devtools(
      "sessions",
      "The processes whose runs are kept",
      json("SessionList", "This process first."),
    ),
    "/framework/dev/api/history": devtools(
      "history",
      "The kept runs, the latest first",
      json("HistoryPage", "A page of them."),
      { "400": problem("A limit or a cursor that is none.") },
      [ofSession, ...paged],
    ),
    "/framework/dev/api/runs/{instance}.{sequence}": devtools(
      "keptRun",
      "One kept run",
      json("Trace", "The run."),
      { "404": problem("No run of that instance and sequence is kept, or the guard rejected the client.") },
      ofKept,
    ),
    "/framework/dev/api/replays/{instance}.{sequence}": {
      ...devtools(
        "replayPlan",
        "What can be replayed of a kept run",
        json("ReplayPlan", "Its beans, and what a replay of it does again."),
        { "404": problem("No run of that instance and sequence is kept, or the guard rejected the client.") },
        ofKept,
      ),
      ...posted(
        "replayJob",
        "An attempt at a job, replayed",
        json("JobReplayed", "Why it failed, or null."),
        {
          "400": json("ReplayProblem", "No header, or that of another run.", "application/problem+json"),
          "409": json("ReplayProblem", "It cannot be replayed; says why.", "application/problem+json"),
        },
        ofKept,
      ),
    },
    "/framework/dev/api/replays/{instance}.{sequence}/test": devtools(
      "runAsTest",
      "A kept run as a test",
      asTest,
      {
        "400": problem("Beans that are no list of the graph's ids."),
        "404": problem("No run of that instance and sequence is kept, or the guard rejected the client."),
        "409": problem("The run cannot be saved as a test; says why."),
      },
      [...ofKept, text("beans", "Ids of those that return what was recorded, `A,B`; without it, the plan's defaults")],
    ),
    "/framework/dev/api/search": devtools(
      "searchRuns",
      "Runs by what stands in them",
      json("SearchPage", "A page of what was found."),
      { "400": json("SearchProblem", "A query, a limit or a cursor that is none.", "application/problem+json") },
      [text("q", "The query; all runs without it"), ...paged],
    ),
    "/framework/dev/api/aggregates": devtools(
      "aggregates",
      "What the kept runs have in common",
      json("Aggregates", "By route and by bean."),
      {},
      [ofSession],
    ),
    "/framework/dev/api/sources": devtools(
      "methodSources",
      "Where the methods of beans are",
      json("MethodSources", "File and line of each, where the runtime tells them."),
    ),
    "/framework/dev/api/startup": devtools("startup", "How the application came up", json("StartUpView", "The start.")),
    "/framework/dev/api/metrics": devtools(
      "applicationMetrics",
      "The application's own metrics",
      json("MetricsView", "A snapshot, or why there is none."),
    ),
    "/framework/dev/api/jobs": devtools(
      "jobs",
      "The application's jobs",
      json("JobsView", "Their figures, schedules and dead letters, or why there are none."),
    ),
    "/framework/dev/api/jobs/{name}/{id}": posted(
      "retryJob",
      "A dead letter that is tried again",
      { description: "Its engine has it." },
      {
        "404": problem("There is no such dead letter, or the guard rejected the client."),
        "415": problem("No `application/json`."),
        "503": problem("The engine is away."),
      },
      [inPath("name", "Of the job"), inPath("id", "Of the dead letter")],
    ),
    "/framework/dev/api/health": devtools(
      "applicationHealth",
      "The application's own health",
      json("HealthView", "The checks, or why there are none."),
    ),
  },
  components: {
    schemas: Object.fromEntries(Object.entries(shapes).map(([name, schema]) => [name, component(schema)])),
  },
};
