/**
 * Request targets: from `/shop/caf%C3%A9?x=1` to the path that is routed and the query that is read.
 *
 *   target ──▶ path (raw) ──▶ dot segments refused, percent-escapes decoded once ──▶ the path that is routed
 *         │                                                                              └──▶ as it can be read
 *         └──▶ query string ──▶ name → values, only when asked
 *
 * An encoded slash stays inside its segment: it becomes `/` in the parameter's value and never divides segments. A
 * handler that takes that value for a path sees a slash all the same, and on Windows in a backslash too. So whatever
 * protects a path is compared with `readablePath`, which all spellings of one path share.
 *
 * Spec: spec/routing.md (ROUTE)
 */
import { BadRequestError } from "./errors.ts";

/** Stand for an encoded slash and for a backslash while routing. Two high surrogates in a row: no text holds that. */
const heldSlash = "\ud800\ud800";
const heldBackslash = "\ud800\ud801";
const held = /\ud800[\ud800\ud801]/g;

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
 * The path as it is routed: escapes decoded once.
 *
 * @returns the same string for a path without an escape and a backslash; undefined when an escape is malformed or NUL,
 *   or a segment is `.` or `..`, encoded or not, between slashes or backslashes.
 */
export function routedPath(path: string): string | undefined {
  if (path.indexOf("%") < 0 && path.indexOf("\\") < 0)
    return path.indexOf(".") >= 0 && path.indexOf("/.") >= 0 && hasDotSegment(path) ? undefined : path;
  let decoded: string;
  try {
    decoded = path.split("/").map(decodedSegment).join("/");
  } catch {
    return undefined;
  }
  return decoded.includes("\0") || hasDotSegment(decoded.replace(held, "/")) ? undefined : decoded;
}

const decodedSegment = (segment: string): string =>
  decodeURIComponent(segment).replaceAll("/", heldSlash).replaceAll("\\", heldBackslash);

const hasDotSegment = (path: string): boolean => /\/\.{1,2}(?:\/|$)/.test(path);

/** A routed path as a handler can come to read it: every slash and backslash a slash, several in a row one. */
export function readablePath(routed: string): string {
  const plain = routed.replace(held, "/");
  return plain.indexOf("//") < 0 ? plain : plain.replace(/\/{2,}/g, "/");
}

/** Is there a slash at that place of a routed path, or what a handler may read as one? */
export function isSeparator(routed: string, at: number): boolean {
  const code = routed.charCodeAt(at);
  return code === 47 || (code === 0xd800 && (routed.startsWith(heldSlash, at) || routed.startsWith(heldBackslash, at)));
}

/** A parameter's value: what was held is itself again. */
export const valueOf = (raw: string): string => raw.replace(held, (found) => (found === heldSlash ? "/" : "\\"));

/** A routed path to show: held slashes are escaped again. */
export const shownPath = (path: string): string => path.replace(held, (found) => (found === heldSlash ? "%2F" : "\\"));

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
