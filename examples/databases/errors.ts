/**
 * Errors of PostgreSQL as responses. Services and repositories need not know HTTP.
 *
 *   23505, 23P01, 23514 ──▶ 409      23503 ──▶ 404      40001, 40P01 ──▶ 503      any other ──▶ 500, logged
 */
import { ConflictError, type Framework, type HttpError, NotFoundError, ServiceUnavailableError } from "framework";
import { DatabaseError } from "pg";

/** Maps the errors of pg. */
export function mapPgErrors(app: Framework): void {
  app.onError(DatabaseError, (error) => responseTo(error.code));
}

/** The response to a code of PostgreSQL; undefined leaves it a 500, which is logged. */
export function responseTo(code: string | undefined): HttpError | undefined {
  switch (code) {
    case "23505": // unique_violation
      return new ConflictError("it exists already");
    case "23P01": // exclusion_violation
      return new ConflictError("it overlaps with one that exists");
    case "23514": // check_violation
      return new ConflictError("a rule of the database forbids it");
    case "23503": // foreign_key_violation
      return new NotFoundError("it refers to something that does not exist");
    case "40001": // serialization_failure
    case "40P01": // deadlock_detected
      return new ServiceUnavailableError("another transaction was first", { headers: { "Retry-After": "1" } });
    default:
      return undefined;
  }
}
