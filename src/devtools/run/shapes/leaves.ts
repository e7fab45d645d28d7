/**
 * Wire, leaves: what a run did below its beans.
 *
 * Spec: spec/leaves.md
 */
import type { Json, JsonObject } from "./values.ts";

/** What kind of thing below the beans was done. */
export type LeafKind = "sql" | "http" | "cache" | "log" | "message" | "span";

/** A statement. */
export interface SqlDetail {
  /** As OpenTelemetry names it: `postgresql`, `mysql`, `sqlite` …; empty where it is not known. */
  readonly system: string;
  readonly statement: string;
  readonly parameters: readonly Json[];
  /** How many rows it brought or changed; null where that is not known. */
  readonly rows: number | null;
  /** The rows, where the source hands them over. */
  readonly result?: Json | undefined;
}

/** A run of another application, by its own devtools. */
export interface RunReference {
  /** Where it listens: `http://127.0.0.1:8081`. */
  readonly origin: string;
  /** `<instance>.<run>` there. */
  readonly id: string;
}

/** A request that the application sent. */
export interface HttpDetail {
  readonly method: string;
  /** Without userinfo, secrets in it hidden. */
  readonly url: string;
  /** Null when no response came. */
  readonly status: number | null;
  /** By lower-case name, one entry per field line. */
  readonly requestHeaders: { readonly [name: string]: readonly string[] };
  readonly responseHeaders: { readonly [name: string]: readonly string[] };
  /** The run that it led to, where an application with devtools on this machine responded. */
  readonly run: RunReference | null;
}

/** A command of a cache. */
export interface CacheDetail {
  /** `redis` …; empty where it is not known. */
  readonly system: string;
  /** In capitals: `GET`. */
  readonly command: string;
  /** Its first argument; empty without one. */
  readonly key: string;
  /** Those behind it. */
  readonly args: readonly Json[];
  /** Was there something? Null where that is not known. */
  readonly hit: boolean | null;
}

/** A line of a log. */
export interface LogDetail {
  /** `debug`, `info`, `warn` or `error`; of another logger, its own. */
  readonly level: string;
  readonly message: string;
  readonly fields: JsonObject;
}

/** A message to or from a queue or a topic. */
export interface MessageDetail {
  /** `kafka`, `rabbitmq` …; empty where it is not known. */
  readonly system: string;
  /** `send`, `receive` …; empty where it is not known. */
  readonly operation: string;
  readonly destination: string;
  readonly body: Json;
}

/** A span of OpenTelemetry, or a step of the application's own. */
export interface SpanDetail {
  readonly attributes: JsonObject;
  readonly status: "UNSET" | "OK" | "ERROR";
  /** 16 hexadecimal digits; null for a step. */
  readonly spanId: string | null;
  /** That of the span around it. */
  readonly parentSpanId: string | null;
}

/** Why something below the beans failed. */
export interface LeafError {
  readonly name: string;
  readonly message: string;
}

/** One thing below the beans. */
export interface LeafOf<K extends LeafKind, D> {
  /** 0, 1, 2 … in the order of beginning, beside the ids of calls. */
  readonly id: number;
  /** The call that was running; null for the request itself. */
  readonly parentId: number | null;
  readonly kind: K;
  /** Short: `SELECT`, `GET 127.0.0.1:8081`, the level of a line, the name of a span or step. */
  readonly name: string;
  readonly detail: D;
  readonly error: LeafError | null;
  /** From the run's start. */
  readonly startUs: number;
  /** 0 for a line of a log; null when it had not ended at completion. */
  readonly durationUs: number | null;
}

/** One thing that the application did below its beans: a statement, a request, a line of a log. */
export type Leaf =
  | LeafOf<"sql", SqlDetail>
  | LeafOf<"http", HttpDetail>
  | LeafOf<"cache", CacheDetail>
  | LeafOf<"log", LogDetail>
  | LeafOf<"message", MessageDetail>
  | LeafOf<"span", SpanDetail>;
