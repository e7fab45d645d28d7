/**
 * Descriptions of channels, steps and spans, and the channels that an application adds.
 *
 * Spec: spec/leaves.md
 */
import type { LeafKind } from "../../run/shapes.ts";
import type { HeaderList } from "./header-list.ts";

/** The description of a statement. */
export interface SqlDescription {
  /** `postgresql`, `mysql`, `sqlite` … */
  readonly system?: string | undefined;
  readonly statement?: string | undefined;
  /** By position or by name. */
  readonly parameters?: readonly unknown[] | Readonly<Record<string, unknown>> | undefined;
  /** The rows, or the number of returned or changed rows. */
  readonly rows?: readonly unknown[] | number | undefined;
}

/** The description of an outgoing request. */
export interface HttpDescription {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly status?: number | undefined;
  readonly requestHeaders?: HeaderList | undefined;
  readonly responseHeaders?: HeaderList | undefined;
}

/** The description of a cache command. */
export interface CacheDescription {
  /** `redis` … */
  readonly system?: string | undefined;
  readonly command?: string | undefined;
  readonly key?: string | undefined;
  readonly args?: readonly unknown[] | undefined;
  /** Whether something was found. */
  readonly hit?: boolean | undefined;
}

/** The description of a log line. */
export interface LogDescription {
  readonly level?: string | undefined;
  readonly message?: string | undefined;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
}

/** The description of a message. */
export interface MessageDescription {
  /** `kafka`, `rabbitmq` … */
  readonly system?: string | undefined;
  /** `send`, `receive` … */
  readonly operation?: string | undefined;
  readonly destination?: string | undefined;
  readonly body?: unknown;
  /** The id of the message. */
  readonly id?: string | undefined;
}

/** The description of a span or a step. */
export interface SpanDescription {
  readonly attributes?: Readonly<Record<string, unknown>> | undefined;
}

/** The description of each kind. */
export interface Descriptions {
  readonly sql: SqlDescription;
  readonly http: HttpDescription;
  readonly cache: CacheDescription;
  readonly log: LogDescription;
  readonly message: MessageDescription;
  readonly span: SpanDescription;
}

/** The description of a leaf of that kind; every part is optional. */
export type DescriptionOf<K extends LeafKind> = Descriptions[K] & {
  /** Short; by default from the kind, such as `SELECT`. */
  readonly name?: string | undefined;
  /** Its duration, if it is only reported at its end. */
  readonly durationMs?: number | undefined;
  /** The error it failed with. */
  readonly error?: unknown;
};

/** Any of them, from foreign code. */
export type Description = Readonly<Record<string, unknown>>;

/** A channel whose messages are leaves of that kind. */
export interface LeafChannelOf<K extends LeafKind> {
  /** Its name; for a tracing channel, the part between `tracing:` and `:start`. */
  readonly channel: string;
  readonly kind: K;
  /**
   * The description of a message; undefined to ignore it. For a tracing channel it is called at the start, and again at the
   * end with `result`; a part that is the same both times is captured once. An error that it throws has no effect.
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
