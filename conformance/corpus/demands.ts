/**
 * Demands: what a shape demands, one keyword after the other, and how it is without one of them.
 *
 *   { "type": "integer", "minimum": 0 } ──▶ #/type · #/minimum       { "required": ["id", "name"] } ──▶ #/required id · #/required name
 */
import type { Schema } from "../kit/schema-files.ts";

/** Something that a shape demands. */
export interface Demand {
  /** Where its keyword is, as Ajv says it; of `required`, with the name. */
  readonly at: string;
  /** The same wherever an object of the same definition stands: a stack within an error is as one within a call. */
  readonly name: string;
  /** What comes of something while the shape does not demand it. */
  without(run: () => boolean): boolean;
}

/** Says nothing of what is taken. */
const annotations = new Set(["$id", "$schema", "title", "description", "default"]);

/** What `type` refuses, `const` beside it refuses too; and `{}`, as of recorded values, refuses nothing. */
const isIdle = (keyword: string, part: unknown, { const: value }: Schema): boolean =>
  (keyword === "type" && value !== undefined) || (isSchema(part) && Object.keys(part).length === 0);

interface Definition {
  readonly text: string;
  readonly at: string;
}

/** Everything that the schema demands, and what is within it. */
export function demandsOf(schema: Schema, at = "#", outer?: Definition): readonly Demand[] {
  const own = outer === undefined || schema["properties"] !== undefined ? { text: textOf(schema), at } : outer;
  const demand = (where: string, without: Demand["without"]): Demand => ({
    at: where,
    name: own.text + where.slice(own.at.length),
    without,
  });
  const below = (keyword: string, part: unknown): readonly Demand[] =>
    isSchema(part) ? demandsOf(part, `${at}/${keyword}`, own) : [];
  return Object.entries(schema).flatMap(([keyword, value]): readonly Demand[] => {
    const here = `${at}/${keyword}`;
    if (annotations.has(keyword) || isIdle(keyword, value, schema)) return [];
    if (keyword === "properties" && isSchema(value))
      return Object.entries(value).flatMap(([name, part]) => {
        const own = isIdle(name, part, {}) ? [] : [demand(`${here}/${escaped(name)}`, swapped(value, name, {}))];
        return [...own, ...below(`properties/${escaped(name)}`, part)];
      });
    if (keyword === "required" && Array.isArray(value))
      return value.map((name: string) =>
        demand(
          `${here} ${name}`,
          swapped(
            schema,
            keyword,
            value.filter((other) => other !== name),
          ),
        ),
      );
    // Without what is in a `not`, more would be refused.
    if (keyword === "not") return [demand(here, swapped(schema, keyword, undefined))];
    const parts = Array.isArray(value) ? value.flatMap((part, index) => below(`${keyword}/${index}`, part)) : [];
    return [demand(here, swapped(schema, keyword, undefined)), ...parts, ...below(keyword, value)];
  });
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Without what only a file has. */
const textOf = (schema: Schema): string => JSON.stringify({ ...schema, $id: undefined, $schema: undefined });

/** As Ajv writes it in the paths of its errors. */
const escaped = (name: string): string => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));

/** Puts something in the place of a part for a while; nothing where it is undefined. */
function swapped(owner: Schema, key: string, part: unknown): Demand["without"] {
  return (run) => {
    const kept = owner[key];
    if (part === undefined) delete owner[key];
    else owner[key] = part;
    try {
      return run();
    } finally {
      owner[key] = kept;
    }
  };
}
