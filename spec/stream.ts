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
