/**
 * Descriptions: what a channel, a step or a span says of itself, and the channels that an application names.
 *
 * Spec: spec/leaves.md
 */
import type { LeafKind } from "../../run/shapes.ts";
import type { HeaderList } from "./header-list.ts";

/** What is said of a statement. */
export interface SqlDescription {
  /** `postgresql`, `mysql`, `sqlite` … */
  readonly system?: string | undefined;
  readonly statement?: string | undefined;
  /** By place or by name. */
  readonly parameters?: readonly unknown[] | Readonly<Record<string, unknown>> | undefined;
  /** The rows, or how many it brought or changed. */
  readonly rows?: readonly unknown[] | number | undefined;
}

/** What is said of a request that was sent. */
export interface HttpDescription {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly status?: number | undefined;
  readonly requestHeaders?: HeaderList | undefined;
  readonly responseHeaders?: HeaderList | undefined;
}

/** What is said of a command of a cache. */
export interface CacheDescription {
  /** `redis` … */
  readonly system?: string | undefined;
  readonly command?: string | undefined;
  readonly key?: string | undefined;
  readonly args?: readonly unknown[] | undefined;
  /** Was there something? */
  readonly hit?: boolean | undefined;
}

/** What is said of a line of a log. */
export interface LogDescription {
  readonly level?: string | undefined;
  readonly message?: string | undefined;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** What is said of a message. */
export interface MessageDescription {
  /** `kafka`, `rabbitmq` … */
  readonly system?: string | undefined;
  /** `send`, `receive` … */
  readonly operation?: string | undefined;
  readonly destination?: string | undefined;
  readonly body?: unknown;
}

/** What is said of a span or a step. */
export interface SpanDescription {
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

/** What is said of each kind. */
export interface Descriptions {
  readonly sql: SqlDescription;
  readonly http: HttpDescription;
  readonly cache: CacheDescription;
  readonly log: LogDescription;
  readonly message: MessageDescription;
  readonly span: SpanDescription;
}

/** What is said of a leaf of that kind; all of it may be left out. */
export type DescriptionOf<K extends LeafKind> = Descriptions[K] & {
  /** Short; by default what the kind gives, such as `SELECT`. */
  readonly name?: string | undefined;
  /** How long it took, where it is told of at its end alone. */
  readonly durationMs?: number | undefined;
  /** What it failed with. */
  readonly error?: unknown;
};

/** Any of them, as it comes from code of others. */
export type Description = Readonly<Record<string, unknown>>;

/** May it say something? */
export const isDescription = (given: unknown): given is Description =>
  typeof given === "object" && given !== null && !Array.isArray(given);

/** A channel whose messages are leaves of that kind. */
export interface LeafChannelOf<K extends LeafKind> {
  /** Its name; of a tracing channel the part between `tracing:` and `:start`. */
  readonly channel: string;
  readonly kind: K;
  /**
   * What a message says; undefined where it is none of interest. Of a tracing channel it is asked at the start, and at the
   * end once more, when `result` is there; what is the same both times is captured once. What it throws has no effect.
   */
  describe(message: unknown): DescriptionOf<K> | undefined;
}

/** A channel whose messages are leaves. */
export type LeafChannel = { readonly [K in LeafKind]: LeafChannelOf<K> }[LeafKind];

/** The kinds of leaves. */
export const leafKinds: readonly string[] = Object.keys({
  sql: 0,
  http: 0,
  cache: 0,
  log: 0,
  message: 0,
  span: 0,
} satisfies Readonly<Record<LeafKind, 0>>);
