/**
 * Trace: one request and its calls. Values that JSON lacks are written as trace.md's table says.
 *
 * Spec: trace.md (TRACE)
 */
import { Type } from "typebox";
import { Stereotype } from "./graph.ts";

/** Any JSON value. */
export const Json = Type.Unknown();

const Count = Type.Integer({ minimum: 0 });
const Nullable = <T extends Parameters<typeof Type.Union>[0][number]>(type: T) => Type.Union([type, Type.Null()]);

/** What was thrown. */
export const ErrorInfo = Type.Object({ name: Type.String(), message: Type.String() }, { additionalProperties: false });

/** Names to texts, any name. */
const Texts = Type.Record(Type.String({ pattern: "^[\\s\\S]*$" }), Type.String());
/** Names to one text or more, any name. */
const TextLists = Type.Record(Type.String({ pattern: "^[\\s\\S]*$" }), Type.Array(Type.String(), { minItems: 1 }));

/** One call of one bean. */
export const Call = Type.Object(
  {
    id: Count,
    parentId: Nullable(Count),
    depth: Count,
    bean: Type.String({ minLength: 1 }),
    declaredBy: Type.String({ minLength: 1 }),
    stereotype: Stereotype,
    method: Type.String(),
    args: Type.Array(Json),
    result: Json,
    error: Nullable(ErrorInfo),
    startUs: Count,
    durationUs: Nullable(Count),
    async: Type.Boolean(),
  },
  { additionalProperties: false },
);

/** One request, and the path it took through the beans. */
export const Trace = Type.Object(
  {
    instance: Type.String({ minLength: 1 }),
    id: Type.String({ minLength: 1 }),
    sequence: Type.Integer({ minimum: 1 }),
    correlationId: Nullable(Type.String({ pattern: "^[A-Za-z0-9._-]{1,128}$" })),
    method: Type.String({ minLength: 1 }),
    path: Type.String(),
    route: Nullable(Type.String({ pattern: "^/" })),
    status: Type.Integer({ minimum: 200, maximum: 599 }),
    startedAt: Count,
    durationUs: Count,
    aborted: Type.Boolean(),
    request: Type.Object(
      { pathParams: Texts, query: TextLists, headers: TextLists, body: Json },
      { additionalProperties: false },
    ),
    response: Type.Object({ headers: TextLists, body: Json, bytes: Count }, { additionalProperties: false }),
    calls: Type.Array(Call),
    droppedCalls: Count,
    error: Nullable(ErrorInfo),
  },
  { $id: "Trace", additionalProperties: false },
);

/** What `…/api/requests` answers. */
export const TraceList = Type.Array(Trace, { $id: "TraceList", maxItems: 100 });
