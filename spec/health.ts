/** Shapes of spec/health.md. */
import { Type } from "typebox";
import { recordOf } from "./forms.ts";

const Status = Type.Union([Type.Literal("UP"), Type.Literal("DOWN")]);
const name = { minLength: 1 };

const Detail = Type.Object({ durationUs: Type.Integer({ minimum: 0 }), error: Type.Optional(Type.String()) });

/** The body of a health response. */
export const HealthResult = Type.Object(
  { status: Status, checks: recordOf(Status, name), details: Type.Optional(recordOf(Detail, name)) },
  { $id: "HealthResult" },
);
