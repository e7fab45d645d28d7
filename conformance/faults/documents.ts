/**
 * Which responses contain which shapes, and where. A shape that occurs in several places is wrong in all of them at the same
 * time, as in a real faulty subject. So no case can find the fault by comparing one place with another.
 *
 * Spec: spec/subject.md, and the chapters that are named
 */
import type { TSchema } from "typebox";
import { Problem } from "../../spec/errors.ts";
import { BeanGraph } from "../../spec/graph.ts";
import { HealthResult } from "../../spec/health.ts";
import * as history from "../../spec/history.ts";
import { AccessLogLine } from "../../spec/log.ts";
import { MetricsSnapshot } from "../../spec/metrics.ts";
import { RouteInfo } from "../../spec/routes.ts";
import { SearchPage, SearchProblem } from "../../spec/search.ts";
import * as stream from "../../spec/stream.ts";
import * as subject from "../../spec/subject.ts";
import { Trace } from "../../spec/trace.ts";
import { ServerSpan } from "../../spec/tracing.ts";
import * as devtools from "../kit/devtools.ts";
import type { Exchange } from "../kit/exchange.ts";
import { headerOf } from "../kit/mutant.ts";
import type { Path } from "./fields.ts";

/** One shape, its chapter, and its places. */
export interface Shape {
  readonly name: string;
  readonly chapter: string;
  readonly schema: TSchema;
  readonly holders: readonly Holder[];
  /** The event of a stream that has it as data. */
  readonly event?: string | undefined;
}

/** A kind of response, and the path in it to a shape. */
export interface Holder {
  matches(exchange: Exchange): boolean;
  readonly at: Path;
}

/** A response with that status to a request with that method and path. */
function held(method: string, path: string | RegExp, at: Path = [], status = 200): Holder {
  const isThere = typeof path === "string" ? (found: string) => found === path : (found: string) => path.test(found);
  return { matches: (exchange) => isResponse(exchange, method, status) && isThere(exchange.sent.path), at };
}

const isResponse = (exchange: Exchange, method: string, status: number): boolean =>
  exchange.status === status && exchange.sent.method === method;

const isProblem = ({ headers, status, sent }: Exchange): boolean =>
  status >= 400 &&
  headerOf(headers, "content-type")?.startsWith("application/problem+json") === true &&
  !(sent.path === devtools.searchPath && status === 400);

const evidence = (...at: Path): Holder => held("GET", "/__subject/evidence", at);

