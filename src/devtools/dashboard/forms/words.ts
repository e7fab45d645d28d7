/**
 * A schema in words: the limits of a value in one line, and the whole as a text that reads like a type. Pure.
 *
 *   { type: "object", properties: { sku: { type: "string", minLength: 1 } } } ──▶ { sku?: string  // 1 or more characters }
 */

import type { Json, JsonObject } from "../../run/shapes.ts";
import { isObject, textOf } from "../../run/values.ts";
import { type Field, fieldOf, objectOf } from "./schema.ts";

/** The limits of a value that need words, empty without any. */
export function limitsOf(schema: JsonObject): string {
  const { format, pattern, multipleOf, default: standard } = schema;
  return [
    format === undefined ? words("matches", pattern) : textOf(format),
    range(schema["minLength"], schema["maxLength"], "characters"),
    range(schema["minItems"], schema["maxItems"], "items"),
    range(schema["minimum"], schema["maximum"], ""),
    words("more than", schema["exclusiveMinimum"]),
    words("less than", schema["exclusiveMaximum"]),
    words("in steps of", multipleOf),
    words("default", standard),
  ]
    .filter((part) => part !== "")
    .join(", ");
}

const words = (before: string, value: Json | undefined): string =>
  value === undefined ? "" : `${before} ${textOf(value)}`;

/** A bound with more meaning than that a number is exact. */
const bound = (value: Json | undefined): string =>
  typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? String(value) : "";

function range(from: Json | undefined, to: Json | undefined, unit: string): string {
  const [least, most] = [bound(from), bound(to)];
  if (!least && !most) return "";
  const span = !most ? `${least} or more` : least ? `${least} to ${most}` : `at most ${most}`;
  return `${span} ${unit}`.trim();
}

/** The description of a value and its limits. */
export const aboutOf = (schema: JsonObject): string =>
  [schema["description"] ?? "", limitsOf(schema)]
    .map((part) => textOf(part).replace(/\s+/g, " ").trim())
    .filter((part) => part !== "")
    .join(" · ");

const MAX_LINES = 1_000;

/** The whole schema, a member a line; if it contains itself, only its name there. */
export function schemaText(root: JsonObject, schema: Json | undefined): string {
  let left = MAX_LINES;
  function line(one: Json | undefined, before: string, indent: string, around: readonly Json[]): string {
    const ref = objectOf(one)["$ref"] ?? null;
    left -= 1;
    if (around.includes(ref)) return before + textOf(ref).replace(/^.*\//, "");
    if (left < 0) return `${before}…`;
    const deeper = `${indent}  `;
    const next = (of: Json | undefined, start: string): string =>
      line(of, start, deeper, ref === null ? around : [...around, ref]);
    return lineOf(fieldOf(root, one), before, indent, next);
  }
  return line(schema, "", "\n", []);
}

type Next = (of: Json | undefined, before: string) => string;

function lineOf(field: Field, before: string, indent: string, next: Next): string {
  const { schema } = field;
  const about = aboutOf(schema);
  const note = about ? `  // ${about}` : "";
  const deeper = `${indent}  `;
  switch (field.kind) {
    case "object": {
      const member = ([name, of]: [string, Json]): string =>
        next(of, `${deeper}${name}${field.required.includes(name) ? "" : "?"}: `);
      return `${before}{${note}${Object.entries(field.members).map(member).join("")}${indent}}`;
    }
    case "list":
      return `${before}[${note}${next(field.item, deeper)}${indent}]`;
    case "variants":
      return before.trimEnd() + note + field.variants.map((one) => next(one, `${deeper}| `)).join("");
    case "choice":
      return before + field.choices.map((one) => JSON.stringify(one)).join(" | ") + note;
    default: {
      const { type = "anything", additionalProperties: of } = schema;
      return isObject(of)
        ? `${before}{${note}${next(of, `${deeper}[name]: `)}${indent}}`
        : before + textOf(type) + note;
    }
  }
}
