/**
 * Paths: from a request's path to a file inside the root, and to no other file.
 *
 *   /assets/app.js ──▶ below the prefix? ──▶ segments, each the name of a file ──▶ joined to the root
 *                                               └─ empty, "..", ".env", a slash, NUL: no file
 *   joined ──▶ the real path, links followed ──▶ still inside the root, still no dot ──▶ the file
 *
 * The path is split before it is joined, so nothing in it can climb, because no spelling of `..` is a valid file name. The file
 * system resolves links.
 *
 * Spec: spec/static.md
 */
import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";

/** Never a served file's name: hidden, or with a separator of some system. */
const noName = /^\.|[\0/\\]|%2f|%5c|%00/i;

/** Also impossible on Windows: a reserved character, or a device. */
// oxlint-disable-next-line no-control-regex -- Windows has none of them in a name
const noNameOnWindows = /[\x01-\x1f\x7f:*?"<>|]|[. ]$|^(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³]|con(?:in|out)\$)(?:\.|$)/i;

/** Can a served file have that name, given the separator of paths? */
export const isFileName = (name: string, separator: string = sep): boolean =>
  name !== "" && !noName.test(name) && !(separator === "\\" && noNameOnWindows.test(name));

/**
 * The segments of a path under `prefix`. Empty for the root itself.
 *
 * @param path decoded once
 * @param prefix without a trailing slash, or empty for everything
 * @returns undefined when it is elsewhere, or cannot be a file's
 */
export function segmentsOf(path: string, prefix: string): readonly string[] | undefined {
  if (!path.startsWith(prefix)) return undefined;
  const rest = path.slice(prefix.length);
  if (rest === "") return [];
  if (!rest.startsWith("/")) return undefined;
  const segments = rest.slice(1).split("/");
  if (segments.at(-1) === "") segments.pop();
  return segments.every((segment) => isFileName(segment)) ? segments : undefined;
}

/**
 * Can a path be a page of a browser application although it cannot be a file's, such as `/tags/c%2Fc++`? Not when a name has a
 * leading dot.
 *
 * @param prefix as in `segmentsOf`
 */
export const isPagePath = (path: string, prefix: string): boolean =>
  path.startsWith(`${prefix}/`) && !/(?:[/\\]|%2f|%5c)\./i.test(path.slice(prefix.length));

/**
 * The real path of a file or folder inside `root`.
 *
 * @param root a real path
 * @param followLinks true lets a link lead out of the root
 * @returns undefined when it does not exist, or must not be served
 */
export async function realPathIn(
  root: string,
  segments: readonly string[],
  followLinks: boolean,
): Promise<string | undefined> {
  let real: string;
  try {
    real = await realpath(join(root, ...segments));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  return followLinks || isInside(root, real) ? real : undefined;
}

/** Is a real path in `root`, without a leading dot in a name? */
export function isInside(root: string, real: string): boolean {
  const inside = relative(root, real);
  const isHidden = inside.split(sep).some((segment) => segment.startsWith(".")); // That includes "..".
  return !isHidden && !isAbsolute(inside);
}

/** Must the error appear as a missing file? */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && missing.has(String(error.code));

const missing: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EACCES", "EPERM"]);
