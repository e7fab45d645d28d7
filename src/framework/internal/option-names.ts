/**
 * Names of options. An unknown one is an error, mostly a typo, and never silently ignored.
 *
 *   { includeSubdomains: false } ──▶ TypeError: … has no option includeSubdomains: maxAge, includeSubDomains, preload can be
 *                                    set; did you mean includeSubDomains?
 */
import { didYouMean } from "./suggestion.ts";
import { type ErrorCode, usageError } from "./usage-errors.ts";

/** The first unknown name of `given`, or undefined. */
export const unknownName = (given: object, names: readonly string[]): string | undefined =>
  Object.keys(given).find((name) => !names.includes(name));

/**
 * @param where names the owner of the options, as a sentence begins
 * @throws TypeError naming the first unknown option and the known ones, also when it is not an object.
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
