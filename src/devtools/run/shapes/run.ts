/**
 * Wire: what travels between an application's devtools endpoints and the page.
 *
 *   application ── …/api/routes ────▶ RouteInfo[]
 *               ── …/api/graph ─────▶ BeanGraph
 *               ── …/api/requests ──▶ Trace[], newest first
 *               ── …/api/stream ────▶ event: trace, event: started, event: gap, event: graph
 *               ── …/api/panels ────▶ PanelInfo[]; …/api/panels/{name} ──▶ Panel
 *               ── …/api/run ───────▶ ServiceRun, one run of this application
 *               ── …/api/remote ────▶ ServiceRun, one run of another application that a run of this one called
 *
 * The server side and the page both import this file, and it holds types and constants only, so neither side can drift
 * from the other. How values are written is in wire-values.ts, what a run did below its beans in wire-leaves.ts. Times that end in `Us` are whole
 * microseconds from a monotonic clock; `…At` is epoch milliseconds.
 *
 * Spec: spec/devtools.md, spec/trace.md, spec/leaves.md
 * spec/graph.md (GRAPH), spec/stream.md (STREAM)
 */

import type { Leaf } from "./leaves.ts";
import type { ReplayOf } from "./replay.ts";
import type { Json, JsonObject } from "./values.ts";

export type * from "./leaves.ts";
export type * from "./replay.ts";
export type * from "./values.ts";

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

/** What a bean is for; the graph is coloured by it. */
export type Stereotype = "controller" | "service" | "repository" | "component" | "bean";

/** One route of the application. */
export interface RouteInfo {
  readonly method: string;
  /** Context path + pattern, e.g. `/shop/users/{id}`. */
  readonly path: string;
  readonly pathParams: readonly string[];
  /** Ids of the beans where this route enters the graph; empty until known. */
  readonly beans: readonly string[];
  /** Media types a QUERY route accepts. */
  readonly accept?: readonly string[] | undefined;
  /** A request that it takes, as its options say. */
  readonly example?: RouteExample | undefined;
  /** What it takes and gives, as it and its groups declare it; absent where they declare nothing. */
  readonly contract?: RouteContract | undefined;
}

/** One part of a contract. */
export interface ContractPart {
  /** A JSON Schema, draft 2020-12, whose references lead into itself; null where there is none to be had. */
  readonly schema: JsonObject | null;
}

/** A file that a form takes; a list of them where its schema is that of an array. */
export interface ContractFile {
  readonly schema: JsonObject;
  readonly isRequired: boolean;
}

/** The body that a contract declares. */
export interface ContractBody extends ContractPart {
  /** Of a form, values are texts, or lists of them; of a multipart one also files. */
  readonly kind: "json" | "form" | "multipart";
  /** The files of a multipart form, by name. */
  readonly files?: { readonly [name: string]: ContractFile } | undefined;
}

/** What a route takes and gives: a part that is not declared is absent. */
export interface RouteContract {
  readonly operationId?: string | undefined;
  /** One line. */
  readonly summary?: string | undefined;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly deprecated?: boolean | undefined;
  /** Any of these is enough: names of schemes, with scopes. */
  readonly security?: readonly { readonly [scheme: string]: readonly string[] }[] | undefined;
  readonly params?: ContractPart | undefined;
  readonly query?: ContractPart | undefined;
  /** By their names in lower case. */
  readonly headers?: ContractPart | undefined;
  readonly cookies?: ContractPart | undefined;
  readonly body?: ContractBody | undefined;
  /** By status; null where no content is declared. */
  readonly responses?: { readonly [status: string]: ContractPart | null } | undefined;
}

/** An example request of a route. */
export interface RouteExample {
  readonly path: { readonly [name: string]: string };
  readonly query: { readonly [name: string]: readonly string[] };
  readonly headers: { readonly [name: string]: string };
  /** A text is sent as it is; absent without a body. */
  readonly body?: Json | undefined;
}

/**
 * Why a bean's calls are not recorded: the class it is bound by has made it itself, or is yet to make it; it is a function, or a proxy, which cannot be wrapped; the
 * container has no recorder; the recorder failed on it.
 */
export type UntracedReason = "class" | "function" | "proxy" | "uninstrumented" | "failed";

