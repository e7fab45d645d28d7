/**
 * Options of static files, checked once.
 *
 * Spec: spec/static.md
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { checkOptionNames } from "../internal/option-names.ts";
import { shown, usageError } from "../internal/usage-errors.ts";

/** A coding in which a build may have left a file beside the plain one. */
export type PrecompressedCoding = "br" | "zstd" | "gzip";

/** Where files lie and how they are served. */
export interface StaticOptions {
  /** The folder. A relative one is that of the process's working directory. */
  readonly root: string;
  /** Where its files appear, inside the context path. Default `/`. */
  readonly prefix?: string | undefined;
  /** The file of a folder; false for none. Default `index.html`. */
  readonly index?: string | false | undefined;
  /** Seconds for which a client may use a file without asking. Default 0: it asks, and mostly gets 304. */
  readonly maxAge?: number | undefined;
  /** Paths below the prefix whose files never change, such as `/-[\w-]{8}\.\w+$/`: they are kept for a year. */
  readonly immutable?: RegExp | undefined;
  /** Serves `app.js.br`, `.zst` or `.gz` in place of `app.js` to clients that take it; the favourite first. Default none. */
  readonly precompressed?: boolean | readonly PrecompressedCoding[] | undefined;
  /** The file for pages that no file and no route is, such as `index.html`: an application that routes in the browser. */
  readonly fallback?: string | undefined;
  /** Lets a symbolic link lead out of the root, and to names with a dot. Default false. */
  readonly followLinks?: boolean | undefined;
}

/** The same, complete. */
export interface StaticSettings {
  readonly root: string;
  /** Without a slash at its end. */
  readonly prefix: string;
  readonly index: string | undefined;
  readonly maxAge: number;
  readonly immutable: RegExp | undefined;
  readonly precompressed: readonly PrecompressedCoding[];
  readonly fallback: string | undefined;
  readonly followLinks: boolean;
}

const codings: readonly PrecompressedCoding[] = ["br", "zstd", "gzip"];

/** @throws TypeError naming the option, its value and what is allowed. */
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

/** A folder that is not there is a mistake of the deployment, seen at the start and not as 404s. */
function rootOf(root: unknown): string {
  const path = typeof root === "string" && root !== "" ? resolve(root) : undefined;
  if (path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw invalid("root", root, "the path of a folder that exists");
}

const invalid = (option: string, value: unknown, allowed: string): TypeError =>
  usageError("CONFIG_INVALID", `StaticMiddleware: ${option} is ${shown(value)}; ${allowed} is allowed`);
