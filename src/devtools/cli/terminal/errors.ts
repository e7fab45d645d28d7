/**
 * The errors with a message for the command's user, printed on one line, without a stack.
 */

import { messageOf } from "../../run/format.ts";
import type { SearchIssue } from "../../run/shapes.ts";

/** Why a command did nothing: a mistake in its arguments, or missing devtools. */
export class TerminalError extends Error {
  override readonly name: string = "TerminalError";
}

/** The message of any thrown value, on one line. */
export function lineOf(error: unknown): string {
  return messageOf(error).split("\n", 1)[0] ?? "";
}

/** The cause of an error, if it has one; a failed fetch has its reason there. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

/** The mistake in a query, its position, and the probable meaning. */
export function misunderstood({ at, message, suggestion }: SearchIssue): string {
  const meant = suggestion === undefined ? "" : `; did you mean ${suggestion}`;
  return `the query cannot be understood at character ${at + 1}: ${message}${meant}`;
}
