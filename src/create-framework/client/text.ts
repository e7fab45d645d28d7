/**
 * Texts of a document as parts of a program: with any content, they stay texts.
 *
 *   "*" + "/ process.exit() /*"  ──▶ inside a comment, a literal or a template; never behind it
 *
 * Every text of a document in the generated file goes through here or through names.ts.
 */

/** Invisible or reordering characters: controls, soft hyphens, direction marks, line separators. */
const unseen = /[\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
// Node looks for the address of a source map anywhere in a file, even in strings.
const sourceMap = /\/(?=[/*][#@])/g;

/** A string literal. */
export const literal = (text: string): string =>
  JSON.stringify(text)
    .replaceAll(unseen, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replaceAll(sourceMap, "/\\");

/** The text between the placeholders of a template literal. */
export const templateText = (text: string): string =>
  literal(text).slice(1, -1).replaceAll("`", "\\`").replaceAll("${", "\\${");

/** The name of a property, quoted if it is not an identifier. */
export const propertyName = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) && name !== "__proto__" ? name : literal(name);

/** A text as lines of a comment. It cannot end the comment, and no tool can read a word of it as a directive. */
export function commentLines(text: string | undefined): readonly string[] {
  const lines = (text ?? "")
    .replaceAll(/\r\n?/g, "\n")
    // oxlint-disable-next-line no-control-regex -- they are what has to go
    .replaceAll(/[\u0000-\u0008\u000b-\u001f]/g, " ")
    .replaceAll(unseen, "")
    .replaceAll("*/", String.raw`*\/`)
    .replaceAll(/@(?=[A-Za-z])/g, String.raw`\@`)
    .replaceAll(/sourceMapping(?=URL)/gi, "sourceMapping ")
    .split("\n")
    .map((line) => line.trimEnd());
  return lines.slice(
    lines.findIndex((line) => line !== ""),
    lines.findLastIndex((line) => line !== "") + 1,
  );
}

/** A doc comment with its line feed, empty without lines. */
export function docComment(lines: readonly string[], indent: string): string {
  if (lines.length === 0) return "";
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`;
}
