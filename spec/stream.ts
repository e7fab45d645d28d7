/**
 * Stream: the data of the events beside `trace`, whose data is a Trace.
 *
 * Spec: stream.md (STREAM)
 */
import { Type } from "typebox";

/** The data of an event `gap`: how many traces the client did not get; null when the number is not known. */
export const Gap = Type.Object(
  { missed: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]) },
  { $id: "Gap", additionalProperties: false },
);

const Count = Type.Integer({ minimum: 0 });
const NullableText = Type.Union([Type.String(), Type.Null()]);

/** What was run. */
export const RunKind = Type.Union([
  Type.Literal("request"),
  Type.Literal("trace"),
  Type.Literal("background"),
  Type.Literal("websocket"),
]);

/** A call that has not settled. */
export const PendingCall = Type.Object(
  { bean: Type.String({ minLength: 1 }), method: Type.String(), startUs: Count },
  { additionalProperties: false },
);

/** The data of an event `started`: a run that is under way. */
export const Started = Type.Object(
  {
    instance: Type.String({ minLength: 1 }),
    run: Type.Integer({ minimum: 1 }),
    kind: RunKind,
    correlationId: NullableText,
    method: Type.String({ minLength: 1 }),
    path: Type.String(),
    route: NullableText,
    startedAt: Count,
    elapsedUs: Count,
    calls: Count,
    pending: Type.Array(PendingCall, { maxItems: 10 }),
  },
  { $id: "Started", additionalProperties: false },
);
