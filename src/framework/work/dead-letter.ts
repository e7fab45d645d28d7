/** DeadLetterError: a handler says that another attempt at its job would fail too. */

/**
 * Throw it in the handler of a job: the job is a dead letter at once, and is not tried again.
 *
 * @example
 * ```ts
 * const Mail = job("mail", { input: z.object({ to: z.string() }) });
 * app.job(Mail, ({ to }) => {
 *   if (to.endsWith("@example.com")) throw new DeadLetterError(`${to} gets no mail`);
 * });
 * ```
 */
export class DeadLetterError extends Error {
  override readonly name = "DeadLetterError";
  /** Known by this mark, so that one of another copy of this package counts too. */
  readonly isDeadLetter = true;
}

/** Is it a {@link DeadLetterError}? */
export const isDeadLetter = (error: unknown): boolean =>
  (Object(error) as Partial<DeadLetterError>).isDeadLetter === true;
