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
  /** The function, as in `async Orders.place`; empty for one without a name. */
  name: Type.String(),
  /** Relative to the working directory where it is below it, with slashes; else as it is. */
  file: Type.String(),
  line: Position,
  column: Position,
  /** Is it the application's own, neither Node's nor a package's? */
  own: Type.Boolean(),
});

/** A few lines of code around the one that threw. */
export const Excerpt = Type.Object({
  file: Type.String(),
  /** The line that threw. */
  line: Position,
  /** The number of the first of `lines`. */
  from: Position,
  lines: Type.Array(Type.String(), { minItems: 1, maxItems: 7 }),
});

const place = {
  /** Innermost first; of a call, only where the error was seen first. */
  stack: Type.Optional(Type.Array(StackFrame, { maxItems: 50 })),
  /** Around the first frame of the application's own. */
  excerpt: Type.Optional(Excerpt),
};

/** An error that led to another one. */
export const ErrorCause = Type.Object({ name: Type.String(), message: Type.String(), ...place });

/** What was thrown. */
export const ErrorInfo = Type.Object({
  name: Type.String(),
  message: Type.String(),
  ...place,
  /** Its `cause`, the cause of that, and so on. */
  causes: Type.Optional(Type.Array(ErrorCause, { maxItems: 5 })),
  /**
   * Of a call: its class and its own data, such as `code`. Absent for an error of the language without any. `$from` is
   * `framework` where the class is the framework's, `language` where it is the language's and the error has another name;
   * `$hidden` is true where it has data that is not shown.
   */
  fields: Type.Optional(JsonObject),
});

/** Names to texts, any name. */
const Texts = recordOf(Type.String());
/** Names to one text or more, any name. */
const TextLists = recordOf(Type.Array(Type.String(), { minItems: 1 }));

/** One call of one bean. */
export const Call = Type.Object({
  /** 0, 1, 2 … in entry order. */
  id: Count,
  /** The enclosing call; null for a root. */
  parentId: Nullable(Count),
  /** 0 for a root, else the parent's + 1. */
  depth: Count,
  /** The graph node's id. */
  bean: Type.String({ minLength: 1 }),
  /** The interface's name. */
  declaredBy: Type.String({ minLength: 1 }),
  stereotype: Stereotype,
  method: Type.String(),
  args: Type.Array(Json),
  /** What the method calls its parameters; an empty name where it takes one apart. */
  params: Type.Optional(Type.Array(Type.String())),
  /** The settled value; null on a throw; `{ "$pending": true }` when unsettled at completion. */
  result: Json,
  error: Nullable(ErrorInfo),
  /** From the request's start. */
  startUs: Count,
  /** Null when unsettled at completion. */
  durationUs: Nullable(Count),
  /** Did the method return a promise? */
  async: Type.Boolean(),
});

/** What came in. */
export const TraceRequest = Type.Object({
  pathParams: Texts,
  query: TextLists,
  /** By lower-case name, one entry per field line. */
  headers: TextLists,
  /** What the application read; null when it read none. Of a WebSocket's run, what came. */
  body: Json,
  /** The names of its cookies; absent where it has none. */
  cookies: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 50 })),
});

/** A cookie that a response sets, without its value. */
export const SetCookie = Type.Object({
  name: Type.String(),
  /** As they were sent, such as `Path=/` and `HttpOnly`. */
  attributes: Type.Array(Type.String(), { maxItems: 20 }),
});

/** What went out. */
export const TraceResponse = Type.Object({
  /** By lower-case name, one entry per field line. */
  headers: TextLists,
  body: Json,
  /** Body bytes sent. */
  bytes: Count,
  /** The cookies that it sets; absent where it sets none. */
  cookies: Type.Optional(Type.Array(SetCookie, { minItems: 1, maxItems: 50 })),
});

/** One thing by which a response breaks its contract. */
export const ContractIssue = Type.Object({
  /** Where in the body, a JSON pointer; empty for the whole response. */
  pointer: Type.String({ pattern: jsonPointer }),
  message: Type.String(),
});

/** What middleware told of a run: `ctx.annotations?.add(name, value)`. */
export const Annotation = Type.Object({ name: Type.String(), value: Json });

/** One request, or a piece of work beside requests, and the path it took through the beans. */
export const Trace = Type.Object(
  {
    /** Random per process. */
    instance: Type.String({ pattern: instance }),
    /** Request id, else correlation id, else generated. May repeat; `instance.sequence` never does. */
    id: Type.String({ minLength: 1 }),
    /** 1, 2, 3 … within the instance. */
    sequence: Type.Integer({ minimum: 1 }),
    /** The valid, single `X-Framework-Dev` value. */
    correlationId: Nullable(Type.String({ pattern: correlationId })),
    method: Type.String({ minLength: 1 }),
    /** The raw request target without its query. */
    path: Type.String(),
    /** Context path + pattern; null when nothing matched. */
    route: Nullable(Type.String({ pattern: path })),
    /** What went over the wire; 499 when the client left before the head was written. */
    status: Type.Integer({ minimum: 101, maximum: 599 }),
    startedAt: Count,
    durationUs: Count,
    aborted: Type.Boolean(),
    request: TraceRequest,
    response: TraceResponse,
    calls: Type.Array(Call),
    /** Calls over the bound, or begun after completion. */
    droppedCalls: Count,
    /** What was done below the beans. */
    leaves: Type.Array(Leaf),
    /** Leaves over the bound, or begun after completion. */
    droppedLeaves: Count,
    error: Nullable(ErrorInfo),
    /** 1, 2, 3 … within the instance, in the order in which runs began: the number in `Started`. */
    run: Type.Optional(Type.Integer({ minimum: 1 })),
    /** * Absent for a request. Other work has the method `RUN`, its name for a path, no route, and the status 200 or, when it
     * threw, 500. A handler of a WebSocket has the method `WS`, and path and route of the request that opened it. */
    kind: Type.Optional(Type.Union([Type.Literal("trace"), Type.Literal("background"), Type.Literal("websocket")])),
    /** What a handler of a WebSocket was run for: `open`, `message` or `close`. */
    event: Type.Optional(Type.String({ minLength: 1 })),
    /** Of a handler of a WebSocket: the `run` of the request that opened it. */
    connection: Type.Optional(Type.Integer({ minimum: 1 })),
    /** What middleware told of it, in that order; absent where it told nothing. */
    annotations: Type.Optional(Type.Array(Annotation, { minItems: 1, maxItems: 51 })),
    /** Ids of the beans that it asked for by `ctx.get`, outside of any recorded call. */
    entered: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    /** The bound of calls, where it was reached. */
    callLimit: Type.Optional(Count),
    /** How the response breaks the route's contract; absent where it does not, or is not checked. */
    contractIssues: Type.Optional(Type.Array(ContractIssue, { minItems: 1, maxItems: 21 })),
    /** Of which run it is the replay; absent where it is none. */
    replayOf: Type.Optional(ReplayOf),
  },
  { $id: "Trace" },
);

/** The response of `…/api/requests`. */
export const TraceList = Type.Array(within(Trace), { $id: "TraceList", maxItems: 100 });
