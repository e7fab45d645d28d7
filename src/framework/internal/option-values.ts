/** Numbers of options. */
import { type ErrorCode, shown, usageError } from "./usage-errors.ts";

/**
 * @param where names the owner of the options, as a sentence begins
 * @throws TypeError naming the first of these options that is set and no whole number from 1, and its value.
 */
export function checkWholeNumbers<K extends string>(
  where: string,
  options: { readonly [name in K]?: unknown },
  names: readonly K[],
  code: ErrorCode,
): void {
  for (const name of names) {
    const value = options[name];
    if (value !== undefined && !(Number.isInteger(value) && Number(value) >= 1 && Number(value) < 2 ** 31))
      throw usageError(
        code,
        `${where}: ${name} is ${shown(value)}: a whole number from 1 to ${2 ** 31 - 1} is allowed`,
      );
  }
}

/** The time limit of a store. @throws TypeError (`CONFIG_INVALID`) when it is not a number of milliseconds above 0. */
export function checkTimeout(owner: string, timeoutMs: number): void {
  if (timeoutMs > 0 && timeoutMs < 2 ** 31) return;
  throw usageError("CONFIG_INVALID", `timeoutMs of ${owner} is ${String(timeoutMs)}: milliseconds above 0 are allowed`);
}
