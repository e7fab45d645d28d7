/**
 * Wire, across time: what travels between devtools and the page besides the last runs.
 *
 *   application ── …/api/sessions, history, runs/{instance}.{sequence} ──▶ kept runs
 *               ── …/api/search, aggregates ────────────────────────────▶ what is found in them, and in common
 *               ── …/api/startup, metrics, health ──────────────────────▶ how it came up, and how it is
 *
 * As in wire.ts: types and constants only, the same for both sides.
 *
 * Spec: spec/history.md, spec/search.md
 */
import type { RunKind, Stereotype, Trace } from "./run.ts";

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

/** A process of the application whose runs are kept. */
export interface Session {
  readonly instance: string;
  readonly startedAt: number;
  /** What the application was called; null where it had no name. */
  readonly app: string | null;
  /** The commit that was checked out when it started; null outside of a repository. What was not committed is not known. */
  readonly commit: string | null;
  /** Null where no branch was checked out. */
  readonly branch: string | null;
  /** Runs that can be read now. */
  readonly runs: number;
  /** Runs that were too many at once to be written. */
  readonly skipped: number;
  /** Is it the process that says this? */
  readonly current: boolean;
}

/** The processes whose runs are kept, the latest first. */
export interface SessionList {
  readonly sessions: readonly Session[];
  /** The file in which runs are kept, as it was configured; null where they are kept in memory alone. */
  readonly file: string | null;
}

/** Runs that were kept on disk, the newest first. */
export interface HistoryPage {
  readonly runs: readonly Trace[];
  /** What `cursor` has to be for the runs before these; null where there are none. */
  readonly next: string | null;
}

/** A part of a run, besides its calls and leaves, in which a search has found something. */
export type SearchPart = "run" | "path" | "param" | "query" | "header" | "body" | "response" | "error" | "contract";

/** A run that a search has found, and where. */
export interface SearchHit {
  readonly instance: string;
  readonly sequence: number;
  readonly kind: RunKind;
  readonly method: string;
  readonly path: string;
  readonly route: string | null;
  readonly status: number;
  readonly startedAt: number;
  readonly durationUs: number;
  /** Ids of the calls in which it was found. */
  readonly calls: readonly number[];
  /** Ids of the leaves in which it was found. */
  readonly leaves: readonly number[];
  readonly parts: readonly SearchPart[];
}

/** What a search has found, the newest first. */
export interface SearchPage {
  readonly hits: readonly SearchHit[];
  /** What `cursor` has to be for the hits before these; null where there are none. */
  readonly next: string | null;
  /** How many runs were looked at. */
  readonly searched: number;
  /** How long that took. */
  readonly tookUs: number;
}

/** Why a query cannot be understood, and where in it. */
export interface SearchIssue {
  /** The index of the first character that it is about. */
  readonly at: number;
  readonly length: number;
  readonly message: string;
  /** The whole query as it was probably meant. */
  readonly suggestion?: string | undefined;
}

/** The response to a query that cannot be understood: a problem (RFC 9457). */
export interface SearchProblem {
  readonly type: "about:blank";
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly issues: readonly SearchIssue[];
}

/** What the kept runs of one route, or of work of one name, have in common. */
export interface RouteAggregate {
  readonly kind: RunKind;
  readonly method: string;
  /** Null for requests that no route took; of other work its name. */
  readonly route: string | null;
  readonly count: number;
  /** Runs that ended with 5xx. */
  readonly errors: number;
  readonly aborted: number;
  readonly p50Us: number;
  readonly p95Us: number;
  readonly maxUs: number;
  /** `{instance}.{sequence}` of the newest of them, 20 at most. */
  readonly runs: readonly string[];
}

/** What the calls of one bean in the kept runs have in common. */
export interface BeanAggregate {
  readonly bean: string;
  readonly calls: number;
  /** Calls that threw. */
  readonly errors: number;
  /** Over the calls that settled; 0 where none did. */
  readonly p50Us: number;
  readonly p95Us: number;
  readonly maxUs: number;
  /** How many runs called it. */
  readonly count: number;
  /** `{instance}.{sequence}` of the newest of them, 20 at most. */
  readonly runs: readonly string[];
}

