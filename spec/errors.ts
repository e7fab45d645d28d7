/** Shapes of spec/errors.md. */
import { Type } from "typebox";

/** The body of an error response: a problem of RFC 9457. Extension members are allowed, as the RFC does. */
export const Problem = Type.Object(
  {
    type: Type.String({ minLength: 1 }),
    title: Type.String({ minLength: 1 }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.Optional(Type.String()),
  },
  { $id: "Problem" },
);
