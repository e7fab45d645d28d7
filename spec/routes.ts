/**
 * RouteInfo: one route of the application, as devtools list it.
 *
 * Spec: spec/devtools.md
 */
import { Type } from "typebox";
import { path, recordOf } from "./forms.ts";
import { Json } from "./values.ts";
import { within } from "./within.ts";

/** A JSON Schema, draft 2020-12, whose references lead into itself; null where a part has none. */
const PartSchema = Type.Union([recordOf(Json), Type.Null()]);

/** One part of a contract. */
export const ContractPart = Type.Object({ schema: PartSchema });

/** A file that a form takes. */
export const ContractFile = Type.Object({ schema: recordOf(Json), isRequired: Type.Boolean() });

/** The body that a contract declares. */
export const ContractBody = Type.Object({
  kind: Type.Union([Type.Literal("json"), Type.Literal("form"), Type.Literal("multipart")]),
  schema: PartSchema,
  files: Type.Optional(recordOf(ContractFile)),
});

/** What a route takes and gives: a part that is not declared is absent. */
export const RouteContract = Type.Object(
  {
    operationId: Type.Optional(Type.String()),
    summary: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    tags: Type.Optional(Type.Array(Type.String())),
    deprecated: Type.Optional(Type.Boolean()),
    security: Type.Optional(Type.Array(recordOf(Type.Array(Type.String())))),
    params: Type.Optional(ContractPart),
    query: Type.Optional(ContractPart),
    headers: Type.Optional(ContractPart),
    cookies: Type.Optional(ContractPart),
    body: Type.Optional(ContractBody),
    responses: Type.Optional(recordOf(Type.Union([ContractPart, Type.Null()]))),
  },
  { $id: "RouteContract" },
);

/** A request that a route takes; a text as `body` is sent as it is. */
export const RouteExample = Type.Object(
  {
    path: recordOf(Type.String()),
    query: recordOf(Type.Array(Type.String())),
    headers: recordOf(Type.String()),
    body: Type.Optional(Json),
  },
  { $id: "RouteExample" },
);

/** A route; `beans` are the ids by which it enters the graph. */
export const RouteInfo = Type.Object(
  {
    method: Type.String({ minLength: 1 }),
    path: Type.String({ pattern: path }),
    pathParams: Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true }),
    beans: Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true }),
    accept: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    example: Type.Optional(within(RouteExample)),
    contract: Type.Optional(within(RouteContract)),
  },
  { $id: "RouteInfo" },
);

/** The response of `…/api/routes`. */
export const RouteList = Type.Array(within(RouteInfo), { $id: "RouteList" });
