/** Shapes of spec/errors.md. */
import { Type } from "typebox";

/** One reason why a body was rejected; `path` leads to the value. More members are allowed, as in a problem. */
export const ProblemIssue = Type.Object({
  in: Type.Optional(Type.Enum(["params", "query", "headers", "cookies", "body"])),
  path: Type.Array(Type.Union([Type.String(), Type.Integer()])),
  pointer: Type.Optional(Type.String()),
  message: Type.String(),
});

/** The body of an error response: a problem of RFC 9457. Extension members are allowed, as the RFC does. */
export const Problem = Type.Object(
  {
    type: Type.String({ minLength: 1 }),
    title: Type.String({ minLength: 1 }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.Optional(Type.String()),
    code: Type.Optional(Type.String()),
    errors: Type.Optional(Type.Array(ProblemIssue)),
    moreErrors: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { $id: "Problem" },
);
