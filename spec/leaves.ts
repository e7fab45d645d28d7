/**
 * Leaves: what a run did below its beans. Every kind has a detail of its own.
 *
 * Spec: leaves.md (LEAF)
 */
import { Type, type TSchema } from "typebox";
import { Json, JsonObject } from "./values.ts";

const Count = Type.Integer({ minimum: 0 });
const closed = { additionalProperties: false } as const;
const Nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()]);
/** Names to one text or more, any name. */
const TextLists = Type.Record(Type.String({ pattern: "^[\\s\\S]*$" }), Type.Array(Type.String(), { minItems: 1 }));

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
export const SqlDetail = Type.Object(
  {
    system: Type.String(),
    statement: Type.String(),
    parameters: Type.Array(Json),
    rows: Nullable(Count),
    result: Type.Optional(Json),
  },
  closed,
);

/** A run of another application, by its own devtools. */
export const RunReference = Type.Object(
  {
    origin: Type.String({ pattern: "^https?://" }),
    id: Type.String({ pattern: "^[A-Za-z0-9-]{1,64}\\.[1-9][0-9]{0,15}$" }),
  },
  closed,
);

/** A request that the application sent. */
export const HttpDetail = Type.Object(
  {
    method: Type.String(),
    url: Type.String(),
    status: Nullable(Type.Integer({ minimum: 100, maximum: 599 })),
    requestHeaders: TextLists,
    responseHeaders: TextLists,
    run: Nullable(RunReference),
  },
  closed,
);

/** A command of a cache. */
export const CacheDetail = Type.Object(
  {
    system: Type.String(),
    command: Type.String(),
    key: Type.String(),
    args: Type.Array(Json),
    hit: Nullable(Type.Boolean()),
  },
  closed,
);

/** A line of a log. */
export const LogDetail = Type.Object({ level: Type.String(), message: Type.String(), fields: JsonObject }, closed);

/** A message to or from a queue or a topic. */
export const MessageDetail = Type.Object(
  { system: Type.String(), operation: Type.String(), destination: Type.String(), body: Json },
  closed,
);

const SpanId = Type.String({ pattern: "^[0-9a-f]{16}$" });

/** A span of OpenTelemetry, or a step of the application's own. */
export const SpanDetail = Type.Object(
  {
    attributes: JsonObject,
    status: Type.Union([Type.Literal("UNSET"), Type.Literal("OK"), Type.Literal("ERROR")]),
    spanId: Nullable(SpanId),
    parentSpanId: Nullable(SpanId),
  },
  closed,
);

/** Why something below the beans failed. */
export const LeafError = Type.Object({ name: Type.String(), message: Type.String() }, closed);

/** One thing below the beans, of a kind. */
const leafOf = <K extends string, D extends TSchema>(kind: K, detail: D) =>
  Type.Object(
    {
      id: Count,
      parentId: Nullable(Count),
      kind: Type.Literal(kind),
      name: Type.String(),
      detail,
      error: Nullable(LeafError),
      startUs: Count,
      durationUs: Nullable(Count),
    },
    closed,
  );

/** One thing that the application did below its beans. */
export const Leaf = Type.Union([
  leafOf("sql", SqlDetail),
  leafOf("http", HttpDetail),
  leafOf("cache", CacheDetail),
  leafOf("log", LogDetail),
  leafOf("message", MessageDetail),
  leafOf("span", SpanDetail),
]);
