/**
 * SQL for people: on lines, to copy, and by its shape, which is equal for statements that only differ in values.
 * Pure. It knows quotes, comments and brackets, but no dialect.
 */

import type { SqlDetail } from "./shapes.ts";

/** A text, a quoted name or a comment, which contains no keywords. It must be closed. */
const OPAQUE = String.raw`'(?:[^']|'')*'|"(?:[^"]|"")*"|\u0060[^\u0060]*\u0060|--[^\n]*|/\*[^]*?\*/`;
const BREAKS =
  "from|where|group by|having|order by|limit|offset|union(?: all)?|except|intersect|values|set|returning|on conflict|" +
  "(?:(?:left|right|full|inner|cross)(?: outer)? )?join";

/** The statement on lines, as written if it has several, otherwise with a line for each of its parts. */
export function sqlLines(statement: string): string {
  const lines = statement.trimEnd().split("\n");
  while (lines[0]?.trim() === "") lines.shift();
  if (lines.length > 1) {
    const indents = lines.slice(1).flatMap((line) => (line.trim() === "" ? [] : [line.search(/\S/)]));
    const first = lines[0]?.search(/\S/) ?? 0;
    const indent = Math.min(...(first === 0 ? [] : [first]), ...indents);
    return lines.map((line) => (line.search(/\S/) >= indent ? line.slice(indent) : line.trimStart())).join("\n");
  }
  let depth = 0;
  const parts = new RegExp(`(${OPAQUE})|([()])|\\s+\\b(${BREAKS})\\b|\\s+`, "gi");
  return statement.trim().replace(parts, (_, opaque?: string, bracket?: string, keyword?: string) => {
    if (opaque !== undefined) return opaque;
    if (bracket !== undefined) depth += bracket === "(" ? 1 : -1;
    if (bracket !== undefined) return bracket;
    return keyword === undefined ? " " : `${depth > 0 ? " " : "\n"}${keyword}`;
  });
}

/** The statement on one line. */
export const oneLine = (statement: string): string => statement.trim().replace(/\s+/g, " ");

/** The text to copy: the lines, and each parameter in a comment after them. */
export function sqlText({ statement, parameters }: Pick<SqlDetail, "statement" | "parameters">): string {
  const given = parameters.map((value, i) => `-- $${i + 1} = ${JSON.stringify(value)}`);
  return [sqlLines(statement), ...given].join("\n");
}

/**
 * The statement without its values, comments and blanks, which is equal for similar statements. A list of values counts as
 * one value, since its length varies with the request.
 */
export function shapeOf(statement: string): string {
  const values = new RegExp(`(${OPAQUE})|\\$\\d+|(?<!:)[:@]\\w+|\\b\\d+(?:\\.\\d+)?\\b|\\s+`, "g");
  return statement
    .replace(values, (all: string, opaque: string | undefined) => {
      if (opaque === undefined) return /^\s/.test(all) ? " " : "?";
      return opaque.startsWith("'") ? "?" : opaque.startsWith("-") || opaque.startsWith("/") ? " " : opaque;
    })
    .replace(/\s+/g, " ")
    .replace(/\(\s*\?(?:\s*,\s*\?)*\s*\)/g, "(?)")
    .replace(/\(\?\)(?:\s*,\s*\(\?\))+/g, "(?)")
    .trim();
}
