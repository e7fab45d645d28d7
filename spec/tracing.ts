/** Shapes of spec/tracing.md. */
import { Type } from "typebox";
import { recordOf, spanIdForm, traceIdForm } from "./forms.ts";

const traceId = Type.String(traceIdForm);
const spanId = Type.String(spanIdForm);

/** A span as evidence: the subject's report of the span that the middleware made for a request. */
export const ServerSpan = Type.Object(
  {
    name: Type.String({ minLength: 1 }),
    kind: Type.Literal("SERVER"),
    traceId,
    spanId,
    parentSpanId: Type.Union([spanId, Type.Null()]),
    traceState: Type.Union([Type.String({ pattern: "^[ -~]+$", maxLength: 512 }), Type.Null()]),
    status: Type.Union([Type.Literal("UNSET"), Type.Literal("ERROR")]),
    attributes: recordOf(Type.Union([Type.String(), Type.Number()]), { pattern: "^[a-z][a-z0-9_.]*$" }),
    exceptions: Type.Array(Type.Object({ type: Type.String(), message: Type.String() })),
  },
  { $id: "ServerSpan" },
);
