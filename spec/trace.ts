/**
 * Trace: one request and its calls. Values that JSON cannot express follow the table in trace.md.
 *
 * Spec: spec/trace.md
 */
import { Type, type TObject, type TSchema } from "typebox";
import { correlationId, instance, jsonPointer, path, recordOf } from "./forms.ts";
import { Stereotype } from "./graph.ts";
import { Leaf, RunReference } from "./leaves.ts";
import { ReplayOf } from "./replay.ts";
import { Json, JsonObject } from "./values.ts";
import { within } from "./within.ts";

const Count = Type.Integer({ minimum: 0 });
const Position = Type.Integer({ minimum: 1 });
const True = Type.Literal(true);

/** One form of the table in trace.md: an object with only this member. */
const tagged = <P extends Readonly<Record<string, TSchema>>>(members: P): TObject<P> =>
  Type.Object(members, { additionalProperties: false });

/** ISO 8601 as JavaScript writes any valid date. Before the year 0 and after 9999 the year has a sign and six digits. */
const date =
  "^(?:(?:[0-9]{4}|[+-][0-9]{6})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\\.[0-9]{3}Z|Invalid Date)$";

/** The table "Values that JSON lacks" of trace.md. A class instance is an object with its own members and `$class`. */
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
    tagged({ $stream: Type.String(), $yielded: Type.Optional(Type.Array(Json)) }),
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

/** One frame of a stack. */
export const StackFrame = Type.Object({
  /** The function, as in `async Orders.place`, empty for an anonymous one. */
  name: Type.String(),
  /** Relative to the working directory if it is inside it, with slashes; else unchanged. */
  file: Type.String(),
  line: Position,
  column: Position,
  /** Is it the application's own code, not Node's or a package's? */
  own: Type.Boolean(),
});

/** A few lines of code around the one that threw. */
export const Excerpt = Type.Object({
  file: Type.String(),
  /** The line that threw. */
  line: Position,
  /** The line number of the first of `lines`. */
  from: Position,
  lines: Type.Array(Type.String(), { minItems: 1, maxItems: 7 }),
});

const place = {
  /** Innermost first. Of the calls, only the one where the error first appeared has it. */
  stack: Type.Optional(Type.Array(StackFrame, { maxItems: 50 })),
  /** The code around the first frame of the application's own code. */
  excerpt: Type.Optional(Excerpt),
};

const codePlace = {
  /** The function, `(anonymous)` without a name, or V8's name for its own work, such as `(garbage collector)`. */
  name: Type.String(),
  /** As in a stack. Empty for V8's own work. */
  file: Type.String(),
  /** From 1; 0 for V8's own work. */
  line: Count,
};

/** A line of code, and its processor time in one call. */
export const ProfiledLine = Type.Object({
  /** The call's id, or null for the request outside of calls. */
  call: Type.Union([Count, Type.Null()]),
  ...codePlace,
  /** With all below it that is not the application's own code, in microseconds. */
  us: Count,
});

/** The samples of one run, which V8 took of what the thread executed. */
export const RunProfile = Type.Object({
  /** The time between two samples, in microseconds. */
  intervalUs: Count,
  /** The processor time of the run. */
  ownUs: Count,
  /** The processor time of other work in the meantime. */
  otherUs: Count,
  /** The most expensive first. */
  lines: Type.Array(ProfiledLine),
  /** The most expensive first. Frames of the application's own code, the outermost first. */
  stacks: Type.Array(
    Type.Object({ call: Type.Union([Count, Type.Null()]), frames: Type.Array(Type.Object(codePlace)), us: Count }),
  ),
  /** Allocated bytes, estimated from samples, of all work in the meantime. */
  allocations: Type.Array(Type.Object({ ...codePlace, bytes: Count })),
});

/** An error that caused another one. */
export const ErrorCause = Type.Object({ name: Type.String(), message: Type.String(), ...place });

/** A thrown error. */
export const ErrorInfo = Type.Object({
  name: Type.String(),
  message: Type.String(),
  ...place,
  /** Its `cause`, the cause of that one, and so on. */
  causes: Type.Optional(Type.Array(ErrorCause, { maxItems: 5 })),
  /**
   * For a call: the error's class and its own data, such as `code`. Absent for an error of the language without data. `$from` is
   * `framework` for a class of the framework, and `language` for a class of the language if the error has another name.
   * `$hidden` is true if it has data that is not shown.
   */
  fields: Type.Optional(JsonObject),
});

