/** Shapes of spec/health.md. */
import { Type } from "typebox";

const Status = Type.Union([Type.Literal("UP"), Type.Literal("DOWN")]);
const anyName = "^[\\s\\S]+$";

const Detail = Type.Object(
  { durationUs: Type.Integer({ minimum: 0 }), error: Type.Optional(Type.String()) },
  { additionalProperties: false },
);

/** The body of a health response. */
export const HealthResult = Type.Object(
  {
    status: Status,
    checks: Type.Record(Type.String({ pattern: anyName }), Status),
    details: Type.Optional(Type.Record(Type.String({ pattern: anyName }), Detail)),
  },
  { $id: "HealthResult", additionalProperties: false },
);
