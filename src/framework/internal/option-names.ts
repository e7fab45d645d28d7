/**
 * Names of options: one that does not exist is a mistake, mostly of spelling, and never passed over in silence.
 *
 *   { includeSubdomains: false } ──▶ TypeError: … has no option includeSubdomains: maxAge, includeSubDomains, preload can be
 *                                    set; did you mean includeSubDomains?
 */
import { didYouMean } from "./suggestion.ts";
import { type ErrorCode, usageError } from "./usage-errors.ts";

/** The first name among those of `given` that does not exist; undefined where each one does. */
export const unknownName = (given: object, names: readonly string[]): string | undefined =>
  Object.keys(given).find((name) => !names.includes(name));

/**
 * @param where what they are the options of, as a sentence begins
 * @throws TypeError naming the first that does not exist, and those that do; also where they are no object.
 */
export function checkOptionNames(
  where: string,
  options: object,
  names: readonly string[],
  code: ErrorCode = "CONFIG_INVALID",
): void {
  const given: unknown = options;
  if (typeof given !== "object" || given === null)
    throw usageError(code, `${where} is ${String(given)}: an object of ${names.join(", ")} is allowed`);
  const unknown = unknownName(given, names);
  if (unknown === undefined) return;
  const sentence = `${where} has no option ${unknown}: ${names.join(", ")} can be set`;
  throw usageError(code, `${sentence}${didYouMean(unknown, names)}`);
}
