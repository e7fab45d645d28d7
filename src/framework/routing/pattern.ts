/**
 * Route patterns: parses and checks `/users/{id}/files/*path` once, at registration.
 *
 * Spec: spec/routing.md
 */
import { usageError } from "../internal/usage-errors.ts";

/** A pattern in its canonical form, without a trailing slash unless it is kept on purpose. */
export interface Pattern {
  readonly text: string;
  readonly names: readonly string[];
  /** Does it end in `*name`? */
  readonly isWild: boolean;
}

const nameShape = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Parses a pattern.
 *
 * @throws TypeError with a sentence: no leading slash, `{}`, `:name`, a wildcard that is not last, a repeated name, a
 *   percent-escape.
 */
export function parsePattern(text: string, strictSlash = false): Pattern {
  const reject = (why: string): never => {
    throw usageError("ROUTE_PATTERN", `the route pattern ${JSON.stringify(text)} ${why}`);
  };
  if (!text.startsWith("/")) reject(`starts without a slash: write ${JSON.stringify(`/${text}`)}`);
  if (/[?#]/.test(text)) reject("holds ? or #: the query is no part of a pattern");
  if (text.includes("%")) reject(`holds %, and paths are matched decoded: write ${decodedHint(text)}`);
  if (text.includes("\\")) reject("holds a backslash: write / between segments");
  const path = !strictSlash && text.length > 1 && text.endsWith("/") ? text.slice(0, -1) : text;
  const segments = path.slice(1).split("/");
  const names: string[] = [];
  segments.forEach((segment, index) => {
    const last = index === segments.length - 1;
    if (segment === "" && !(last && (strictSlash || segments.length === 1))) reject("holds an empty segment");
    if (segment === "." || segment === "..") reject("holds a dot segment");
    if (segment.startsWith(":")) reject(`holds ${segment}: write {${segment.slice(1)}}`);
    const name = nameOf(segment, last, reject);
    if (name === undefined) return;
    if (!nameShape.test(name))
      reject(`has a parameter with the name ${JSON.stringify(name)}: letters, digits and _ are allowed`);
    if (names.includes(name)) reject(`uses the name ${name} twice`);
    names.push(name);
  });
  return { text: path, names, isWild: path.includes("/*") };
}

/** The characters to write instead of percent-escapes, if a pattern can hold them. */
function decodedHint(text: string): string {
  try {
    const decoded = decodeURIComponent(text);
    const runs = text.match(/(?:%[0-9a-f]{2})+/gi) ?? [];
    if (runs.every((run) => !/[%/\\?#{}*\p{Cc}]/u.test(decodeURIComponent(run)))) return JSON.stringify(decoded);
  } catch {
    // Malformed, so there are no characters to show.
  }
  return "the decoded characters, or {name} for the segment";
}

function nameOf(segment: string, last: boolean, reject: (why: string) => never): string | undefined {
  if (segment === "{}" || segment === "*") return reject(`has a parameter without a name in ${segment}`);
  if (segment.startsWith("*")) return last ? segment.slice(1) : reject(`has the wildcard ${segment} before its end`);
  if (segment.startsWith("{") && segment.endsWith("}")) return segment.slice(1, -1);
  if (/[{}*]/.test(segment))
    return reject(`mixes text and a parameter in ${segment}: a parameter takes a whole segment`);
  return undefined;
}

/** `prefix` and `path` as one pattern, e.g. of a group and a route in it. */
export function joinPatterns(prefix: string, path: string): string {
  if (prefix === "" || prefix === "/") return path;
  const outer = prefix.endsWith("/") ? prefix.slice(0, -1) : prefix;
  return path === "/" || path === "" ? outer : `${outer}${path.startsWith("/") ? "" : "/"}${path}`;
}

/** Is `path` equal to or under `prefix`, by whole segments? */
export function isUnder(path: string, prefix: string): boolean {
  return prefix === "/" || path === prefix || (path.startsWith(prefix) && path.charCodeAt(prefix.length) === 47);
}
