/**
 * What can go wrong, and how Conduit's specification wants it said: `{ "errors": { "body": ["…"] } }`.
 *
 *   HttpError, thrown anywhere ──▶ its status + errorBody
 *   UniqueViolationError       ──▶ 422, "email has already been taken"
 *   anything else              ──▶ 500, logged; its message stays here
 */
import { type Framework, HttpError } from "framework";
import { UniqueViolationError } from "./database/database.ts";

/** The body of every error response. */
export interface ErrorBody {
  readonly errors: { readonly body: readonly string[] };
}

/** 401: who is asking is not known. */
export class UnauthorizedError extends HttpError {
  constructor(message: string) {
    super(401, message, { headers: { "WWW-Authenticate": "Token" } });
  }
}

/** 403: who is asking is known, and may not. */
export class ForbiddenError extends HttpError {
  constructor(message: string) {
    super(403, message);
  }
}

/** 404: there is no such thing. */
export class UnknownError extends HttpError {
  constructor(what: "article" | "comment" | "profile") {
    super(404, `${what} not found`);
  }
}

/** 422: understood, and rejected. */
export class InvalidInputError extends HttpError {
  constructor(message: string) {
    super(422, message);
  }
}

const fields: Readonly<Record<string, string>> = {
  users_email: "email has already been taken",
  users_username: "username has already been taken",
  articles_slug: "title must be unique",
};

/** Sends every error of the app in Conduit's format, the framework's own 404 and 405 included. */
export function addErrors(app: Framework): void {
  app.exception(HttpError, (error, ctx) => {
    ctx.status(error.status);
    return errorBody(...messagesOf(error));
  });
  app.exception(UniqueViolationError, (error, ctx) => {
    ctx.status(422);
    return errorBody(fields[error.constraint] ?? error.message);
  });
  app.error(500, () => errorBody("something went wrong on our side"));
}

function errorBody(...body: readonly string[]): ErrorBody {
  return { errors: { body } };
}

/** A rejected body names its fields: `["user", "email"]` and "is invalid" become "email is invalid". */
function messagesOf({ message, issues }: HttpError): readonly string[] {
  if (issues === undefined || issues.length === 0) return [message];
  return issues.map(({ path, message: said }) => {
    const field = path.length > 1 ? path.slice(1).join(".") : path.join(".");
    return field === "" ? said : `${field} ${said}`;
  });
}