/** One bean of the graph. */
export interface BeanNode {
  /** Unique: the name, and `name#2` for a second bean of that name. */
  readonly id: string;
  readonly name: string;
  readonly stereotype: Stereotype;
  /** The class behind it. */
  readonly implementation: string;
  /** Are its calls recorded? */
  readonly traceable: boolean;
  /** Why they are not. */
  readonly reason?: UntracedReason | undefined;
  /** Ids of the beans it depends on. */
  readonly dependencies: readonly string[];
}

/** `from` depends on `to`. */
export interface BeanEdge {
  readonly from: string;
  readonly to: string;
}

/** The bean graph. */
export interface BeanGraph {
  readonly nodes: readonly BeanNode[];
  readonly edges: readonly BeanEdge[];
  /** Ids of the beans that are not traceable. */
  readonly unspied: readonly string[];
}

/** One place in a stack. */
export interface StackFrame {
  /** The function, as in `async Orders.place`; empty for one without a name. */
  readonly name: string;
  /** Relative to the working directory where it is below it, with slashes; else as it is. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Is it the application's own, neither Node's nor a package's? */
  readonly own: boolean;
}

/** A few lines of code around the one that threw. */
export interface Excerpt {
  readonly file: string;
  /** The line that threw. */
  readonly line: number;
  /** The number of the first of `lines`. */
  readonly from: number;
  readonly lines: readonly string[];
}

/** An error that led to another one. */
export interface ErrorCause {
  readonly name: string;
  readonly message: string;
  readonly stack?: readonly StackFrame[] | undefined;
  readonly excerpt?: Excerpt | undefined;
}

/** What was thrown. */
export interface ErrorInfo {
  readonly name: string;
  readonly message: string;
  /** Innermost first; of a call, only where the error was seen first. */
  readonly stack?: readonly StackFrame[] | undefined;
  /** Around the first frame of the application's own. */
  readonly excerpt?: Excerpt | undefined;
  /** Its `cause`, the cause of that, and so on. */
  readonly causes?: readonly ErrorCause[] | undefined;
  /**
   * Of a call: its class and its own data, such as `code`. Absent for an error of the language without any. `$from` is
   * `framework` where the class is the framework's, `language` where it is the language's and the error has another name;
   * `$hidden` is true where it has data that is not shown.
   */
  readonly fields?: JsonObject | undefined;
}

/** One call of one bean. */
export interface Call {
  /** 0, 1, 2 … in entry order. */
  readonly id: number;
  /** The enclosing call; null for a root. */
  readonly parentId: number | null;
  /** 0 for a root, else the parent's + 1. */
  readonly depth: number;
  /** The graph node's id. */
  readonly bean: string;
  /** The interface's name. */
  readonly declaredBy: string;
  readonly stereotype: Stereotype;
  readonly method: string;
  readonly args: readonly Json[];
  /** What the method calls its parameters; an empty name where it takes one apart. */
  readonly params?: readonly string[] | undefined;
  /** The settled value; null on a throw; `{ "$pending": true }` when unsettled at completion. */
  readonly result: Json;
  readonly error: ErrorInfo | null;
  /** From the request's start. */
  readonly startUs: number;
  /** Null when unsettled at completion. */
  readonly durationUs: number | null;
  /** Did the method return a promise? */
  readonly async: boolean;
}

/** What came in. */
export interface TraceRequest {
  readonly pathParams: { readonly [name: string]: string };
  readonly query: { readonly [name: string]: readonly string[] };
  /** By lower-case name, one entry per field line. */
  readonly headers: { readonly [name: string]: readonly string[] };
  /** What the application read; null when it read none. Of a WebSocket's run, what came. */
  readonly body: Json;
  /** The names of its cookies; absent where it has none. */
  readonly cookies?: readonly string[] | undefined;
}

/** A cookie that a response sets, without its value. */
export interface SetCookie {
  readonly name: string;
  /** As they were sent, such as `Path=/` and `HttpOnly`. */
  readonly attributes: readonly string[];
}

/** What went out. */
export interface TraceResponse {
  /** By lower-case name, one entry per field line. */
  readonly headers: { readonly [name: string]: readonly string[] };
  readonly body: Json;
  /** Body bytes sent. */
  readonly bytes: number;
  /** The cookies that it sets; absent where it sets none. */
  readonly cookies?: readonly SetCookie[] | undefined;
}

/** What middleware told of a run: `ctx.annotations?.add(name, value)`. */
export interface Annotation {
  readonly name: string;
  readonly value: Json;
}

