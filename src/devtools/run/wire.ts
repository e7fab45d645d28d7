/**
 * Wire: where devtools' endpoints are, and what the headers and events are called. The values that travel are in shapes.ts.
 *
 *   application ── …/api/routes ────▶ RouteInfo[]
 *               ── …/api/graph ─────▶ BeanGraph
 *               ── …/api/requests ──▶ Trace[], newest first
 *               ── …/api/stream ────▶ event: trace, event: started, event: gap, event: graph
 *               ── …/api/panels ────▶ PanelInfo[]; …/api/panels/{name} ──▶ Panel
 *               ── …/api/run ───────▶ ServiceRun, one run of this application
 *               ── …/api/remote ────▶ ServiceRun, one run of another application that a run of this one called
 *               ── …/api/sessions, history, runs/{instance}.{sequence} ──▶ kept runs
 *               ── …/api/search, aggregates ──▶ what is found in them, and in common
 *               ── …/api/startup, metrics, health ──▶ how the application started, and how it is
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
/** PanelInfo[], and below it a Panel by its name; inside the context path. */
export const PANELS_PATH = "/framework/dev/api/panels";
/** SessionList, inside the context path. */
export const SESSIONS_PATH = "/framework/dev/api/sessions";
/** HistoryPage, newest first, inside the context path: `?session=`, `?limit=`, `?cursor=`. */
export const HISTORY_PATH = "/framework/dev/api/history";
/** One Trace by `{instance}.{sequence}` behind it, inside the context path. */
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
/** ReplayPlan of `{instance}.{sequence}` behind it, inside the context path; with `/test` behind that, `?beans=`, a test. */
export const REPLAYS_PATH = "/framework/dev/api/replays/";
/** MethodSource[], inside the context path. */
export const SOURCES_PATH = "/framework/dev/api/sources";

/** The request header by which the page recognises the trace of a request it sent. */
export const CORRELATION_HEADER = "X-Framework-Dev";
/** The response header of `ROUTES_PATH` with the application's context path; empty without one. */
export const CONTEXT_PATH_HEADER = "X-Framework-Context-Path";
/** The response header that names the run, to clients on this machine that are no browser: `<instance>.<run>;at=<path of devtools>`. */
export const RUN_HEADER = "X-Framework-Run";
/** The header by which tools show the token of devtools that ask for one. */
export const TOKEN_HEADER = "X-Framework-Dev-Token";
/** What may be a token: not what is shorter than 16 characters, or needs encoding in a link. */
export const TOKEN_FORM: RegExp = /^[A-Za-z0-9._~-]{16,256}$/;
/** What a correlation id looks like; anything else counts as absent. */
export const CORRELATION_PATTERN: RegExp = /^[A-Za-z0-9._-]{1,128}$/;
/** How many traces are kept. */
export const MAX_TRACES = 100;
/** How many issues of a response are named. */
export const MAX_CONTRACT_ISSUES = 20;
/** How many annotations of a run are kept. */
export const MAX_ANNOTATIONS = 50;
/** How many cookies of a request, and of a response, are named. */
export const MAX_COOKIES = 50;
/** What stands where a secret stood. */
export const REDACTED = "[redacted]";
/** The stream's event that carries a Trace. */
export const TRACE_EVENT = "trace";
/** The stream's event that carries a Started: a run that is under way. */
export const STARTED_EVENT = "started";
/** The stream's event that carries a Gap. */
export const GAP_EVENT = "gap";
/** The stream's event that says that the graph or the routes are no longer as they were; its data is `{}`. */
export const GRAPH_EVENT = "graph";
/** Milliseconds between two heartbeat comments of the stream. */
export const HEARTBEAT_MS = 15_000;
/** What the stream tells the browser to wait before it connects again. */
export const RETRY_MS = 1_000;
/** The request header that asks for a replay: `<instance>.<sequence>;beans=<bean>,<bean>`, beans percent-encoded. */
export const REPLAY_HEADER = "X-Framework-Replay";
