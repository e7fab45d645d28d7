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
export const ContractPart = Type.Object({
  /** A JSON Schema, draft 2020-12, whose references lead into itself; null where there is none to be had. */
  schema: PartSchema,
});

/** A file that a form takes; a list of them where its schema is that of an array. */
export const ContractFile = Type.Object({ schema: recordOf(Json), isRequired: Type.Boolean() });

/** The body that a contract declares. */
export const ContractBody = Type.Object({
  /** Of a form, values are texts, or lists of them; of a multipart one also files. */
  kind: Type.Union([Type.Literal("json"), Type.Literal("form"), Type.Literal("multipart")]),
  schema: PartSchema,
  /** The files of a multipart form, by name. */
  files: Type.Optional(recordOf(ContractFile)),
});

/** What a route takes and gives: a part that is not declared is absent. */
export const RouteContract = Type.Object(
  {
    operationId: Type.Optional(Type.String()),
    /** One line. */
    summary: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    tags: Type.Optional(Type.Array(Type.String())),
    deprecated: Type.Optional(Type.Boolean()),
    /** Any of these is enough: names of schemes, with scopes. */
    security: Type.Optional(Type.Array(recordOf(Type.Array(Type.String())))),
    params: Type.Optional(ContractPart),
    query: Type.Optional(ContractPart),
    /** By their names in lower case. */
    headers: Type.Optional(ContractPart),
    cookies: Type.Optional(ContractPart),
    body: Type.Optional(ContractBody),
    /** By status; null where no content is declared. */
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
    /** A text is sent as it is; absent without a body. */
    body: Type.Optional(Json),
  },
  { $id: "RouteExample" },
);

/** A route; `beans` are the ids by which it enters the graph. */
export const RouteInfo = Type.Object(
  {
    method: Type.String({ minLength: 1 }),
    /** Context path + pattern, e.g. `/shop/users/{id}`. */
    path: Type.String({ pattern: path }),
    pathParams: Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true }),
    /** Ids of the beans where this route enters the graph; empty until known. */
    beans: Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true }),
    /** Media types a QUERY route accepts. */
    accept: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    /** A request that it takes, as its options say. */
    example: Type.Optional(within(RouteExample)),
    /** What it takes and gives, as it and its groups declare it; absent where they declare nothing. */
    contract: Type.Optional(within(RouteContract)),
  },
  { $id: "RouteInfo" },
);

/** The response of `…/api/routes`. */
export const RouteList = Type.Array(within(RouteInfo), { $id: "RouteList" });
