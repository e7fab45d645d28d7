/**
 * RouteInfo: one route of the application, as devtools list it.
 *
 * Spec: devtools.md (DEV)
 */
import { Type } from "typebox";

/** A route; `beans` are the ids by which it enters the graph. */
export const RouteInfo = Type.Object(
  {
    method: Type.String({ minLength: 1 }),
    path: Type.String({ pattern: "^/" }),
    pathParams: Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true }),
    beans: Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true }),
    accept: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  },
  { $id: "RouteInfo", additionalProperties: false },
);

/** The response of `…/api/routes`. */
export const RouteList = Type.Array(RouteInfo, { $id: "RouteList" });
