/**
 * Paths: from the path of a request to a file inside the root, and nowhere else.
 *
 *   /assets/app.js ──▶ below the prefix? ──▶ segments, each the name of a file ──▶ joined to the root
 *                                               └─ empty, "..", ".env", a slash, NUL: no file
 *   joined ──▶ the real path, links followed ──▶ still inside the root, still no dot ──▶ the file
 *
 * The path is taken apart before anything is joined, so there is nothing left that could climb: no spelling of `..` is
 * the name of a file. What a link leads to is asked of the file system.
 *
 * Spec: spec/static.md
 */
import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";

/** What no file that is served is called: hidden, or with a character that is a separator somewhere. */
const noName = /^\.|[\0/\\]|%2f|%5c|%00/i;

/** And what none is called on Windows: with a character that it has in no name, or as a device. */
// oxlint-disable-next-line no-control-regex -- Windows has none of them in a name
const noNameOnWindows = /[\x01-\x1f\x7f:*?"<>|]|[. ]$|^(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³]|con(?:in|out)\$)(?:\.|$)/i;

/** Can a file that is served be called that, where such a separator stands between the names of a path? */
export const isFileName = (name: string, separator: string = sep): boolean =>
  name !== "" && !noName.test(name) && !(separator === "\\" && noNameOnWindows.test(name));

/**
 * The segments of a path below `prefix`; none for the root itself.
 *
 * @param path decoded once
 * @param prefix without a slash at its end; empty for everything
 * @returns undefined where it lies elsewhere, or can be no file's
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
 * Can a path be a page that the browser alone knows, though it is no file's, such as `/tags/c%2Fc++`? Not where a name has
 * a dot in front.
 *
 * @param prefix as that of `segmentsOf`
 */
export const isPagePath = (path: string, prefix: string): boolean =>
  path.startsWith(`${prefix}/`) && !/(?:[/\\]|%2f|%5c)\./i.test(path.slice(prefix.length));

/**
 * The real path of a file or folder inside `root`.
 *
 * @param root a real path
 * @param followLinks true lets a link lead out of the root
 * @returns undefined where there is nothing, or it is not to be served
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

/** Does a real path lie in `root`, with no dot in front of a name? */
export function isInside(root: string, real: string): boolean {
  const inside = relative(root, real);
  const isHidden = inside.split(sep).some((segment) => segment.startsWith(".")); // ".." is among them.
  return !isHidden && !isAbsolute(inside);
}

/** Is there no such file, as far as anybody is to know? */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && missing.has(String(error.code));

const missing: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EACCES", "EPERM"]);
