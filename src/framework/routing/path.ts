/**
 * Paths: from the raw path of a request to the routed path, and to the path that a handler may read in it.
 *
 *   raw path ──▶ dot segments rejected, percent-escapes decoded once ──▶ the routed path ──▶ the readable path
 *
 * An encoded slash stays inside its segment. It becomes `/` in the parameter's value and never splits segments. A handler that
 * uses that value as a path still sees a slash, and on Windows also in a backslash. So a protected path is compared with
 * `readablePath`, which is equal for all spellings of one path.
 *
 * Spec: spec/routing.md
 */

/** Placeholders of an encoded slash and of a backslash while routing. No text holds two high surrogates in a row. */
const heldSlash = "\ud800\ud800";
const heldBackslash = "\ud800\ud801";
const held = /\ud800[\ud800\ud801]/g;

/**
 * The path as it is routed, with its escapes decoded once.
 *
 * @returns the same string for a path without an escape and a backslash. Undefined when an escape is malformed or NUL, or a
 *   segment is `.` or `..`, encoded or not, between slashes or backslashes.
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

/** A routed path as a handler may read it: every slash and backslash is a slash, and several in a row are one. */
export function readablePath(routed: string): string {
  const plain = routed.replace(held, "/");
  return plain.indexOf("//") < 0 ? plain : plain.replace(/\/{2,}/g, "/");
}

/** Is there a slash at that place of a routed path, or a character that a handler may read as one? */
export function isSeparator(routed: string, at: number): boolean {
  const code = routed.charCodeAt(at);
  return code === 47 || (code === 0xd800 && (routed.startsWith(heldSlash, at) || routed.startsWith(heldBackslash, at)));
}

/** A parameter's value, with its held characters restored. */
export const valueOf = (raw: string): string => raw.replace(held, (found) => (found === heldSlash ? "/" : "\\"));

/** A routed path for display, with its held slashes escaped again. */
export const shownPath = (path: string): string => path.replace(held, (found) => (found === heldSlash ? "%2F" : "\\"));
