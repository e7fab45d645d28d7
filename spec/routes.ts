/**
 * RouteInfo: one route of the application, as devtools list it.
 *
 * Spec: devtools.md (DEV)
 */
import { Type } from "typebox";
import { Json } from "./values.ts";

const closed = { additionalProperties: false } as const;

/** A JSON Schema, draft 2020-12, whose references lead into itself; null where a part has none. */
const PartSchema = Type.Union([Type.Record(Type.String(), Json), Type.Null()]);

/** One part of a contract. */
export const ContractPart = Type.Object({ schema: PartSchema }, closed);

/** A file that a form takes. */
export const ContractFile = Type.Object(
  { schema: Type.Record(Type.String(), Json), isRequired: Type.Boolean() },
  closed,
);

/** The body that a contract declares. */
export const ContractBody = Type.Object(
  {
    kind: Type.Union([Type.Literal("json"), Type.Literal("form"), Type.Literal("multipart")]),
    schema: PartSchema,
    files: Type.Optional(Type.Record(Type.String(), ContractFile)),
  },
  closed,
);

/** What a route takes and gives: a part that is not declared is absent. */
export const RouteContract = Type.Object(
  {
    operationId: Type.Optional(Type.String()),
    summary: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    tags: Type.Optional(Type.Array(Type.String())),
    deprecated: Type.Optional(Type.Boolean()),
    security: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Array(Type.String())))),
    params: Type.Optional(ContractPart),
    query: Type.Optional(ContractPart),
    headers: Type.Optional(ContractPart),
    cookies: Type.Optional(ContractPart),
    body: Type.Optional(ContractBody),
    responses: Type.Optional(Type.Record(Type.String(), Type.Union([ContractPart, Type.Null()]))),
  },
  { $id: "RouteContract", ...closed },
);

/** A request that a route takes; a text as `body` is sent as it is. */
export const RouteExample = Type.Object(
  {
    path: Type.Record(Type.String(), Type.String()),
    query: Type.Record(Type.String(), Type.Array(Type.String())),
    headers: Type.Record(Type.String(), Type.String()),
    body: Type.Optional(Json),
  },
  { $id: "RouteExample", additionalProperties: false },
);

/** A route; `beans` are the ids by which it enters the graph. */
export const RouteInfo = Type.Object(
  {
    method: Type.String({ minLength: 1 }),
    path: Type.String({ pattern: "^/" }),
    pathParams: Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true }),
    beans: Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true }),
    accept: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    example: Type.Optional(RouteExample),
    contract: Type.Optional(RouteContract),
  },
  { $id: "RouteInfo", additionalProperties: false },
);

/** The response of `…/api/routes`. */
export const RouteList = Type.Array(RouteInfo, { $id: "RouteList" });
