/** A request without a route, for tests of its context. Its body may have 100 bytes at most. */
import type { RouteTarget } from "./services.ts";

/** No route matched. */
export const unrouted: RouteTarget = {
  route: undefined,
  names: [],
  bodyLimit: 100,
  handlerMs: 0,
  responseHooks: undefined,
  declared: undefined,
  messages: undefined,
  errorHandlers: undefined,
  meta: {},
  isDeprecated: false,
  apiVersion: undefined,
};