/** One thing by which a response breaks its contract. */
export interface ContractIssue {
  /** Where in the body, a JSON pointer; empty for the whole response. */
  readonly pointer: string;
  readonly message: string;
}

/**
 * What was run: a request, work that `devtools.trace` was given, the application's own work in the background, or a handler
 * of a WebSocket.
 */
export type RunKind = "request" | "trace" | "background" | "websocket";

/** One request, or a piece of work beside requests, and the path it took through the beans. */
export interface Trace {
  /** Random per process. */
  readonly instance: string;
  /** Request id, else correlation id, else generated. May repeat; `instance.sequence` never does. */
  readonly id: string;
  /** 1, 2, 3 … within the instance. */
  readonly sequence: number;
  /** The valid, single `X-Framework-Dev` value. */
  readonly correlationId: string | null;
  readonly method: string;
  /** The raw request target without its query. */
  readonly path: string;
  /** Context path + pattern; null when nothing matched. */
  readonly route: string | null;
  /** What went over the wire; 499 when the client left before the head was written. */
  readonly status: number;
  readonly startedAt: number;
  readonly durationUs: number;
  readonly aborted: boolean;
  readonly request: TraceRequest;
  readonly response: TraceResponse;
  readonly calls: readonly Call[];
  /** Calls over the bound, or begun after completion. */
  readonly droppedCalls: number;
  /** What was done below the beans. */
  readonly leaves: readonly Leaf[];
  /** Leaves over the bound, or begun after completion. */
  readonly droppedLeaves: number;
  readonly error: ErrorInfo | null;
  /** 1, 2, 3 … within the instance, in the order in which runs began: the number in `Started`. */
  readonly run?: number | undefined;
  /**
   * Absent for a request. Other work has the method `RUN`, its name for a path, no route, and the status 200 or, when it
   * threw, 500. A handler of a WebSocket has the method `WS`, and path and route of the request that opened it.
   */
  readonly kind?: "trace" | "background" | "websocket" | undefined;
  /** What a handler of a WebSocket was run for: `open`, `message` or `close`. */
  readonly event?: string | undefined;
  /** Of a handler of a WebSocket: the `run` of the request that opened it. */
  readonly connection?: number | undefined;
  /** What middleware told of it, in that order; absent where it told nothing. */
  readonly annotations?: readonly Annotation[] | undefined;
  /** Ids of the beans that it asked for by `ctx.get`, outside of any recorded call. */
  readonly entered?: readonly string[] | undefined;
  /** The bound of calls, where it was reached. */
  readonly callLimit?: number | undefined;
  /** How the response breaks the route's contract; absent where it does not, or is not checked. */
  readonly contractIssues?: readonly ContractIssue[] | undefined;
  /** Of which run it is the replay; absent where it is none. */
  readonly replayOf?: ReplayOf | undefined;
}

/** The data of the stream's `started` event: a run that is under way, sent again while it is. */
export interface Started {
  readonly instance: string;
  /** As in the trace that it will give. */
  readonly run: number;
  readonly kind: RunKind;
  readonly correlationId: string | null;
  readonly method: string;
  readonly path: string;
  readonly route: string | null;
  readonly startedAt: number;
  /** How long it had been under way when this was sent: clocks of two machines differ. */
  readonly elapsedUs: number;
  /** Calls so far. */
  readonly calls: number;
  /** Calls that have not settled, the outermost first, ten at most. */
  readonly pending: readonly PendingCall[];
}

/** A call that has not settled. */
export interface PendingCall {
  readonly bean: string;
  readonly method: string;
  /** From the run's start. */
  readonly startUs: number;
}

/** How the value of a panel is shown: an array of objects as rows, anything as a tree, nodes and edges as a drawing. */
export type PanelKind = "table" | "json" | "graph";

/** A panel of a plugin. */
export interface PanelInfo {
  /** The plugin's. */
  readonly name: string;
  readonly title: string;
  readonly kind: PanelKind;
}

/** A panel with its value as it was when it was asked for. */
export interface Panel extends PanelInfo {
  /** Null on an error. */
  readonly data: Json;
  /** What reading it threw. */
  readonly error: ErrorInfo | null;
}

/** The data of the stream's `gap` event: traces this client did not get; null when their number is not known. */
export interface Gap {
  readonly missed: number | null;
}

/** One run with the graph that it ran in, for a reader in another application. */
export interface ServiceRun {
  /** What the application is called. */
  readonly name: string;
  readonly trace: Trace;
  readonly graph: BeanGraph;
}