/** Arbitrary names, each with a text. */
const Texts = recordOf(Type.String());
/** Arbitrary names, each with one text or more. */
const TextLists = recordOf(Type.Array(Type.String(), { minItems: 1 }));

/** One call of one bean. */
export const Call = Type.Object({
  /** 0, 1, 2 … in entry order. */
  id: Count,
  /** The enclosing call, or null for a root. */
  parentId: Nullable(Count),
  /** 0 for a root, else the parent's depth + 1. */
  depth: Count,
  /** The graph node's id. */
  bean: Type.String({ minLength: 1 }),
  /** The interface's name. */
  declaredBy: Type.String({ minLength: 1 }),
  stereotype: Stereotype,
  method: Type.String(),
  args: Type.Array(Json),
  /** The names of the method's parameters, empty for a destructured one. */
  params: Type.Optional(Type.Array(Type.String())),
  /** The settled value, or null if it threw; `{ "$pending": true }` if it had not settled at completion. */
  result: Json,
  error: Nullable(ErrorInfo),
  /** From the request's start. */
  startUs: Count,
  /** Null if it had not settled at completion. */
  durationUs: Nullable(Count),
  /** Did the method return a promise? */
  async: Type.Boolean(),
});

/** The received request. */
export const TraceRequest = Type.Object({
  pathParams: Texts,
  query: TextLists,
  /** By lower-case name, one entry per field line. */
  headers: TextLists,
  /** The body that the application read, or null if it read none. For a WebSocket's run, the received message. */
  body: Json,
  /** The names of its cookies. Absent if it has none. */
  cookies: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 50 })),
});

/** A cookie that a response sets, without its value. */
export const SetCookie = Type.Object({
  name: Type.String(),
  /** As sent, such as `Path=/` and `HttpOnly`. */
  attributes: Type.Array(Type.String(), { maxItems: 20 }),
});

/** The sent response. */
export const TraceResponse = Type.Object({
  /** By lower-case name, one entry per field line. */
  headers: TextLists,
  body: Json,
  /** Body bytes sent. */
  bytes: Count,
  /** The cookies that it sets. Absent if it sets none. */
  cookies: Type.Optional(Type.Array(SetCookie, { minItems: 1, maxItems: 50 })),
});

/** One violation of the contract by a response. */
export const ContractIssue = Type.Object({
  /** The position in the body, a JSON pointer, empty for the whole response. */
  pointer: Type.String({ pattern: jsonPointer }),
  message: Type.String(),
});

/** An annotation by middleware: `ctx.annotations?.add(name, value)`. */
export const Annotation = Type.Object({ name: Type.String(), value: Json });

/** Time of a request in one step outside of beans. Of nested steps, the innermost has the time. */
export const Phase = Type.Object({
  /**
   * `event-loop` is time in which the process ran no other work, because something computed or waited synchronously. `handler`
   * is the handler itself. Calls of beans can run inside of a handler, a middleware and an event loop that stood still.
   */
  kind: Type.Union([
    Type.Literal("event-loop"),
    Type.Literal("parsing"),
    Type.Literal("middleware"),
    Type.Literal("handler"),
    Type.Literal("serialization"),
    Type.Literal("compression"),
    Type.Literal("sending"),
  ]),
  /** The class or function of a middleware or handler, the content coding, or what was read or sent. */
  name: Type.String({ minLength: 1 }),
  /** From the request's start. */
  startUs: Count,
  durationUs: Count,
});

const attemptMark = {
  /** 1 for the first. */
  attempt: Position,
  /** How often it is tried in all. */
  attempts: Position,
  /** `dead`: it has failed for good. `back`: the engine has it again, because the application stops. */
  outcome: Type.Union([Type.Literal("done"), Type.Literal("failed"), Type.Literal("dead"), Type.Literal("back")]),
};

/** An attempt at a job, in brief. */
export const AttemptMark = Type.Object(attemptMark);

