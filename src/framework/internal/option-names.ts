/**
 * Names of options: one that does not exist is a mistake, mostly of spelling, and never passed over in silence.
 *
 *   { includeSubdomains: false } ──▶ TypeError: … has no option includeSubdomains: maxAge, includeSubDomains, preload can be set
 */
import { usageError } from "./usage-errors.ts";

/**
 * @param where what they are the options of, as a sentence begins
 * @throws TypeError naming the first that does not exist, and those that do; also where they are no object.
 */
export function checkOptionNames(where: string, options: object, names: readonly string[]): void {
  const given: unknown = options;
  if (typeof given !== "object" || given === null)
    throw usageError("CONFIG_INVALID", `${where} is ${String(given)}: an object of ${names.join(", ")} is allowed`);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw usageError("CONFIG_INVALID", `${where} has no option ${unknown}: ${names.join(", ")} can be set`);
}