/** The kept runs by route and by bean. */
export interface Aggregates {
  /** How many runs they are of. */
  readonly count: number;
  /** When the oldest of them began; null without one. */
  readonly since: number | null;
  readonly routes: readonly RouteAggregate[];
  readonly beans: readonly BeanAggregate[];
}

/** What went wrong at a start. */
export interface StartError {
  readonly name: string;
  readonly message: string;
}

/** How a bean was made. */
export interface BeanStart {
  readonly bean: string;
  readonly stereotype: Stereotype;
  /** The bean whose factory asked for it; null for one that the container made by itself. */
  readonly parent: string | null;
  /** From the start of the first. */
  readonly startUs: number;
  /** With the beans that it asked for; null while it is made. */
  readonly durationUs: number | null;
  /** Without them; null while it is made. */
  readonly selfUs: number | null;
  readonly error: StartError | null;
}

/** How a listener of `app.onStart` ran. */
export interface HookStart {
  /** The function's name; empty for one without. */
  readonly name: string;
  readonly startUs: number;
  /** Null while it runs. */
  readonly durationUs: number | null;
  readonly error: StartError | null;
}

/** How a process of the application came up, or did not. */
export interface StartUp {
  readonly instance: string;
  /** When its first bean, or its first listener, began. */
  readonly startedAt: number;
  /** Until the last listener had run, or until it failed; null before. */
  readonly durationUs: number | null;
  /** In the order in which they began. */
  readonly beans: readonly BeanStart[];
  /** Beans over the bound. */
  readonly droppedBeans: number;
  readonly hooks: readonly HookStart[];
  /** Ids of the beans that a failed start left unmade. */
  readonly notBuilt: readonly string[];
  /** The beans on the way to the one that failed, the first one asked for first. */
  readonly chain: readonly string[];
  readonly error: StartError | null;
}

/** How this process came up, and the last one before it that did not. */
export interface StartUpView {
  /** Null where nothing of it was seen: no bean with the recorder, no listener yet. */
  readonly current: StartUp | null;
  /** Read from the history on disk; null where no start failed since the last that did not. */
  readonly failed: StartUp | null;
}

/** How long requests took; Prometheus' `le` is null for the last bucket. */
interface MetricsDuration {
  readonly sum: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly buckets: readonly { readonly le: number | null; readonly count: number }[];
}

/** The application's own metrics, as its collector has them. */
export interface MetricsView {
  readonly metrics: {
    readonly since: number;
    readonly activeRequests: number;
    readonly routes: readonly {
      readonly method: string;
      readonly route: string;
      readonly count: number;
      readonly errors: number;
      readonly aborted: number;
      readonly statuses: { readonly [code: string]: number };
      readonly durationSeconds: MetricsDuration;
    }[];
  } | null;
  /** Why there are none; null where there are. */
  readonly reason: string | null;
}

/** `UP`: usable. `DOWN`: not. */
export type CheckStatus = "UP" | "DOWN";

/** One result of a health check. */
export interface CheckOutcome {
  readonly status: CheckStatus;
  readonly durationUs: number;
  readonly checkedAt: number;
}

/** A health check, and how it went lately. */
export interface CheckView extends CheckOutcome {
  readonly name: string;
  /** Why it is down. */
  readonly error?: string | undefined;
  /** The results that devtools have seen, the latest first, 20 at most. */
  readonly recent: readonly CheckOutcome[];
}

/** The application's own health. */
export interface HealthView {
  readonly health: { readonly status: CheckStatus; readonly checks: { readonly [name: string]: CheckStatus } } | null;
  /** Why there is none; null where there is. */
  readonly reason: string | null;
  /** In the order of their registration. */
  readonly checks: readonly CheckView[];
}
