/**
 * The errors whose message is meant for the user who typed the command: printed as one line, without a stack.
 */

/** A mistake in how the command was called, or something in its way. */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
  /** What the program ends with. */
  readonly exitCode: number = 1;
}

/** A document or an app that cannot be read: no comparison was made, so its exit code is not that of a difference. */
export class DocumentError extends UsageError {
  override readonly name: string = "DocumentError";
  override readonly exitCode: number = 2;
}

/** Two documents differ in ways that break clients: the one error with more than a line. */
export class DifferenceError extends UsageError {
  override readonly name: string = "DifferenceError";
  readonly list: readonly string[];

  constructor(sentence: string, list: readonly string[]) {
    super(sentence);
    this.list = list;
  }
}
