/** The errors for programming mistakes, with stable codes. */

/**
 * Codes of mistakes in the use of the framework, with their meanings. An error carries its own as `code`. They are API and
 * never renamed. `BeanError` has separate codes. docs/errors.md lists all, and a test compares them.
 */
export const errorCodes = {
  APP_NOT_STARTED: "the port or the address was asked for before the app listens",
  APP_STARTED: "the app was configured, or started again, after its start",
  APP_STOPPED: "the app was stopped before its start was over",
  ATTRIBUTE_INVALID: "the key of a request attribute lacks a name",
  BEANS_NOT_ATTACHED: "a bean is needed and app.beans() was not called, or a second container was attached",
  BODY_READ: "the body was read in a second way that the first one rules out",
  BROADCAST_INVALID: "an option of a broadcast, or of listening to one, is not allowed",
  CACHE: "an option of CacheMiddleware or of its store, a tag or a purge is not allowed",
  CONFIG_INVALID: "a setting is unknown, or its value, from the argument or the environment, is not allowed",
  CONNECT_PLATFORM: "a Connect middleware got a request without the req and res of node:http",
  CONTRACT_INVALID: "a contract declares what no request or response can have, or a schema that is none",
  COOKIE_INVALID: "a cookie's name, value or attributes are none that browsers take",
  HEADER_INVALID: "a header's name or value is none that HTTP allows",
  IDEMPOTENCY: "an option of IdempotencyMiddleware, or a use of its commit(), is not allowed",
  IDEMPOTENCY_LOST: "another attempt has taken the key of this one, so its transaction must be rolled back",
  MIDDLEWARE_INVALID: "what app.use, app.wrap or a group got is no middleware, or a HookMiddleware returned a value",
  MULTIPART: "a limit, a rule or a name for multipart bodies is not allowed",
  NEXT_LATE: "a middleware called next() after it had settled",
  NEXT_TWICE: "a middleware called next() twice",
  PARAM_UNKNOWN: "the route has no path parameter of that name",
  PART_OVER: "a file of a multipart body was read a second time, or after the next part had been asked for",
  PEER_MISSING: "an optional package that a part of the framework needs is not installed",
  PLUGIN_DUPLICATE: "an app has a plugin of that name already",
  PLUGIN_FAILED: "a plugin's install threw or rejected; its error is the cause",
  PLUGIN_INVALID: "a plugin's definition or its options cannot be",
  PLUGIN_NEEDS: "a plugin needs another one that is not installed before it",
  POSTGRES_CLIENT: "what is used as a PostgreSQL client is none that the framework knows, or cannot listen",
  RATE_LIMIT: "an option of RateLimitMiddleware or of its store is not allowed",
  REDIS_CLIENT: "what is used as a Redis client is none that the framework knows",
  RENAMED: "a method or a property is used by a name that it no longer has; the sentence says the new one",
  RESPONSE_PROMISE: "a promise was given as the response, or stands in it where JSON would write {}",
  RESPONSE_SENT: "the response has been sent; a handler still uses the context",
  RESPONSE_TWICE: "a second response was recorded for one request",
  RESPONSE_VALUE: "the response is of a type that the call does not take",
  ROUTE_DUPLICATE: "the method and pattern are registered already",
  ROUTE_HANDLER: "a route has no handler, or a bean without that method",
  ROUTE_NAMES: "two patterns of one method name a parameter differently at one position",
  ROUTE_OPTIONS: "a route has an option that does not exist",
  ROUTE_PATTERN: "the pattern or the method of a route cannot mean what it says",
  SESSION_MISSING: "a session is asked for where no SessionMiddleware has run",
  SESSION_VALUE: "a session holds what has no JSON form, or more than its cookie takes",
  WEBHOOK: "a secret or an option of WebhookMiddleware, webhookJob or signWebhook is not allowed",
  WEBSOCKET_INVALID: "an option of a WebSocket route, or what a socket is to send or close with, is not allowed",
  WORK_INVALID: "a job, a schedule or an option of an engine is not allowed, or the app has no engine",
} as const;

/** A stable, machine-readable name of a mistake. */
export type ErrorCode = keyof typeof errorCodes;

/** The error for a mistake, with its code and a message with advice. */
export function usageError(code: ErrorCode, sentence: string): TypeError {
  return Object.assign(new TypeError(sentence), { code });
}

/** Like `usageError`, for a correct call at the wrong time, or another failure with its cause. */
export function stateError(code: ErrorCode, sentence: string, cause?: unknown): Error {
  return Object.assign(new Error(sentence, cause === undefined ? undefined : { cause }), { code });
}

/** A value as a message shows it: texts, lists and objects as JSON if possible, else by name. Never throws. */
export function shown(value: unknown): string {
  if (typeof value === "function") return "a function";
  if (typeof value !== "string" && typeof value !== "object") return String(value); // NaN has no JSON.
  try {
    return JSON.stringify(value);
  } catch {
    return "an object";
  }
}