const inTraces: readonly Holder[] = [
  held("GET", devtools.requestsPath, ["[]"]),
  held("GET", devtools.historyPath, ["runs", "[]"]),
  held("GET", /^\/framework\/dev\/api\/runs\//),
];

const healthy: readonly Holder[] = [200, 503].map((status) => held("GET", /^\/health(?:\/live|\/ready)?$/, [], status));

/** The shapes of the chapters. */
const ofChapters: readonly Shape[] = [
  { name: "Trace", chapter: "trace", schema: Trace, holders: inTraces, event: "trace" },
  { name: "Started", chapter: "stream", schema: stream.Started, holders: [], event: "started" },
  { name: "Gap", chapter: "stream", schema: stream.Gap, holders: [], event: "gap" },
  { name: "BeanGraph", chapter: "graph", schema: BeanGraph, holders: [held("GET", devtools.graphPath)] },
  { name: "RouteInfo", chapter: "devtools", schema: RouteInfo, holders: [held("GET", devtools.routesPath, ["[]"])] },
  { name: "HealthResult", chapter: "health", schema: HealthResult, holders: healthy },
  { name: "AccessLogLine", chapter: "log", schema: AccessLogLine, holders: [evidence("logs", "[]")] },
  { name: "ServerSpan", chapter: "tracing", schema: ServerSpan, holders: [evidence("spans", "[]")] },
  {
    name: "MetricsSnapshot",
    chapter: "metrics",
    schema: MetricsSnapshot,
    holders: [evidence("metrics"), held("GET", "/metrics"), held("GET", devtools.devtoolsMetricsPath, ["metrics"])],
  },
  { name: "Problem", chapter: "errors", schema: Problem, holders: [{ matches: isProblem, at: [] }] },
  { name: "SearchPage", chapter: "search", schema: SearchPage, holders: [held("GET", devtools.searchPath)] },
  {
    name: "SearchProblem",
    chapter: "search",
    schema: SearchProblem,
    holders: [held("GET", devtools.searchPath, [], 400)],
  },
  ofHistory("SessionList", history.SessionList, devtools.sessionsPath),
  ofHistory("HistoryPage", without(history.HistoryPage, "runs"), devtools.historyPath),
  ofHistory("Aggregates", history.Aggregates, devtools.aggregatesPath),
  ofHistory("StartUpView", history.StartUpView, devtools.startupPath),
  ofHistory("MetricsView", without(history.MetricsView, "metrics"), devtools.devtoolsMetricsPath),
  ofHistory("HealthView", history.HealthView, devtools.devtoolsHealthPath),
];

/** The shapes of the responses of the subject's own routes. */
const ofSubject: readonly Shape[] = [
  ofRoutes("SubjectId", "routing", subject.SubjectId, [
    held("GET", /^\/(?:users|partner|limited|leaves)\/[^/]+\/?$/),
    held("POST", "/orders", [], 201),
    held("POST", "/uploads/first"),
    held("GET", /^\/(?:sessions\/[^/]+\/unasked|private\/[^/]+)$/),
  ]),
  ofRoutes("SubjectPost", "routing", subject.SubjectPost, [held("GET", /^\/users\/[^/]+\/posts\//)]),
  ofRoutes("SubjectFile", "routing", subject.SubjectFile, [held("GET", /^\/files\//)]),
  ofRoutes("SubjectMatch", "routing", subject.SubjectMatch, [held("GET", /^\/match\//)]),
  ofRoutes("SubjectSearch", "query", subject.SubjectSearch, [held("QUERY", /^(?:\/api)?\/search$/)]),
  ofRoutes("SubjectMethod", "query", subject.SubjectMethod, [held("GET", /^(?:\/api)?\/search$/)]),
  ofRoutes("SubjectLookup", "query", subject.SubjectLookup, [held("QUERY", "/lookup")]),
  ofRoutes("SubjectLine", "contracts", subject.SubjectLine, [held("POST", /^\/lines\//, [], 201)]),
  ofRoutes("SubjectForm", "contracts", subject.SubjectForm, [held("POST", "/forms")]),
  ofRoutes("SubjectUpload", "multipart", subject.SubjectUpload, [held("POST", "/uploads")]),
  ofRoutes("SubjectUploadForm", "multipart", subject.SubjectUploadForm, [held("POST", "/uploads/form")]),
  ofRoutes("SubjectSkipped", "multipart", subject.SubjectSkipped, [held("POST", "/uploads/skipped")]),
  ofRoutes("SubjectSession", "session", subject.SubjectSession, [
    held("GET", /^\/sessions\/[^/]+$/),
    held("POST", /^\/sessions\//),
  ]),
  ofRoutes("SubjectJob", "work", subject.SubjectJob, [held("GET", /^\/work\/[^/]+$/)]),
  ofRoutes("SubjectCookies", "cookies", subject.SubjectCookies, [held("GET", "/cookies")]),
];

/** Every shape that is sent over the wire. */
export const shapes: readonly Shape[] = [...ofChapters, ...ofSubject];

function ofHistory(name: string, schema: TSchema, path: string): Shape {
  return { name, chapter: "history", schema, holders: [held("GET", path)] };
}

function ofRoutes(name: string, chapter: string, schema: TSchema, holders: readonly Holder[]): Shape {
  return { name, chapter, schema, holders };
}

/** The schema without a member that is a separate shape. */
function without(schema: TSchema, name: string): TSchema {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, TSchema>>;
    readonly required?: readonly string[];
  };
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([other]) => other !== name)),
    required: required.filter((other) => other !== name),
  };
}
