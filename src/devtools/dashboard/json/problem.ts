/**
 * What is wrong with a text that should be JSON, and where. Pure.
 */

import { printParseErrorCode, visit } from "jsonc-parser";

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
  let first: JsonProblem | undefined;
  visit(
    text,
    {
      onError: (code, offset, length, line, column) => {
        first ??= { line: line + 1, column: column + 1, offset, length, message: words(printParseErrorCode(code)) };
      },
    },
    { disallowComments: true, allowTrailingComma: false },
  );
  return first;
}

function words(code: string): string {
  const text = code.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return text
    .replace(/ expected$/, " is expected")
    .replace("property name is", "a property name is")
    .replace("value is", "a value is");
}
