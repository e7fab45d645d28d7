/** Shapes of spec/tracing.md. */
import { Type } from "typebox";

const TraceId = Type.String({ pattern: "^(?!0{32}$)[0-9a-f]{32}$" });
const SpanId = Type.String({ pattern: "^(?!0{16}$)[0-9a-f]{16}$" });

/** A span as evidence: what a subject says the middleware made of a request. */
export const ServerSpan = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    kind: Type.Literal("SERVER"),
    traceId: TraceId,
    spanId: SpanId,
    parentSpanId: Type.Union([SpanId, Type.Null()]),
    traceState: Type.Union([Type.String({ minLength: 1, maxLength: 512 }), Type.Null()]),
    status: Type.Union([Type.Literal("UNSET"), Type.Literal("ERROR")]),
    attributes: Type.Record(Type.String({ pattern: "^[a-z][a-z0-9_.]*$" }), Type.Union([Type.String(), Type.Number()])),
    exceptions: Type.Array(
      Type.Object({ type: Type.String(), message: Type.String() }, { additionalProperties: false }),
    ),
  },
  { $id: "ServerSpan", additionalProperties: false },
);
