/**
 * Paths: from the raw path of a request to the one that is routed, and to what a handler can read in it.
 *
 *   raw path ──▶ dot segments rejected, percent-escapes decoded once ──▶ the path that is routed ──▶ as it can be read
 *
 * An encoded slash stays inside its segment: it becomes `/` in the parameter's value and never divides segments. A
 * handler that takes that value for a path sees a slash all the same, and on Windows in a backslash too. So whatever
 * protects a path is compared with `readablePath`, which all spellings of one path share.
 *
 * Spec: spec/routing.md
 */

/** Stand for an encoded slash and for a backslash while routing. Two high surrogates in a row: no text holds that. */
const heldSlash = "\ud800\ud800";
const heldBackslash = "\ud800\ud801";
const held = /\ud800[\ud800\ud801]/g;

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
