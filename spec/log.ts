/** Shapes of spec/log.md. */
import { Type } from "typebox";
import { path, spanIdForm, traceIdForm, utcTime } from "./forms.ts";

/** Typed as any string, since a reader must accept methods of a later release. */
const Method = Type.Unsafe<string>(
  Type.Enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "QUERY", "_OTHER"]),
);

/** One line of the JSON access log. */
export const AccessLogLine = Type.Object(
  {
    time: Type.String({ pattern: utcTime }),
    method: Method,
    path: Type.String({ maxLength: 2048 }),
    route: Type.Union([Type.String({ pattern: path }), Type.Null()]),
    status: Type.Integer({ minimum: 101, maximum: 599 }),
    durationUs: Type.Integer({ minimum: 0 }),
    bytes: Type.Integer({ minimum: 0 }),
    remoteAddress: Type.Union([Type.String({ minLength: 1 }), Type.Null()]),
    requestId: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    traceId: Type.Optional(Type.String(traceIdForm)),
    spanId: Type.Optional(Type.String(spanIdForm)),
    userAgent: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    aborted: Type.Optional(Type.Literal(true)),
  },
  { $id: "AccessLogLine" },
);
