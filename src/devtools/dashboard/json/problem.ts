/**
 * What is wrong with a text that should be JSON, and where. Pure.
 */

import { parse, printParseErrorCode } from "jsonc-parser";
import type { ParseError } from "jsonc-parser";

/** Where JSON text is wrong; both count from 1. */
export interface JsonProblem {
  readonly line: number;
  readonly column: number;
  /** Where in the text, from 0, and over how many characters. */
  readonly offset: number;
  readonly length: number;
  readonly message: string;
}

/** The first thing wrong in JSON text; undefined for valid or empty text. */
export function jsonProblem(text: string): JsonProblem | undefined {
  if (text.trim() === "") return undefined;
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [first] = errors;
  if (first === undefined) return undefined;
  const before = text.slice(0, first.offset).split("\n");
  return {
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    offset: first.offset,
    length: first.length,
    message: words(printParseErrorCode(first.error)),
  };
}

function words(code: string): string {
  const text = code.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return text
    .replace(/ expected$/, " is expected")
    .replace("property name is", "a property name is")
    .replace("value is", "a value is");
}
