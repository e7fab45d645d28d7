/**
 * Leaves: what a run did below its beans. Every kind has a detail of its own.
 *
 * Spec: spec/leaves.md
 */
import { Type, type TSchema } from "typebox";
import { recordOf, runKey, spanIdForm } from "./forms.ts";
import { Json, JsonObject } from "./values.ts";

const Count = Type.Integer({ minimum: 0 });
const Nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()]);
/** Names to one text or more, any name. */
const TextLists = recordOf(Type.Array(Type.String(), { minItems: 1 }));

/** What kind of thing below the beans was done. */
export const LeafKind = Type.Union([
  Type.Literal("sql"),
  Type.Literal("http"),
  Type.Literal("cache"),
  Type.Literal("log"),
  Type.Literal("message"),
  Type.Literal("span"),
]);

/** A statement. */
export const SqlDetail = Type.Object({
  /** As OpenTelemetry names it: `postgresql`, `mysql`, `sqlite` …; empty where it is not known. */
  system: Type.String(),
  statement: Type.String(),
  parameters: Type.Array(Json),
  /** How many rows it brought or changed; null where that is not known. */
  rows: Nullable(Count),
  /** The rows, where the source hands them over. */
  result: Type.Optional(Json),
});

/** A run of another application, by its own devtools. */
export const RunReference = Type.Object({
  /** Where it listens: `http://127.0.0.1:8081`. */
  origin: Type.String({ pattern: "^https?://[^/?#\\s]+$" }),
  /** `<instance>.<run>` there. */
  id: Type.String({ pattern: runKey }),
});

/** A request that the application sent. */
export const HttpDetail = Type.Object({
  method: Type.String(),
  /** Without userinfo, secrets in it hidden. */
  url: Type.String(),
  /** Null when no response came. */
  status: Nullable(Type.Integer({ minimum: 100, maximum: 599 })),
  /** By lower-case name, one entry per field line. */
  requestHeaders: TextLists,
  responseHeaders: TextLists,
  /** The run that it led to, where an application with devtools on this machine responded. */
  run: Nullable(RunReference),
});

/** A command of a cache. */
export const CacheDetail = Type.Object({
  /** `redis` …; empty where it is not known. */
  system: Type.String(),
  /** In capitals: `GET`. */
  command: Type.String(),
  /** Its first argument; empty without one. */
  key: Type.String(),
  /** Those behind it. */
  args: Type.Array(Json),
  /** Was there something? Null where that is not known. */
  hit: Nullable(Type.Boolean()),
});

/** A line of a log. */
export const LogDetail = Type.Object({
  /** `debug`, `info`, `warn` or `error`; of another logger, its own. */
  level: Type.String(),
  message: Type.String(),
  fields: JsonObject,
});

/** A message to or from a queue or a topic. */
export const MessageDetail = Type.Object({
  /** `kafka`, `rabbitmq` …; empty where it is not known. */
  system: Type.String(),
  /** `send`, `receive` …; empty where it is not known. */
  operation: Type.String(),
  destination: Type.String(),
  body: Json,
});

const spanId = Type.String(spanIdForm);

/** A span of OpenTelemetry, or a step of the application's own. */
export const SpanDetail = Type.Object({
  attributes: JsonObject,
  status: Type.Union([Type.Literal("UNSET"), Type.Literal("OK"), Type.Literal("ERROR")]),
  /** 16 hexadecimal digits; null for a step. */
  spanId: Nullable(spanId),
  /** That of the span around it. */
  parentSpanId: Nullable(spanId),
});

/** Why something below the beans failed. */
export const LeafError = Type.Object({ name: Type.String(), message: Type.String() });

/** One thing below the beans, of a kind. */
const leafOf = <K extends string, D extends TSchema>(kind: K, detail: D) =>
  Type.Object({
    /** 0, 1, 2 … in the order of beginning, beside the ids of calls. */
    id: Count,
    /** The call that was running; null for the request itself. */
    parentId: Nullable(Count),
    kind: Type.Literal(kind),
    /** Short: `SELECT`, `GET 127.0.0.1:8081`, the level of a line, the name of a span or step. */
    name: Type.String(),
    detail,
    error: Nullable(LeafError),
    /** From the run's start. */
    startUs: Count,
    /** 0 for a line of a log; null when it had not ended at completion. */
    durationUs: Nullable(Count),
  });

/** A statement, as a leaf. */
export const SqlLeaf = leafOf("sql", SqlDetail);

/** A request that the application sent, as a leaf. */
export const HttpLeaf = leafOf("http", HttpDetail);

/** A command of a cache, as a leaf. */
export const CacheLeaf = leafOf("cache", CacheDetail);

/** A line of a log, as a leaf. */
export const LogLeaf = leafOf("log", LogDetail);

/** A message to or from a queue or a topic, as a leaf. */
export const MessageLeaf = leafOf("message", MessageDetail);

/** A span of OpenTelemetry, or a step of the application's own, as a leaf. */
export const SpanLeaf = leafOf("span", SpanDetail);

/** One thing that the application did below its beans: a statement, a request, a line of a log. */
export const Leaf = Type.Union([SqlLeaf, HttpLeaf, CacheLeaf, LogLeaf, MessageLeaf, SpanLeaf]);
