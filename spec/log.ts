/** Shapes of spec/log.md. */
import { Type } from "typebox";

/** To the compiler any text: a reader must take methods that a later release knows. */
const Method = Type.Unsafe<string>(
  Type.Enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY", "_OTHER"]),
);

/** One line of the JSON access log. */
export const AccessLogLine = Type.Object(
  {
    time: Type.String({ pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$" }),
    method: Method,
    path: Type.String({ maxLength: 2048 }),
    route: Type.Union([Type.String({ pattern: "^/" }), Type.Null()]),
    status: Type.Integer({ minimum: 101, maximum: 599 }),
    durationUs: Type.Integer({ minimum: 0 }),
    bytes: Type.Integer({ minimum: 0 }),
    remoteAddress: Type.Union([Type.String(), Type.Null()]),
    requestId: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    traceId: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    spanId: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    userAgent: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    aborted: Type.Optional(Type.Literal(true)),
  },
  { $id: "AccessLogLine", additionalProperties: false },
);
