/**
 * Trace: one request and its calls. Values that JSON lacks are written as trace.md's table says.
 *
 * Spec: spec/trace.md
 */
import { Type, type TObject, type TSchema } from "typebox";
import { correlationId, instance, jsonPointer, path, recordOf } from "./forms.ts";
import { Stereotype } from "./graph.ts";
import { Leaf } from "./leaves.ts";
import { ReplayOf } from "./replay.ts";
import { Json, JsonObject } from "./values.ts";
import { within } from "./within.ts";

const Count = Type.Integer({ minimum: 0 });
const Position = Type.Integer({ minimum: 1 });
const True = Type.Literal(true);

/** One form of the table in trace.md: an object with this member, and no other. */
const tagged = <P extends Readonly<Record<string, TSchema>>>(members: P): TObject<P> =>
  Type.Object(members, { additionalProperties: false });

/** ISO 8601 as JavaScript writes any date that there is: one before the year 0 or behind 9999 has six digits and a sign. */
const date =
  "^(?:(?:[0-9]{4}|[+-][0-9]{6})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z|Invalid Date)$";

/** The table "Values that JSON lacks" of trace.md. A class instance is an object of its own members besides `$class`. */
export const TaggedValue = Type.Union(
  [
    tagged({ $bigint: Type.String({ pattern: "^-?[0-9]+$" }) }),
    tagged({
      $number: Type.Union([
        Type.Literal("NaN"),
        Type.Literal("Infinity"),
        Type.Literal("-Infinity"),
        Type.Literal("-0"),
      ]),
    }),
    tagged({ $undefined: True }),
    tagged({ $symbol: Type.String() }),
    tagged({ $function: Type.String() }),
    tagged({ $date: Type.String({ pattern: date }) }),
    tagged({ $map: Type.Array(Json) }),
    tagged({ $set: Type.Array(Json) }),
    tagged({ $bytes: Count }),
    tagged({
      $error: tagged({
        name: Type.String(),
        message: Type.String(),
        cause: Type.Optional(Json),
        errors: Type.Optional(Type.Array(Json, { maxItems: 10 })),
      }),
    }),
    tagged({ $stream: Type.String() }),
    tagged({ $thenable: True }),
    tagged({ $pending: True }),
    tagged({ $bean: Type.String({ minLength: 1 }) }),
    tagged({ $context: Type.String({ minLength: 1 }) }),
    tagged({ $circular: True }),
    tagged({ $evicted: True }),
    tagged({ $string: Type.String(), $truncated: Count }),
    tagged({ $truncated: Count }),
  ],
  { $id: "TaggedValue" },
);

const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) => Type.Union([type, Type.Null()]);

/** One place in a stack. */
export const StackFrame = Type.Object({
  name: Type.String(),
  file: Type.String(),
  line: Position,
  column: Position,
  own: Type.Boolean(),
});

/** A few lines of code around the one that threw. */
export const Excerpt = Type.Object({
  file: Type.String(),
  line: Position,
  from: Position,
  lines: Type.Array(Type.String(), { minItems: 1, maxItems: 7 }),
});

const place = { stack: Type.Optional(Type.Array(StackFrame, { maxItems: 50 })), excerpt: Type.Optional(Excerpt) };

/** An error that led to another one. */
export const ErrorCause = Type.Object({ name: Type.String(), message: Type.String(), ...place });

/** What was thrown. */
export const ErrorInfo = Type.Object({
  name: Type.String(),
  message: Type.String(),
  ...place,
  causes: Type.Optional(Type.Array(ErrorCause, { maxItems: 5 })),
  fields: Type.Optional(JsonObject),
});

/** Names to texts, any name. */
const Texts = recordOf(Type.String());
/** Names to one text or more, any name. */
const TextLists = recordOf(Type.Array(Type.String(), { minItems: 1 }));

/** One call of one bean. */
export const Call = Type.Object({
  id: Count,
  parentId: Nullable(Count),
  depth: Count,
  bean: Type.String({ minLength: 1 }),
  declaredBy: Type.String({ minLength: 1 }),
  stereotype: Stereotype,
  method: Type.String(),
  args: Type.Array(Json),
  params: Type.Optional(Type.Array(Type.String())),
  result: Json,
  error: Nullable(ErrorInfo),
  startUs: Count,
  durationUs: Nullable(Count),
  async: Type.Boolean(),
});

/** What came in. */
export const TraceRequest = Type.Object({
  pathParams: Texts,
  query: TextLists,
  headers: TextLists,
  body: Json,
  cookies: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 50 })),
});

/** A cookie that a response sets, without its value. */
export const SetCookie = Type.Object({ name: Type.String(), attributes: Type.Array(Type.String(), { maxItems: 20 }) });

/** What went out. */
export const TraceResponse = Type.Object({
  headers: TextLists,
  body: Json,
  bytes: Count,
  cookies: Type.Optional(Type.Array(SetCookie, { minItems: 1, maxItems: 50 })),
});

/** One thing by which a response breaks its contract. */
export const ContractIssue = Type.Object({ pointer: Type.String({ pattern: jsonPointer }), message: Type.String() });

/** What middleware told of a run. */
export const Annotation = Type.Object({ name: Type.String(), value: Json });

/** One request, and the path it took through the beans. */
export const Trace = Type.Object(
  {
    instance: Type.String({ pattern: instance }),
    id: Type.String({ minLength: 1 }),
    sequence: Type.Integer({ minimum: 1 }),
    correlationId: Nullable(Type.String({ pattern: correlationId })),
    method: Type.String({ minLength: 1 }),
    path: Type.String(),
    route: Nullable(Type.String({ pattern: path })),
    status: Type.Integer({ minimum: 101, maximum: 599 }),
    startedAt: Count,
    durationUs: Count,
    aborted: Type.Boolean(),
    request: TraceRequest,
    response: TraceResponse,
    calls: Type.Array(Call),
    droppedCalls: Count,
    leaves: Type.Array(Leaf),
    droppedLeaves: Count,
    error: Nullable(ErrorInfo),
    run: Type.Optional(Type.Integer({ minimum: 1 })),
    kind: Type.Optional(Type.Union([Type.Literal("trace"), Type.Literal("background"), Type.Literal("websocket")])),
    event: Type.Optional(Type.String({ minLength: 1 })),
    connection: Type.Optional(Type.Integer({ minimum: 1 })),
    annotations: Type.Optional(Type.Array(Annotation, { minItems: 1, maxItems: 51 })),
    entered: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    callLimit: Type.Optional(Count),
    contractIssues: Type.Optional(Type.Array(ContractIssue, { minItems: 1, maxItems: 21 })),
    replayOf: Type.Optional(ReplayOf),
  },
  { $id: "Trace" },
);

/** The response of `…/api/requests`. */
export const TraceList = Type.Array(within(Trace), { $id: "TraceList", maxItems: 100 });
