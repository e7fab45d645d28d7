/**
 * RouteInfo: one route of the application, as devtools list it.
 *
 * Spec: devtools.md (DEV)
 */
import { Type } from "typebox";
import { Json } from "./trace.ts";

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
  },
  { $id: "RouteInfo", additionalProperties: false },
);

/** The response of `…/api/routes`. */
export const RouteList = Type.Array(RouteInfo, { $id: "RouteList" });
