/**
 * Stream: the data of the events other than `trace`. The data of `trace` is a Trace.
 *
 * Spec: spec/stream.md
 */
import { Type } from "typebox";
import { correlationId, instance, path } from "./forms.ts";

/** The data of the stream's `gap` event: traces that this client missed, or null if their number is not known. */
export const Gap = Type.Object({ missed: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]) }, { $id: "Gap" });

const Count = Type.Integer({ minimum: 0 });

/**
 * The kind of a run: a request, work passed to `devtools.trace`, the application's own background work, a handler of a
 * WebSocket, or an attempt at a job.
 */
export const RunKind = Type.Union([
  Type.Literal("request"),
  Type.Literal("trace"),
  Type.Literal("background"),
  Type.Literal("websocket"),
  Type.Literal("job"),
]);

/** A call that has not settled. */
export const PendingCall = Type.Object({
  bean: Type.String({ minLength: 1 }),
  method: Type.String(),
  /** From the run's start. */
  startUs: Count,
});

/** The data of the stream's `started` event: a run in progress. The event is repeated until the run ends. */
export const Started = Type.Object(
  {
    instance: Type.String({ pattern: instance }),
    /** The same `run` as in its trace. */
    run: Type.Integer({ minimum: 1 }),
    kind: RunKind,
    correlationId: Type.Union([Type.String({ pattern: correlationId }), Type.Null()]),
    method: Type.String({ minLength: 1 }),
    path: Type.String(),
    route: Type.Union([Type.String({ pattern: path }), Type.Null()]),
    startedAt: Count,
    /** How long it had been running when this was sent, since the clocks of two machines differ. */
    elapsedUs: Count,
    /** Calls so far. */
    calls: Count,
    /** Unsettled calls, the outermost first, ten at most. */
    pending: Type.Array(PendingCall, { maxItems: 10 }),
  },
  { $id: "Started" },
);
