/**
 * Wire: the endpoints of devtools, and the names of headers and events. The transferred values are in shapes.ts.
 *
 * Spec: spec/devtools.md, spec/trace.md, spec/leaves.md, spec/graph.md, spec/stream.md, spec/history.md, spec/replay.md
 */
import type {
  Aggregates,
  BeanGraph,
  HealthView,
  HistoryPage,
  JobsView,
  MethodSource,
  MetricsView,
  Panel,
  PanelInfo,
  ReplayPlan,
  RouteInfo,
  SearchPage,
  ServiceRun,
  SessionList,
  StartUpView,
  Trace,
} from "./shapes.ts";

/** The dashboard's path inside the context path. */
export const PAGE_PATH = "/framework/dev";

/** The response of each endpoint, by its path after `/framework/dev/api/`. */
export interface Endpoints {
  readonly routes: readonly RouteInfo[];
  readonly graph: BeanGraph;
  /** Newest first. */
  readonly requests: readonly Trace[];
  /** Server-Sent Events. */
  readonly stream: never;
  /** One run of this application: `?id=<instance>.<run>`. */
  readonly run: ServiceRun;
  /** One run of another application, `?origin=<origin>&id=<instance>.<run>` as in `HttpDetail.run`. */
  readonly remote: ServiceRun;
  readonly panels: readonly PanelInfo[];
  readonly [panel: `panels/${string}`]: Panel;
  readonly sessions: SessionList;
  /** Newest first: `?session=`, `?limit=`, `?cursor=`. */
  readonly history: HistoryPage;
  /** By `{instance}.{sequence}`. */
  readonly [run: `runs/${string}`]: Trace;
  /** `?q=`, `?limit=`, `?cursor=` */
  readonly search: SearchPage;
  /** `?session=` */
  readonly aggregates: Aggregates;
  readonly startup: StartUpView;
  readonly metrics: MetricsView;
  readonly health: HealthView;
  readonly sources: readonly MethodSource[];
  readonly jobs: JobsView;
  /** POST: tries the dead letter `{name}/{id}` again. */
  readonly [retry: `jobs/${string}`]: never;
  /** By `{instance}.{sequence}`. `/test` after that, with `?beans=`, is a test. POST replays the attempt at a job. */
  readonly [plan: `replays/${string}`]: ReplayPlan;
  /** By POST: `Questions` of analyses.ts, with the response `Answers`. */
  readonly [analysis: `analyses/${string}`]: never;
}

/** The path of an endpoint inside the context path. */
export const apiPath = (name: keyof Endpoints): string => `${PAGE_PATH}/api/${name}`;

/** The request header by which the page recognises the trace of its request. */
export const CORRELATION_HEADER = "X-Framework-Dev";
/** The response header of `routes` with the application's context path, empty without one. */
export const CONTEXT_PATH_HEADER = "X-Framework-Context-Path";
/**
 * The response header that names the run, for clients on this machine that are not browsers:
 * `<instance>.<run>;at=<path of devtools>`.
 */
export const RUN_HEADER = "X-Framework-Run";
/** The header by which tools send the token to devtools that require one. */
export const TOKEN_HEADER = "X-Framework-Dev-Token";
/** The form of a token: at least 16 characters, none of which needs encoding in a link. */
export const TOKEN_FORM: RegExp = /^[A-Za-z0-9._~-]{16,256}$/;
/** The form of a correlation id; anything else counts as absent. */
export const CORRELATION_PATTERN: RegExp = /^[A-Za-z0-9._-]{1,128}$/;
/** The most traces that are kept. */
export const MAX_TRACES = 100;
/** How many of them runs that are not requests have, such as jobs, if there are more requests than the rest. */
export const otherRunsIn = (capacity: number): number => Math.max(1, Math.floor(capacity / 4));
/** Longest text of a search. */
export const MAX_QUERY_CHARS = 1_000;
/** The most issues of a response that are named. */
export const MAX_CONTRACT_ISSUES = 20;
/** The most annotations of a run that are kept. */
export const MAX_ANNOTATIONS = 50;
/** The most cookies of a request, and of a response, that are named. */
export const MAX_COOKIES = 50;
/** Replaces a secret. */
export const REDACTED = "[redacted]";
/** The stream's event that carries a Trace. */
export const TRACE_EVENT = "trace";
/** The stream's event that carries a Started, for a run in progress. */
export const STARTED_EVENT = "started";
/** The stream's event that carries a Gap. */
export const GAP_EVENT = "gap";
/** The stream's event for a change of the graph, the routes or the spans of other services; its data is `{}`. */
export const GRAPH_EVENT = "graph";
/** Milliseconds between two heartbeat comments of the stream. */
export const HEARTBEAT_MS = 15_000;
/** The time that the stream tells the browser to wait before it connects again. */
export const RETRY_MS = 1_000;
/** The request header that asks for a replay: `<instance>.<sequence>;beans=<bean>,<bean>`, beans percent-encoded. */
export const REPLAY_HEADER = "X-Framework-Replay";
