/**
 * What the sources never contain: `any`, the non-null `!`, a silenced compiler, a default export.
 */
import { lineOf, nodes, type Source } from "./source.ts";

const banned: Readonly<Record<string, string>> = {
  TSAnyKeyword: "`any`: use `unknown` and validate it once",
  TSNonNullExpression: "the non-null `!`: handle undefined",
  ExportDefaultDeclaration: "a default export: name it",
};

/** Tools that read a default export and nothing else. */
const defaultExportAllowed = /\.config\.ts$/;

/** One sentence for every banned construct, with its line. */
export function banFindings(sources: readonly Source[]): readonly string[] {
  return sources.flatMap((source) => [...syntax(source), ...silenced(source)]);
}

function syntax({ path, text, program }: Source): readonly string[] {
  return nodes(program, ...Object.keys(banned))
    .filter(({ type }) => type !== "ExportDefaultDeclaration" || !defaultExportAllowed.test(path))
    .map(({ type, start }) => `${path}:${lineOf(text, start)}: ${banned[type]}`);
}

function silenced({ path, text, comments }: Source): readonly string[] {
  return comments
    .filter(({ value }) => /^\s*@ts-(ignore|nocheck)\b/.test(value))
    .map(({ start, value }) => `${path}:${lineOf(text, start)}: ${value.trim()}: fix the type instead`);
}
