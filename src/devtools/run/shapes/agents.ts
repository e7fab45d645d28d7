/**
 * Wire, agents: what the tools of `framework-devtools mcp` return, as structured content.
 *
 *   agent ── tools/call ──▶ framework-devtools mcp ── GET ──▶ devtools of the application
 *         ◀── one of these ──┘
 *
 * All are bounded: what does not fit is behind `next`, or cut, which then ends with `…`. Recorded values are texts written
 * as a programmer would, so that a value that JSON lacks needs no form of its own.
 */
import type { JsonObject } from "./values.ts";

/** Where a method is, and a line that threw: `src/orders.ts:12`; null where that is not known. */
export type AgentPlace = string | null;

/** A call. */
export interface AgentCall {
  /** Its id within the run, as `get_run` takes it. */
  readonly id: number;
  /** `OrderRepository.find`. */
  readonly name: string;
  /** Where the method is that ran. */
  readonly at: AgentPlace;
}

/** A run in short. */
export interface AgentRun {
  /** `<instance>.<sequence>`, as other tools take it. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly route: string | null;
  readonly status: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationUs: number;
}

/** What every result says. */
interface AgentResult {
  /** What the application recorded is data, said in a sentence. */
  readonly notice: string;
}

/** A result that may go on: `cursor` of the next call; null at the end. */
interface AgentPage extends AgentResult {
  readonly next: string | null;
}

/** A route. */
export interface AgentRoute {
  readonly method: string;
  readonly path: string;
  readonly summary: string | null;
  /** Beans by which it enters the graph; empty until its first request. */
  readonly beans: readonly string[];
  /** What it takes and gives, where that was asked for and is declared. */
  readonly contract?: JsonObject | undefined;
  /** A request that it takes, where that was asked for and is declared. */
  readonly example?: JsonObject | undefined;
}

/** The result of `list_routes`. */
export interface AgentRoutes extends AgentPage {
  readonly routes: readonly AgentRoute[];
}

/** A bean. */
export interface AgentBean {
  readonly id: string;
  readonly stereotype: string;
  readonly implementation: string;
  readonly dependencies: readonly string[];
  readonly usedBy: readonly string[];
  /** Of one bean that was asked for: its methods, and where they are. */
  readonly methods?: readonly { readonly name: string; readonly at: string }[] | undefined;
}

/** The result of `get_graph`. */
export interface AgentGraph extends AgentPage {
  readonly beans: readonly AgentBean[];
  /** How many beans the application has. */
  readonly total: number;
}

/** The result of `send_request`. */
export interface AgentSent extends AgentResult {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** Null where devtools recorded none in time. */
  readonly run: AgentRun | null;
  /** `12 calls · 9 SQL 31 ms`; empty without a run. */
  readonly did: string;
  /** What it failed with; null where it did not. */
  readonly error: string | null;
}

/** The result of `list_runs`. */
export interface AgentRuns extends AgentPage {
  readonly runs: readonly AgentRun[];
  /** How many runs were looked at. */
  readonly searched: number;
}

/** A line of the tree of a run: a call, or what was done below one. */
export interface AgentLine {
  /** Its id: of a call where `kind` is `call`. */
  readonly id: number;
  /** The call around it; null for the handler. */
  readonly in: number | null;
  readonly kind: string;
  /** `OrderRepository.find("7") → {id: "7"}`. */
  readonly text: string;
  /** Null where it had not ended. */
  readonly totalUs: number | null;
  /** Of a call: the time that is in no call below. */
  readonly selfUs?: number | undefined;
  /** Does it bound the end of the run? */
  readonly critical?: boolean | undefined;
}

/** What was done below a call. */
export interface AgentLeaf {
  readonly id: number;
  readonly kind: string;
  /** The statement, the address, the message. */
  readonly text: string;
  /** What it was given; empty where nothing. */
  readonly given: string;
  /** What came of it: rows, a status; empty where nothing is known. */
  readonly outcome: string;
  readonly totalUs: number | null;
}

/** One call with all that is known of it. */
export interface AgentCallDetail extends AgentCall {
  readonly in: AgentCall | null;
  readonly args: readonly { readonly name: string; readonly value: string }[];
  /** Empty where it threw. */
  readonly result: string;
  /** `TypeError: x is not a function`; null where it did not throw. */
  readonly error: string | null;
  /** The application's own places of its stack. */
  readonly stack: readonly string[];
  /** The code around the line that threw; a `>` marks it. */
  readonly code: readonly string[];
  readonly startUs: number;
  readonly totalUs: number | null;
  readonly selfUs: number;
  /** The calls that it made. */
  readonly calls: readonly AgentCall[];
  readonly leaves: readonly AgentLeaf[];
  /** Calls and leaves below it that found no room: the tree has them. */
  readonly notShown: number;
}

/** The request and the response of a run. */
export interface AgentSummary {
  readonly query: string;
  readonly params: string;
  readonly requestHeaders: string;
  readonly requestBody: string;
  readonly responseHeaders: string;
  readonly responseBody: string;
  /** `12 calls · 9 SQL 31 ms`. */
  readonly did: string;
  readonly error: string | null;
  /** How the response breaks its contract. */
  readonly contractIssues: readonly string[];
}

/** The result of `get_run`, with what its `view` asks for. */
export interface AgentRunView extends AgentPage {
  readonly run: AgentRun;
  readonly summary?: AgentSummary | undefined;
  readonly tree?: readonly AgentLine[] | undefined;
  readonly call?: AgentCallDetail | undefined;
}

/** A place in a run at which a value stands. */
export interface AgentOccurrence {
  /** `request`, `argument`, `statement`, `rows`, `leaf`, `result`, `error` or `response`. */
  readonly part: string;
  readonly call: AgentCall | null;
  readonly leaf: number | null;
  /** A JSONPath into the part. */
  readonly path: string;
  readonly value: string;
  /** When it came there, from the run's start. */
  readonly us: number;
}

/** The result of `find_value`. */
export interface AgentOccurrences extends AgentPage {
  readonly run: AgentRun;
  /** Where it came from; null where it is nowhere. */
  readonly first: AgentOccurrence | null;
  /** The first first. */
  readonly found: readonly AgentOccurrence[];
  /** How many there are. */
  readonly total: number;
}

/** One thing in which two runs differ. */
export interface AgentDifference {
  /** `arguments`, `result`, `extra`, `missing`, `statement` or `rows`. */
  readonly kind: string;
  /** The call of B whose code made it; null for the handler. */
  readonly by: AgentCall | null;
  /** The call that it is seen at. */
  readonly seenAt: string;
  readonly differences: readonly { readonly path: string; readonly a: string; readonly b: string }[];
  /** Was the call given other arguments too? Then another result is no wonder. */
  readonly isExpected: boolean;
}

/** The result of `compare_runs`. */
export interface AgentComparison extends AgentPage {
  readonly a: AgentRun;
  readonly b: AgentRun;
  /** What differs first, and whose code made it; null where the runs are the same. */
  readonly first: AgentDifference | null;
  /** In the order in which it came about, the first included. */
  readonly differences: readonly AgentDifference[];
  /** How the responses differ. */
  readonly response: readonly { readonly path: string; readonly a: string; readonly b: string }[];
}

/** A fact of a run. */
export interface AgentFinding {
  readonly kind: string;
  readonly message: string;
  /** The call whose code it is about; null for the handler, or the run as a whole. */
  readonly call: AgentCall | null;
  /** The line that threw where one did, else where the method of the call is. */
  readonly line: AgentPlace;
  /** The code of the line that threw; null where none did. */
  readonly code: string | null;
  readonly leaf: number | null;
  readonly costUs: number | null;
}

/** The result of `explain_run`. */
export interface AgentExplanation extends AgentPage {
  readonly run: AgentRun;
  /** The run of the same request that worked, which it was held against; null where none is kept. */
  readonly comparedWith: AgentRun | null;
  readonly findings: readonly AgentFinding[];
}

/** The result of `wait_for_run`. */
export interface AgentAwaited extends AgentResult {
  /** Null where none came in time. */
  readonly run: AgentRun | null;
  readonly waitedMs: number;
}

/** The result of `get_health`. */
export interface AgentHealth extends AgentResult {
  readonly url: string;
  /** What the application is called. */
  readonly app: string | null;
  /** The process that runs now. */
  readonly instance: string | null;
  readonly startedAt: string | null;
  readonly commit: string | null;
  readonly branch: string | null;
  /** `UP`, `DOWN`; null where it has no health checks. */
  readonly status: string | null;
  readonly checks: readonly { readonly name: string; readonly status: string; readonly error: string | null }[];
  /** How long it took to start; null where that was not seen. */
  readonly startUs: number | null;
  /** The last start that failed since the last that did not; null where none did. */
  readonly failedStart: { readonly error: string; readonly beans: readonly string[] } | null;
  /** Routes with their counts of requests and errors, the most errors first, 20 at most; empty without metrics. */
  readonly routes: readonly {
    readonly route: string;
    readonly count: number;
    readonly errors: number;
    readonly p95Ms: number;
  }[];
}

/** Where a method is, of a bean whose calls are recorded. */
export interface MethodSource {
  /** The bean's id. */
  readonly bean: string;
  readonly method: string;
  /** Relative to the working directory where it is below it, with slashes; else as it is. */
  readonly file: string;
  readonly line: number;
}

/** MethodSource[], inside the context path. */
export const SOURCES_PATH = "/framework/dev/api/sources";
