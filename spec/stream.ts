/**
 * Stream: the data of the events beside `trace`, whose data is a Trace.
 *
 * Spec: spec/stream.md
 */
import { Type } from "typebox";
import { correlationId, instance, path } from "./forms.ts";

/** The data of the stream's `gap` event: traces this client did not get; null when their number is not known. */
export const Gap = Type.Object({ missed: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]) }, { $id: "Gap" });

const Count = Type.Integer({ minimum: 0 });

/**
 * What was run: a request, work that `devtools.trace` was given, the application's own work in the background, or a handler
 * of a WebSocket.
 */
export const RunKind = Type.Union([
  Type.Literal("request"),
  Type.Literal("trace"),
  Type.Literal("background"),
  Type.Literal("websocket"),
]);

/** A call that has not settled. */
export const PendingCall = Type.Object({
  bean: Type.String({ minLength: 1 }),
  method: Type.String(),
  /** From the run's start. */
  startUs: Count,
});

/** The data of the stream's `started` event: a run that is under way, sent again while it is. */
export const Started = Type.Object(
  {
    instance: Type.String({ pattern: instance }),
    /** As in the trace that it will give. */
    run: Type.Integer({ minimum: 1 }),
    kind: RunKind,
    correlationId: Type.Union([Type.String({ pattern: correlationId }), Type.Null()]),
    method: Type.String({ minLength: 1 }),
    path: Type.String(),
    route: Type.Union([Type.String({ pattern: path }), Type.Null()]),
    startedAt: Count,
    /** How long it had been under way when this was sent: clocks of two machines differ. */
    elapsedUs: Count,
    /** Calls so far. */
    calls: Count,
    /** Calls that have not settled, the outermost first, ten at most. */
    pending: Type.Array(PendingCall, { maxItems: 10 }),
  },
  { $id: "Started" },
);
