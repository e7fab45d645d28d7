/**
 * Leaves: the operations of a run below its beans. Each kind has its own detail.
 *
 * Spec: spec/leaves.md
 */
import { Type, type TSchema } from "typebox";
import { recordOf, runKey, spanIdForm } from "./forms.ts";
import { Json, JsonObject } from "./values.ts";

const Count = Type.Integer({ minimum: 0 });
const Nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()]);
/** Arbitrary names, each with one text or more. */
const TextLists = recordOf(Type.Array(Type.String(), { minItems: 1 }));

/** The kind of an operation below the beans. */
export const LeafKind = Type.Union([
  Type.Literal("sql"),
  Type.Literal("http"),
  Type.Literal("cache"),
  Type.Literal("log"),
  Type.Literal("message"),
  Type.Literal("span"),
]);

/** An SQL statement. */
export const SqlDetail = Type.Object({
  /** The name in OpenTelemetry: `postgresql`, `mysql`, `sqlite` …, empty if it is not known. */
  system: Type.String(),
  statement: Type.String(),
  parameters: Type.Array(Json),
  /** The number of rows that it returned or changed, or null if it is not known. */
  rows: Nullable(Count),
  /** The rows, if the source provides them. */
  result: Type.Optional(Json),
});

/** A run of another application, recorded by its own devtools. */
export const RunReference = Type.Object({
  /** The origin where it listens: `http://127.0.0.1:8081`. */
  origin: Type.String({ pattern: "^https?://[^/?#\\s]+$" }),
  /** `<instance>.<run>` of that application. */
  id: Type.String({ pattern: runKey }),
});

/** A request that the application sent. */
export const HttpDetail = Type.Object({
  method: Type.String(),
  /** Without userinfo. Secrets in it are hidden. */
  url: Type.String(),
  /** Null if no response came. */
  status: Nullable(Type.Integer({ minimum: 100, maximum: 599 })),
  /** By lower-case name, one entry per field line. */
  requestHeaders: TextLists,
  responseHeaders: TextLists,
  /** The run that it caused, if an application with devtools on this machine responded. */
  run: Nullable(RunReference),
});

/** A command of a cache. */
export const CacheDetail = Type.Object({
  /** `redis` …, empty if it is not known. */
  system: Type.String(),
  /** In capitals: `GET`. */
  command: Type.String(),
  /** Its first argument, empty without one. */
  key: Type.String(),
  /** The other arguments. */
  args: Type.Array(Json),
  /** Did the key exist? Null if it is not known. */
  hit: Nullable(Type.Boolean()),
});

/** A line of a log. */
export const LogDetail = Type.Object({
  /** `debug`, `info`, `warn` or `error`, or another logger's own level. */
  level: Type.String(),
  message: Type.String(),
  fields: JsonObject,
});

/** A message to or from a queue or a topic. */
export const MessageDetail = Type.Object({
  /** `kafka`, `rabbitmq` …, empty if it is not known. */
  system: Type.String(),
  /** `send`, `receive` …, empty if it is not known. */
  operation: Type.String(),
  destination: Type.String(),
  body: Json,
  /** The id of the message, if it is known. That of a job is the `id` of its attempts. */
  id: Type.Optional(Type.String({ minLength: 1 })),
});

const spanId = Type.String(spanIdForm);

/** An OpenTelemetry span, or a step that the application named. */
export const SpanDetail = Type.Object({
  attributes: JsonObject,
  status: Type.Union([Type.Literal("UNSET"), Type.Literal("OK"), Type.Literal("ERROR")]),
  /** 16 hexadecimal digits, or null for a step. */
  spanId: Nullable(spanId),
  /** The id of the parent span. */
  parentSpanId: Nullable(spanId),
});

/** The error of an operation below the beans. */
export const LeafError = Type.Object({ name: Type.String(), message: Type.String() });

/** One operation below the beans, of this kind. */
const leafOf = <K extends string, D extends TSchema>(kind: K, detail: D) =>
  Type.Object({
    /** 0, 1, 2 … in the order of beginning, separate from the ids of calls. */
    id: Count,
    /** The call that was running, or null for the request itself. */
    parentId: Nullable(Count),
    kind: Type.Literal(kind),
    /** Short: `SELECT`, `GET 127.0.0.1:8081`, the level of a line, the name of a span or step. */
    name: Type.String(),
    detail,
    error: Nullable(LeafError),
    /** From the run's start. */
    startUs: Count,
    /** 0 for a log line, or null if it had not ended at completion. */
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

/** An OpenTelemetry span, or a step that the application named, as a leaf. */
export const SpanLeaf = leafOf("span", SpanDetail);

/** One operation of the application below its beans: a statement, a request, a log line. */
export const Leaf = Type.Union([SqlLeaf, HttpLeaf, CacheLeaf, LogLeaf, MessageLeaf, SpanLeaf]);
