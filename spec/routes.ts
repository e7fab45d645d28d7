/**
 * RouteInfo: one route of the application, as devtools list it.
 *
 * Spec: spec/devtools.md
 */
import { Type } from "typebox";
import { path, recordOf } from "./forms.ts";
import { Json } from "./values.ts";
import { within } from "./within.ts";

/** A JSON Schema, draft 2020-12, with local references only, or null if a part has none. */
const PartSchema = Type.Union([recordOf(Json), Type.Null()]);

/** One part of a contract. */
export const ContractPart = Type.Object({
  /** A JSON Schema, draft 2020-12, with local references only, or null if none is available. */
  schema: PartSchema,
});

/** A file of a form, or a list of files if its schema is an array. */
export const ContractFile = Type.Object({ schema: recordOf(Json), isRequired: Type.Boolean() });

/** The body that a contract declares. */
export const ContractBody = Type.Object({
  /** The values of a form are texts or lists of texts. A multipart form also has files. */
  kind: Type.Union([Type.Literal("json"), Type.Literal("form"), Type.Literal("multipart")]),
  schema: PartSchema,
  /** The files of a multipart form, by name. */
  files: Type.Optional(recordOf(ContractFile)),
});

/** A declared response. */
export const ContractResponse = Type.Object({
  schema: PartSchema,
  /** Absent for a value of a schema. `schema` is that of each row of a stream. */
  kind: Type.Optional(
    Type.Union(["text", "bytes", "stream", "events", "redirect", "empty"].map((kind) => Type.Literal(kind))),
  ),
  /** The Content-Type of a text, bytes, a stream or events. */
  type: Type.Optional(Type.String()),
  /** The data of each event, by event name. */
  events: Type.Optional(recordOf(ContractPart)),
});

/** The declared messages of a WebSocket. */
export const ContractMessages = Type.Object({
  incoming: Type.Optional(ContractPart),
  outgoing: Type.Optional(ContractPart),
});

/** The contract of a route. A part that is not declared is absent. */
export const RouteContract = Type.Object(
  {
    operationId: Type.Optional(Type.String()),
    /** One line. */
    summary: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    tags: Type.Optional(Type.Array(Type.String())),
    deprecated: Type.Optional(Type.Boolean()),
    /** Any one of these is enough: names of schemes, with scopes. */
    security: Type.Optional(Type.Array(recordOf(Type.Array(Type.String())))),
    params: Type.Optional(ContractPart),
    query: Type.Optional(ContractPart),
    /** By lower-case name. */
    headers: Type.Optional(ContractPart),
    cookies: Type.Optional(ContractPart),
    body: Type.Optional(ContractBody),
    /** By status, or null if no content is declared. */
    responses: Type.Optional(recordOf(Type.Union([ContractResponse, Type.Null()]))),
    /** Of a WebSocket. */
    messages: Type.Optional(ContractMessages),
  },
  { $id: "RouteContract" },
);

/** A request that a route accepts. A `body` that is a text is sent as it is. */
export const RouteExample = Type.Object(
  {
    path: recordOf(Type.String()),
    query: recordOf(Type.Array(Type.String())),
    headers: recordOf(Type.String()),
    /** A text is sent as it is. Absent without a body. */
    body: Type.Optional(Json),
  },
  { $id: "RouteExample" },
);

/** A route; `beans` are the ids of the beans where it enters the graph. */
export const RouteInfo = Type.Object(
  {
    method: Type.String({ minLength: 1 }),
    /** Context path + pattern, e.g. `/shop/users/{id}`. */
    path: Type.String({ pattern: path }),
    pathParams: Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true }),
    /** Ids of the beans where this route enters the graph. Empty until known. */
    beans: Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true }),
    /** The name of its version. Absent if it has none. */
    version: Type.Optional(Type.String({ minLength: 1 })),
    /** Media types a QUERY route accepts. */
    accept: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    /** A request that it accepts, from the route's options. That of a version has the header that names it. */
    example: Type.Optional(within(RouteExample)),
    /** The contract declared by the route and its groups. Absent if they declare nothing. */
    contract: Type.Optional(within(RouteContract)),
    /** Is it a WebSocket? Absent if it is not. */
    upgrades: Type.Optional(Type.Boolean()),
  },
  { $id: "RouteInfo" },
);

/** The response of `…/api/routes`. */
export const RouteList = Type.Array(within(RouteInfo), { $id: "RouteList" });
