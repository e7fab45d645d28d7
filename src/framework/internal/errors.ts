/**
 * Errors: a handler throws one to respond with a status, and it becomes an RFC 9457 body.
 *
 *   throw new NotFoundError("no such order") ──▶ 404 application/problem+json { …, "detail": "no such order" }
 *   throw anything else                      ──▶ 500, logged; its message never leaves the process
 *
 * Spec: spec/errors.md
 */
import { reasonPhrase } from "./http-rules.ts";
import { stateError } from "./usage-errors.ts";

/** One reason for the rejection of a body. `path` leads to the value, e.g. `["items", 0, "price"]`. */
export interface ProblemIssue {
  /** The part of the request with the error. */
  readonly in?: RequestPart | undefined;
  readonly path: readonly (string | number)[];
  /** The same path as a JSON pointer (RFC 6901), e.g. `/lines/0/sku`. */
  readonly pointer?: string | undefined;
  readonly message: string;
}

/** The parts of a request that can have a schema. */
export type RequestPart = "params" | "query" | "headers" | "cookies" | "body";

/** RFC 9457 problem details, the body of every error response. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string | undefined;
  readonly code?: string | undefined;
  readonly errors?: readonly ProblemIssue[] | undefined;
  /** At least how many issues there are in addition to those in `errors`. */
  readonly moreErrors?: number | undefined;
}

/** The fields of an HttpError in addition to status and message. */
export interface HttpErrorOptions {
  readonly cause?: unknown;
  /** Headers of the error response, e.g. `{ "Retry-After": "5" }`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A stable machine-readable code for clients. */
  readonly code?: string | undefined;
  readonly issues?: readonly ProblemIssue[] | undefined;
  /** How many issues there are in addition to these. */
  readonly moreIssues?: number | undefined;
}

/** The error when a bean is needed and the app has no container. `where` names the code that needs it. */
export const noBeans = (where = ""): Error =>
  stateError("BEANS_NOT_ATTACHED", `${where}no beans are attached: call app.beans(beans) before app.start()`);

/** The data of an error response. Every HttpError is one. The router rejects without creating an error. */
export interface Rejection {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly code?: string | undefined;
  readonly issues?: readonly ProblemIssue[] | undefined;
  readonly moreIssues?: number | undefined;
}

/** In the registry of the whole process, so that another copy of this package recognizes an HttpError. */
const brand: unique symbol = Symbol.for("framework.HttpError");
const isStatus = (status: unknown): boolean =>
  Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599;

/** The headers of a rejection without its own. */
export const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

/**
 * An error that is a response. Its status and message are sent to the client. `instanceof HttpError` is also true for one of
 * another copy of this package, as a plugin may have it in its own `node_modules`.
 *
 * @throws RangeError when `status` is not an error status (400 to 599).
 */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly code: string | undefined;
  readonly issues: readonly ProblemIssue[] | undefined;
  readonly moreIssues: number | undefined;

  static {
    Object.defineProperty(this.prototype, brand, { value: true });
  }

  /** An HttpError of any copy of this package. For a subclass, its own instances. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    if (this !== HttpError || !(value instanceof Error) || !(brand in value)) return false;
    const { status, headers } = value as Partial<HttpError>;
    return isStatus(status) && typeof headers === "object" && headers !== null;
  }

  constructor(status: number, message?: string, options: HttpErrorOptions = {}) {
    super(message ?? reasonPhrase(status), "cause" in options ? { cause: options.cause } : undefined);
    if (!isStatus(status)) throw new RangeError(`HttpError takes a status from 400 to 599, not ${String(status)}`);
    this.name = new.target.name;
    this.status = status;
    this.headers = options.headers ?? noHeaders;
    this.code = options.code;
    this.issues = options.issues;
    this.moreIssues = options.moreIssues;
  }
}

/** 400: the request is invalid. */
export class BadRequestError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(400, message, options);
  }
}

/** Options of an UnauthorizedError. */
export interface UnauthorizedOptions extends HttpErrorOptions {
  /** How to authenticate: the `WWW-Authenticate` that RFC 9110 §15.5.2 requires, e.g. `Bearer realm="shop"`. */
  readonly challenge?: string | undefined;
}

/** 401: the client is unknown, or its credentials are invalid. */
export class UnauthorizedError extends HttpError {
  constructor(message?: string, options: UnauthorizedOptions = {}) {
    super(401, message, withHeader(options, "WWW-Authenticate", options.challenge));
  }
}

/** 403: the client is known, and has no permission. */
export class ForbiddenError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(403, message, options);
  }
}

