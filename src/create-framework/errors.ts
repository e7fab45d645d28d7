/**
 * The errors for the user of a command: their message is printed as one line, without a stack.
 */

/** A mistake in the command, or an obstacle to it. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
  /** The program's exit code. */
  readonly exitCode: number = 1;
}

/** A document or an app that cannot be read. No comparison was made, so its exit code differs from that of a difference. */
export class DocumentError extends UsageError {
  override readonly name: string = "DocumentError";
  override readonly exitCode: number = 2;
}

/** Two documents differ in ways that break clients: the only error with more than one line. */
export class DifferenceError extends UsageError {
  override readonly name: string = "DifferenceError";
  readonly list: readonly string[];

  constructor(sentence: string, list: readonly string[]) {
    super(sentence);
    this.list = list;
  }
}
