/** Shapes of spec/errors.md. */
import { Type } from "typebox";
import { jsonPointer } from "./forms.ts";

/** Only characters of RFC 3986. */
const uriReference = "^[!#$%&'()*+,./:;=?@A-Z\\[\\]_a-z~0-9-]+$";

/** One reason why a body was rejected; `path` leads to the value. As in a problem, additional members are allowed. */
export const ProblemIssue = Type.Object({
  in: Type.Optional(Type.Enum(["params", "query", "headers", "cookies", "body"])),
  path: Type.Array(Type.Union([Type.String(), Type.Integer({ minimum: 0 })])),
  pointer: Type.Optional(Type.String({ pattern: jsonPointer })),
  message: Type.String(),
});

/** The body of an error response: a problem of RFC 9457. Extension members are allowed, as in the RFC. */
export const Problem = Type.Object(
  {
    type: Type.String({ pattern: uriReference }),
    title: Type.String({ minLength: 1 }),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.Optional(Type.String()),
    code: Type.Optional(Type.String()),
    errors: Type.Optional(Type.Array(ProblemIssue)),
    moreErrors: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  { $id: "Problem" },
);
