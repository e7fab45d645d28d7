/**
 * Request targets: from `/shop/caf%C3%A9?x=1` to its path and its query.
 *
 *   target ──▶ path (raw) ──▶ routing/path.ts
 *         └──▶ query string ──▶ name → values, only when asked
 *
 * Spec: spec/routing.md
 */
import { BadRequestError } from "../internal/errors.ts";
import { isUnder } from "../routing/pattern.ts";

/** The target without its query. */
export function pathOf(target: string): string {
  const question = target.indexOf("?");
  return question < 0 ? target : target.slice(0, question);
}

/** The rest of it: `?` and the query as received, or empty. */
export function searchOf(target: string): string {
  const question = target.indexOf("?");
  return question < 0 ? "" : target.slice(question);
}

/** The path of an absolute-form target (`http://host/path`). Any other path is returned unchanged. */
export function originForm(path: string): string {
  if (path.charCodeAt(0) === 47 || !/^https?:\/\//i.test(path)) return path;
  const slash = path.indexOf("/", path.indexOf("//") + 2);
  return slash < 0 ? "/" : path.slice(slash);
}

/** The raw path of a target inside the context path, or undefined outside it. */
export function pathInside(target: string, contextPath: string): string | undefined {
  const path = originForm(pathOf(target));
  if (contextPath === "/") return path;
  if (!isUnder(path, contextPath)) return undefined;
  return path.length === contextPath.length ? "/" : path.slice(contextPath.length);
}

/**
 * The query of a target as name to values, in order. `+` is a space.
 *
 * @throws BadRequestError (400) on a malformed escape and on more than `maxPairs` pairs.
 */
export function parseQuery(target: string, maxPairs: number): Readonly<Record<string, readonly string[]>> {
  const question = target.indexOf("?");
  return parsePairs(question < 0 ? "" : target.slice(question + 1), maxPairs, "query");
}

/** The values of each name of `a=1&a=2&b`, in order. @throws BadRequestError (400) naming the `where` and its error. */
export function parsePairs(
  text: string,
  maxPairs: number,
  where: "query" | "form",
): Readonly<Record<string, readonly string[]>> {
  const all: Record<string, string[]> = Object.create(null);
  if (text === "") return all;
  let pairs = 0;
  for (const pair of text.split("&")) {
    if (pair === "") continue;
    pairs += 1;
    if (pairs > maxPairs) throw new BadRequestError(`the ${where} has more than ${maxPairs} ${fields[where]}`);
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals), where);
    const value = equals < 0 ? "" : decode(pair.slice(equals + 1), where);
    const values = all[name];
    if (values === undefined) all[name] = [value];
    else values.push(value);
  }
  return all;
}

const fields = { query: "parameters", form: "fields" } as const;

function decode(text: string, where: string): string {
  const spaced = text.indexOf("+") < 0 ? text : text.replaceAll("+", " ");
  if (spaced.indexOf("%") < 0) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new BadRequestError(`the ${where} holds a malformed percent-escape`);
  }
}
