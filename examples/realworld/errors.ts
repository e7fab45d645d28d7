/**
 * The errors, in the format of RealWorld's specification: `{ "errors": { "title": ["can't be blank"] } }`.
 *
 *   ConduitError, thrown anywhere  ──▶ its status; the field that it is about
 *   422 of a contract              ──▶ every field with what is wrong with it
 *   UniqueViolationError           ──▶ 409, "has already been taken"
 *   any other HttpError            ──▶ its status; "request" is what it is about
 *   anything else                  ──▶ 500, logged; its message stays here
 */
import { type Framework, HttpError, type ProblemIssue } from "framework";
import { UniqueViolationError, UnstorableTextError } from "./database/database.ts";

/** The body of every error response. */
export interface ErrorBody {
  readonly errors: Readonly<Record<string, readonly string[]>>;
}

/** An error response: its subject, and what is wrong with it. */
class ConduitError extends HttpError {
  readonly subject: string;

  constructor(status: number, subject: string, reason: string, headers: Readonly<Record<string, string>> = {}) {
    super(status, reason, { headers });
    this.subject = subject;
  }
}

/** 401: the user is not known. */
export class UnauthorizedError extends ConduitError {
  constructor(subject: "token" | "credentials", reason: string) {
    super(401, subject, reason, { "WWW-Authenticate": "Token" });
  }
}

/** 403: the user is known, but not allowed. */
export class ForbiddenError extends ConduitError {
  constructor(subject: "article" | "comment") {
    super(403, subject, "forbidden");
  }
}

/** 404: the resource does not exist. */
export class UnknownError extends ConduitError {
  constructor(subject: "article" | "comment" | "profile") {
    super(404, subject, "not found");
  }
}

/** 422: understood, but rejected. */
export class InvalidInputError extends ConduitError {
  constructor(field: string, reason: string) {
    super(422, field, reason);
  }
}

/** The unique fields, by the names of their constraints in schema.ts. */
const uniqueFields: Readonly<Record<string, string>> = {
  users_email: "email",
  users_username: "username",
  articles_slug: "title",
};

/** Sends every error of the app in Conduit's format, including the framework's own 404 and 405. */
export function addErrors(app: Framework): void {
  app.onError(HttpError, (error, ctx) => {
    ctx.status(error.status);
    if (error.issues !== undefined) return byField(error.issues);
    return errorAbout(error instanceof ConduitError ? error.subject : "request", error.message);
  });
  app.onError(UniqueViolationError, (error, ctx) => {
    ctx.status(409);
    return errorAbout(uniqueFields[error.constraint] ?? "request", "has already been taken");
  });
  app.onError(UnstorableTextError, (_error, ctx) => {
    ctx.status(422);
    return errorAbout("request", "has a text with the character U+0000, which cannot be stored");
  });
  app.onStatus(500, () => errorAbout("server", "something went wrong on our side"));
}

const errorAbout = (subject: string, reason: string): ErrorBody => ({ errors: { [subject]: [reason] } });

/** The issues of a contract, by field: an issue at `["user", "email"]` of a body is about `email`. */
function byField(issues: readonly ProblemIssue[]): ErrorBody {
  const fields = new Map<string, readonly string[]>();
  for (const { in: part = "body", path, message } of issues) {
    const field = String((part === "body" ? (path[1] ?? path[0]) : path[0]) ?? part);
    fields.set(field, [...(fields.get(field) ?? []), message]);
  }
  return { errors: Object.fromEntries(fields) };
}
