/**
 * The headers that a call takes over from the request of its agent, so that it is judged as its caller's.
 *
 *   Authorization, Cookie, X-Api-Key, Origin, X-Forwarded-For, traceparent … ──▶ carried
 *   Content-Type, Accept, If-None-Match, Mcp-Name, Connection …              ──▶ belong to the message of the protocol
 *
 * They go to the route's chain in the same process, and nowhere else.
 */

/** Fields of the agent's message, and of its connection. */
const own: ReadonlySet<string> = new Set(
  [
    "connection keep-alive proxy-connection te trailer transfer-encoding upgrade http2-settings expect",
    "range prefer last-event-id digest x-http-method-override access-control-request-method",
    "access-control-request-headers access-control-request-private-network",
  ].flatMap((line) => line.split(" ")),
);
const ownPrefix = /^(?::|accept|content-|if-|mcp-|repr-|want-|sec-websocket-)/;

/** Does a call take that header over? */
export const isCarried = (name: string): boolean => !own.has(name) && !ownPrefix.test(name);

/** Fields that say who the caller is, or where it is. */
const ofCaller: ReadonlySet<string> = new Set(
  "authorization cookie forwarded from host origin proxy-authorization referer user-agent via x-real-ip x-request-id".split(
    " ",
  ),
);
const ofCallerPrefix = /^(?:sec-|x-forwarded|cf-|true-client-)/;
const ofSecret = /(?:^|[-_])(?:api-?key|auth|credential|csrf|jwt|key|password|secret|session|signature|token|xsrf)/;

/** May an agent's model choose that header? Not one that authenticates, or that only the connection can know. */
export const mayBeArgument = (name: string): boolean => {
  const field = name.toLowerCase();
  return isCarried(field) && !ofCaller.has(field) && !ofCallerPrefix.test(field) && !ofSecret.test(field);
};