/** The attempt at a job that a run is. */
export const JobAttempt = Type.Object({
  ...attemptMark,
  /** The id of the job. All of its attempts have it. */
  id: Type.String({ minLength: 1 }),
  /** The engine: `pg-boss`, `bullmq` … */
  system: Type.String(),
  /** When it was sent. */
  sentAt: Count,
  /** The delay before the next attempt as the job declares it. Only of an attempt that failed. */
  againMs: Type.Optional(Count),
  /** The id of the request that sent it. */
  requestId: Type.Optional(Type.String({ minLength: 1 })),
  /** The name of the schedule that sent it. */
  schedule: Type.Optional(Type.String({ minLength: 1 })),
  /** The run that sent it, if devtools of an application on this machine recorded it. */
  sender: Type.Optional(RunReference),
});

/** One request, or work outside requests, and its path through the beans. */
export const Trace = Type.Object(
  {
    /** Random per process. */
    instance: Type.String({ pattern: instance }),
    /** The request id, else the correlation id, else a generated one. It may repeat; `instance.sequence` never does. */
    id: Type.String({ minLength: 1 }),
    /** 1, 2, 3 … within the instance. */
    sequence: Type.Integer({ minimum: 1 }),
    /** The valid, single `X-Framework-Dev` value. */
    correlationId: Nullable(Type.String({ pattern: correlationId })),
    method: Type.String({ minLength: 1 }),
    /** The raw request target without its query. */
    path: Type.String(),
    /** Context path + pattern, or null if no route matched. */
    route: Nullable(Type.String({ pattern: path })),
    /** The name of the route's version. Absent if the route has none, or not the requested one. */
    version: Type.Optional(Type.String({ minLength: 1 })),
    /** The status sent; 499 if the client left before the head was written. */
    status: Type.Integer({ minimum: 101, maximum: 599 }),
    startedAt: Count,
    durationUs: Count,
    aborted: Type.Boolean(),
    request: TraceRequest,
    response: TraceResponse,
    calls: Type.Array(Call),
    /** The number of calls over the bound, or begun after completion. */
    droppedCalls: Count,
    /** The operations below the beans. */
    leaves: Type.Array(Leaf),
    /** The number of leaves over the bound, or begun after completion. */
    droppedLeaves: Count,
    error: Nullable(ErrorInfo),
    /** 1, 2, 3 … within the instance, in the order in which runs began. It is the number in `Started`. */
    run: Type.Optional(Type.Integer({ minimum: 1 })),
    /**
     * Absent for a request. Other work has the method `RUN`, its name as the path, no route, and the status 200, or 500 if it
     * threw. An attempt at a job also has the job's id as its id, and the input as the body of the request. A handler of a WebSocket has the method `WS`, and the path and route of the request that opened it.
     */
    kind: Type.Optional(
      Type.Union([Type.Literal("trace"), Type.Literal("background"), Type.Literal("websocket"), Type.Literal("job")]),
    ),
    /** For an attempt at a job. */
    job: Type.Optional(JobAttempt),
    /** The event that a handler of a WebSocket ran for: `open`, `message` or `close`. */
    event: Type.Optional(Type.String({ minLength: 1 })),
    /** For a handler of a WebSocket: the `run` of the request that opened it. */
    connection: Type.Optional(Type.Integer({ minimum: 1 })),
    /** The annotations by middleware, in order. Absent if there are none. */
    annotations: Type.Optional(Type.Array(Annotation, { minItems: 1, maxItems: 51 })),
    /** Ids of the beans that it requested by `ctx.get`, outside any recorded call. */
    entered: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    /** The bound of calls, if it was reached. */
    callLimit: Type.Optional(Count),
    /** The violations of the route's contract. Absent if there are none or the response is not checked. */
    contractIssues: Type.Optional(Type.Array(ContractIssue, { minItems: 1, maxItems: 21 })),
    /** Its time outside of beans, by step, in order of start. Steps do not overlap. Absent if no step took a microsecond. */
    phases: Type.Optional(Type.Array(Phase, { minItems: 1, maxItems: 100 })),
    /** What the thread executed for it. Absent if it was not profiled. */
    profile: Type.Optional(RunProfile),
    /** The run that it replays. Absent if it is not a replay. */
    replayOf: Type.Optional(ReplayOf),
  },
  { $id: "Trace" },
);

/** The response of `…/api/requests`. */
export const TraceList = Type.Array(within(Trace), { $id: "TraceList", maxItems: 100 });
