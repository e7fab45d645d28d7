/**
 * Request targets: from `/shop/caf%C3%A9?x=1` to its path and the query that is read.
 *
 *   target ──▶ path (raw) ──▶ routing/path.ts
 *         └──▶ query string ──▶ name → values, only when asked
 *
 * Spec: spec/routing.md (ROUTE)
 */
import { BadRequestError } from "../internal/errors.ts";

/** The target without its query. */
export function pathOf(target: string): string {
  const question = target.indexOf("?");
  return question < 0 ? target : target.slice(0, question);
}

/** The rest of it: `?` and the query as it was received; empty without one. */
export function searchOf(target: string): string {
  const question = target.indexOf("?");
  return question < 0 ? "" : target.slice(question);
}

/** The path of an absolute-form target (`http://host/path`); any other path as it is. */
export function originForm(path: string): string {
  if (path.charCodeAt(0) === 47 || !/^https?:\/\//i.test(path)) return path;
  const slash = path.indexOf("/", path.indexOf("//") + 2);
  return slash < 0 ? "/" : path.slice(slash);
}

/**
 * The query of a target: name to values, in order; `+` is a space.
 *
 * @throws BadRequestError (400) on a malformed escape and on more than `maxPairs` pairs.
 */
export function parseQuery(target: string, maxPairs: number): Readonly<Record<string, readonly string[]>> {
  const query: Record<string, string[]> = Object.create(null);
  const question = target.indexOf("?");
  if (question < 0) return query;
  let pairs = 0;
  for (const pair of target.slice(question + 1).split("&")) {
    if (pair === "") continue;
    pairs += 1;
    if (pairs > maxPairs) throw new BadRequestError(`the query has more than ${maxPairs} parameters`);
    const equals = pair.indexOf("=");
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    const value = equals < 0 ? "" : decode(pair.slice(equals + 1));
    const values = query[name];
    if (values === undefined) query[name] = [value];
    else values.push(value);
  }
  return query;
}

function decode(text: string): string {
  const spaced = text.indexOf("+") < 0 ? text : text.replaceAll("+", " ");
  if (spaced.indexOf("%") < 0) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new BadRequestError("the query holds a malformed percent-escape");
  }
}
