/**
 * Stream: the data of the events beside `trace`, whose data is a Trace.
 *
 * Spec: spec/stream.md
 */
import { Type } from "typebox";
import { correlationId, instance, path } from "./forms.ts";

/** The data of an event `gap`: how many traces the client did not get; null when the number is not known. */
export const Gap = Type.Object({ missed: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]) }, { $id: "Gap" });

const Count = Type.Integer({ minimum: 0 });

/** What was run. */
export const RunKind = Type.Union([
  Type.Literal("request"),
  Type.Literal("trace"),
  Type.Literal("background"),
  Type.Literal("websocket"),
]);

/** A call that has not settled. */
export const PendingCall = Type.Object({ bean: Type.String({ minLength: 1 }), method: Type.String(), startUs: Count });

/** The data of an event `started`: a run that is under way. */
export const Started = Type.Object(
  {
    instance: Type.String({ pattern: instance }),
    run: Type.Integer({ minimum: 1 }),
    kind: RunKind,
    correlationId: Type.Union([Type.String({ pattern: correlationId }), Type.Null()]),
    method: Type.String({ minLength: 1 }),
    path: Type.String(),
    route: Type.Union([Type.String({ pattern: path }), Type.Null()]),
    startedAt: Count,
    elapsedUs: Count,
    calls: Count,
    pending: Type.Array(PendingCall, { maxItems: 10 }),
  },
  { $id: "Started" },
);
