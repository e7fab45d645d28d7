/**
 * The errors whose message is meant for whoever typed the command: printed on one line, without a stack.
 */

import { messageOf } from "../../run/format.ts";
import type { SearchIssue } from "../../run/shapes.ts";

/** Why a command did nothing: a mistake in how it was called, or devtools that are not there. */
export class TerminalError extends Error {
  override readonly name: string = "TerminalError";
}

/** The message of whatever was thrown, on one line. */
export function lineOf(error: unknown): string {
  return messageOf(error).split("\n", 1)[0] ?? "";
}

/** What is behind an error, where it says so: a fetch that failed has the reason there. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

/** Why a query cannot be understood, where, and what was probably meant. */
export function misunderstood({ at, message, suggestion }: SearchIssue): string {
  const meant = suggestion === undefined ? "" : `; did you mean ${suggestion}`;
  return `the query cannot be understood at character ${at + 1}: ${message}${meant}`;
}
