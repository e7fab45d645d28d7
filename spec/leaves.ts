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
  system: Type.String(),
  statement: Type.String(),
  parameters: Type.Array(Json),
  rows: Nullable(Count),
  result: Type.Optional(Json),
});

/** A run of another application, by its own devtools. */
export const RunReference = Type.Object({
  origin: Type.String({ pattern: "^https?://[^/?#\\s]+$" }),
  id: Type.String({ pattern: runKey }),
});

/** A request that the application sent. */
export const HttpDetail = Type.Object({
  method: Type.String(),
  url: Type.String(),
  status: Nullable(Type.Integer({ minimum: 100, maximum: 599 })),
  requestHeaders: TextLists,
  responseHeaders: TextLists,
  run: Nullable(RunReference),
});

/** A command of a cache. */
export const CacheDetail = Type.Object({
  system: Type.String(),
  command: Type.String(),
  key: Type.String(),
  args: Type.Array(Json),
  hit: Nullable(Type.Boolean()),
});

/** A line of a log. */
export const LogDetail = Type.Object({ level: Type.String(), message: Type.String(), fields: JsonObject });

/** A message to or from a queue or a topic. */
export const MessageDetail = Type.Object({
  system: Type.String(),
  operation: Type.String(),
  destination: Type.String(),
  body: Json,
});

const spanId = Type.String(spanIdForm);

/** A span of OpenTelemetry, or a step of the application's own. */
export const SpanDetail = Type.Object({
  attributes: JsonObject,
  status: Type.Union([Type.Literal("UNSET"), Type.Literal("OK"), Type.Literal("ERROR")]),
  spanId: Nullable(spanId),
  parentSpanId: Nullable(spanId),
});

/** Why something below the beans failed. */
export const LeafError = Type.Object({ name: Type.String(), message: Type.String() });

/** One thing below the beans, of a kind. */
const leafOf = <K extends string, D extends TSchema>(kind: K, detail: D) =>
  Type.Object({
    id: Count,
    parentId: Nullable(Count),
    kind: Type.Literal(kind),
    name: Type.String(),
    detail,
    error: Nullable(LeafError),
    startUs: Count,
    durationUs: Nullable(Count),
  });

/** One thing that the application did below its beans. */
export const Leaf = Type.Union([
  leafOf("sql", SqlDetail),
  leafOf("http", HttpDetail),
  leafOf("cache", CacheDetail),
  leafOf("log", LogDetail),
  leafOf("message", MessageDetail),
  leafOf("span", SpanDetail),
]);