/** 404: the resource does not exist. */
export class NotFoundError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(404, message, options);
  }
}

/** 405: the resource exists, but not for this method. Carries `Allow`. */
export class MethodNotAllowedError extends HttpError {
  constructor(allow: string, message = `allowed here: ${allow}`, options: HttpErrorOptions = {}) {
    super(405, message, withHeader(options, "Allow", allow));
  }
}

/** 409: the resource's state does not allow this. */
export class ConflictError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(409, message, options);
  }
}

/** 410: the resource existed, and will not exist again. */
export class GoneError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(410, message, options);
  }
}

/** 413: the body exceeds its limit, which is a number of bytes, or what the message says. Closes the connection, since the rest of the body is not read. */
export class ContentTooLargeError extends HttpError {
  constructor(limit?: number | string, options: HttpErrorOptions = {}) {
    const message = typeof limit === "number" ? `the body may have at most ${limit} bytes` : limit;
    super(413, message, withHeader(options, "Connection", "close"));
  }
}

/** 415: the type of the body is not supported here. */
export class UnsupportedMediaTypeError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(415, message, options);
  }
}

/**
 * 422: a well-formed request that cannot be processed. A schema that rejects it gives the issues and the number of further
 * ones. A handler gives a message.
 */
export class UnprocessableContentError extends HttpError {
  constructor(issues: readonly ProblemIssue[], moreIssues?: number);
  constructor(message?: string, options?: HttpErrorOptions);
  constructor(given?: readonly ProblemIssue[] | string, more?: number | HttpErrorOptions) {
    const options = typeof more === "object" ? more : { moreIssues: more || undefined };
    if (typeof given === "object") super(422, rejectedBy(given), { ...options, issues: given });
    else super(422, given, options);
  }
}

function rejectedBy(issues: readonly ProblemIssue[]): string {
  const isBody = issues.every((issue) => issue.in === "body");
  return isBody ? "the body does not fit its schema" : "the request does not fit its contract";
}

/**
 * 428: a change needs a precondition, such as `If-Match`, so that it does not overwrite another client's change (RFC 6585 §3).
 */
export class PreconditionRequiredError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(428, message, options);
  }
}

/** Options of a TooManyRequestsError. */
export interface TooManyRequestsOptions extends HttpErrorOptions {
  /** When to try again, in `Retry-After`: seconds from now, rounded up, or a date. */
  readonly retryAfter?: number | Date | undefined;
}

/** 429: too many requests in a short time (RFC 6585 §4). */
export class TooManyRequestsError extends HttpError {
  /** @throws RangeError when `retryAfter` is neither a number of seconds from 0 nor a valid Date. */
  constructor(message?: string, options: TooManyRequestsOptions = {}) {
    super(429, message, withHeader(options, "Retry-After", retryAfterOf(options.retryAfter)));
  }
}

/** 503: temporarily unavailable. */
export class ServiceUnavailableError extends HttpError {
  constructor(message?: string, options?: HttpErrorOptions) {
    super(503, message, options);
  }
}

/** The options with one more header. An existing one with that name stays. */
function withHeader(options: HttpErrorOptions, name: string, value: string | undefined): HttpErrorOptions {
  return value === undefined ? options : { ...options, headers: { [name]: value, ...options.headers } };
}

function retryAfterOf(when: number | Date | undefined): string | undefined {
  if (when === undefined) return undefined;
  const isDate = when instanceof Date;
  const value = Number(when);
  if (!Number.isFinite(value) || (!isDate && value < 0))
    throw new RangeError(`retryAfter takes seconds from 0, or a Date, not ${String(when)}`);
  return isDate ? when.toUTCString() : String(Math.ceil(value));
}

/** The client left before its body was whole. No response can be sent. */
export class ClientGoneError extends Error {
  override readonly name: string = "ClientGoneError";
  constructor() {
    super("the client left before the request was whole");
  }
}

/**
 * The RFC 9457 body for a status, or for a rejection with all its fields. Missing fields are undefined, and JSON leaves them
 * out.
 */
export function problemOf(error: Rejection | number): Problem {
  if (typeof error === "number") return { type: "about:blank", title: reasonPhrase(error), status: error };
  const { status, message, code, issues, moreIssues } = error;
  const title = reasonPhrase(status);
  const detail = message === "" || message === title ? undefined : message;
  return { type: "about:blank", title, status, detail, code, errors: issues, moreErrors: moreIssues };
}

/** Makes an error without its stack, which is most of an error's cost. */
export function withoutStack<E extends Error>(make: () => E): E {
  if (!Object.isExtensible(Error)) return make(); // frozen intrinsics: the limit cannot be set
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
