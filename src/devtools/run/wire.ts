/**
 * Wire: the paths of devtools' endpoints, and the names of headers and events. The transferred values are in shapes.ts.
 *
 *   application ── …/api/routes ────▶ RouteInfo[]
 *               ── …/api/graph ─────▶ BeanGraph
 *               ── …/api/requests ──▶ Trace[], newest first
 *               ── …/api/stream ────▶ event: trace, event: started, event: gap, event: graph
 *               ── …/api/panels ────▶ PanelInfo[]; …/api/panels/{name} ──▶ Panel
 *               ── …/api/run ───────▶ ServiceRun, one run of this application
 *               ── …/api/remote ────▶ ServiceRun, one run of another application that a run of this one called
 *               ── …/api/sessions, history, runs/{instance}.{sequence} ──▶ kept runs
 *               ── …/api/search, aggregates ──▶ the runs that match, and their statistics
 *               ── …/api/startup, metrics, health ──▶ the application's start and state
 *               ── …/api/replays/{instance}.{sequence} ──▶ ReplayPlan; …/test ──▶ the run as a test
 *
 * Spec: spec/devtools.md, spec/trace.md, spec/leaves.md, spec/graph.md, spec/stream.md, spec/history.md, spec/replay.md
 */

/** The dashboard's path inside the context path. */
export const PAGE_PATH = "/framework/dev";
/** RouteInfo[], inside the context path. */
export const ROUTES_PATH = "/framework/dev/api/routes";
/** BeanGraph, inside the context path. */
export const GRAPH_PATH = "/framework/dev/api/graph";
/** Trace[], newest first, inside the context path. */
export const REQUESTS_PATH = "/framework/dev/api/requests";
/** The Server-Sent Events stream, inside the context path. */
export const STREAM_PATH = "/framework/dev/api/stream";
/** ServiceRun of `?id=<instance>.<run>`, inside the context path. */
export const RUN_PATH = "/framework/dev/api/run";
/** ServiceRun of another application, `?origin=<origin>&id=<instance>.<run>` as in `HttpDetail.run`, inside the context path. */
export const REMOTE_PATH = "/framework/dev/api/remote";
/** PanelInfo[], and below it a Panel by its name, inside the context path. */
export const PANELS_PATH = "/framework/dev/api/panels";
/** SessionList, inside the context path. */
export const SESSIONS_PATH = "/framework/dev/api/sessions";
/** HistoryPage, newest first, inside the context path: `?session=`, `?limit=`, `?cursor=`. */
export const HISTORY_PATH = "/framework/dev/api/history";
/** One Trace, with `{instance}.{sequence}` after it, inside the context path. */
export const RUNS_PATH = "/framework/dev/api/runs/";
/** SearchPage, inside the context path: `?q=`, `?limit=`, `?cursor=`. */
export const SEARCH_PATH = "/framework/dev/api/search";
/** Aggregates, inside the context path: `?session=`. */
export const AGGREGATES_PATH = "/framework/dev/api/aggregates";
/** StartUpView, inside the context path. */
export const STARTUP_PATH = "/framework/dev/api/startup";
/** MetricsView, inside the context path. */
export const METRICS_PATH = "/framework/dev/api/metrics";
/** HealthView, inside the context path. */
export const HEALTH_PATH = "/framework/dev/api/health";
/** ReplayPlan, with `{instance}.{sequence}` after it, inside the context path. `/test` after that, with `?beans=`, is a test. */
export const REPLAYS_PATH = "/framework/dev/api/replays/";
/** MethodSource[], inside the context path. */
export const SOURCES_PATH = "/framework/dev/api/sources";

/** The request header by which the page recognises the trace of its request. */
export const CORRELATION_HEADER = "X-Framework-Dev";
/** The response header of `ROUTES_PATH` with the application's context path, empty without one. */
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
/** The stream's event for a change of the graph or the routes; its data is `{}`. */
export const GRAPH_EVENT = "graph";
/** Milliseconds between two heartbeat comments of the stream. */
export const HEARTBEAT_MS = 15_000;
/** The time that the stream tells the browser to wait before it connects again. */
export const RETRY_MS = 1_000;
/** The request header that asks for a replay: `<instance>.<sequence>;beans=<bean>,<bean>`, beans percent-encoded. */
export const REPLAY_HEADER = "X-Framework-Replay";
