/**
 * Options of static files, checked once.
 *
 * Spec: spec/static.md
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { checkOptionNames } from "../internal/option-names.ts";
import { shown, usageError } from "../internal/usage-errors.ts";

/** The coding of a precompressed file next to the plain one. */
export type PrecompressedCoding = "br" | "zstd" | "gzip";

/** Options of static files. */
export interface StaticOptions {
  /** The folder. A relative one is resolved from the process's working directory. */
  readonly root: string;
  /** The URL prefix of its files, inside the context path. Default `/`. */
  readonly prefix?: string | undefined;
  /** The file of a folder, or false for none. Default `index.html`. */
  readonly index?: string | false | undefined;
  /** Seconds for which a client may use a file without revalidation. Default 0: it revalidates, and mostly gets 304. */
  readonly maxAge?: number | undefined;
  /** Paths under the prefix with files that never change, such as `/-[\w-]{8}\.\w+$/`. Clients cache them for a year. */
  readonly immutable?: RegExp | undefined;
  /** Serves `app.js.br`, `.zst` or `.gz` instead of `app.js` to clients that accept it, the favourite first. Default none. */
  readonly precompressed?: boolean | readonly PrecompressedCoding[] | undefined;
  /** The file for pages without a file or route, such as `index.html`, for an application with routing in the browser. */
  readonly fallback?: string | undefined;
  /** Lets a symbolic link lead out of the root, and to names with a leading dot. Default false. */
  readonly followLinks?: boolean | undefined;
}

/** The same, complete. */
export interface StaticSettings {
  readonly root: string;
  /** Without a trailing slash. */
  readonly prefix: string;
  readonly index: string | undefined;
  readonly maxAge: number;
  readonly immutable: RegExp | undefined;
  readonly precompressed: readonly PrecompressedCoding[];
  readonly fallback: string | undefined;
  readonly followLinks: boolean;
}

const codings: readonly PrecompressedCoding[] = ["br", "zstd", "gzip"];

/** @throws TypeError naming the option, its value and the allowed values. */
export function settingsOf(options: StaticOptions): StaticSettings {
  const { prefix = "/", index = "index.html", maxAge = 0, immutable, precompressed = false, fallback } = options;
  const { followLinks = false } = options;
  checkOptionNames("StaticMiddleware", options, known);
  if (typeof prefix !== "string" || !/^\/(?:[^/{}*?#%\\]+(?:\/[^/{}*?#%\\]+)*\/?)?$/.test(prefix))
    throw invalid("prefix", prefix, 'a literal path such as "/assets"');
  if (index !== false && !isName(index)) throw invalid("index", index, "the name of a file, or false,");
  if (!Number.isSafeInteger(maxAge) || maxAge < 0) throw invalid("maxAge", maxAge, "a whole number of seconds from 0");
  if (immutable !== undefined && !(immutable instanceof RegExp)) throw invalid("immutable", immutable, "a RegExp");
  const list = precompressed === true ? codings : precompressed === false ? [] : precompressed;
  if (!Array.isArray(list) || !list.every((coding) => codings.includes(coding)))
    throw invalid("precompressed", precompressed, 'true, false or a list of "br", "zstd", "gzip"');
  if (fallback !== undefined && !isName(fallback))
    throw invalid("fallback", fallback, "the name of a file in the root");
  if (typeof followLinks !== "boolean") throw invalid("followLinks", followLinks, "a boolean");
  return {
    root: rootOf(options.root),
    prefix: prefix.replace(/\/$/, ""),
    index: index === false ? undefined : index,
    maxAge,
    immutable,
    precompressed: list,
    fallback,
    followLinks,
  };
}

const known: readonly string[] = [
  "root",
  "prefix",
  "index",
  "maxAge",
  "immutable",
  "precompressed",
  "fallback",
  "followLinks",
];

const isName = (name: unknown): name is string => typeof name === "string" && /^[^./\\][^/\\\0]*$/.test(name);

/** A missing folder is a deployment mistake, reported at the start and not as 404s. */
function rootOf(root: unknown): string {
  const path = typeof root === "string" && root !== "" ? resolve(root) : undefined;
  if (path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw invalid("root", root, "the path of a folder that exists");
}

const invalid = (option: string, value: unknown, allowed: string): TypeError =>
  usageError("CONFIG_INVALID", `StaticMiddleware: ${option} is ${shown(value)}; ${allowed} is allowed`);
