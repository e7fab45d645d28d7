/**
 * The error whose message is meant for the user who typed the command: printed as one line, without a stack.
 */

/** A mistake in how the command was called, or something in its way. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
}
