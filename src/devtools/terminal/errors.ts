/**
 * The errors whose message is meant for whoever typed the command: printed on one line, without a stack.
 */

/** Why a command did nothing: a mistake in how it was called, or devtools that are not there. */
export class TerminalError extends Error {
  override readonly name: string = "TerminalError";
}

/** The message of whatever was thrown, on one line. */
export function lineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] ?? "";
}
