/**
 * Demands: each keyword of a shape, and the shape without it.
 *
 *   { "type": "integer", "minimum": 0 } ──▶ #/type · #/minimum       { "required": ["id", "name"] } ──▶ #/required id · #/required name
 */
import type { Schema } from "../kit/schema-files.ts";

/** One demand of a shape. */
export interface Demand {
  /** The path of its keyword, as in Ajv's errors, with the name for `required`. */
  readonly at: string;
  /** The same for every object of the same definition: a stack in an error and a stack in a call have one name. */
  readonly name: string;
  /** The result of `run` while the shape lacks the demand. */
  without(run: () => boolean): boolean;
}

/** Keywords that demand nothing. */
const annotations = new Set(["$id", "$schema", "title", "description", "default"]);

/** A `type` next to `const` demands nothing more, and `{}`, as for recorded values, demands nothing. */
const isIdle = (keyword: string, part: unknown, { const: value }: Schema): boolean =>
  (keyword === "type" && value !== undefined) || (isSchema(part) && Object.keys(part).length === 0);

interface Definition {
  readonly text: string;
  readonly at: string;
}

/** All demands of the schema and of the schemas in it. */
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
    // Without a keyword in a `not`, more would be rejected.
    if (keyword === "not") return [demand(here, swapped(schema, keyword, undefined))];
    const parts = Array.isArray(value) ? value.flatMap((part, index) => below(`${keyword}/${index}`, part)) : [];
    return [demand(here, swapped(schema, keyword, undefined)), ...parts, ...below(keyword, value)];
  });
}

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The schema without members that only a file has. */
const textOf = (schema: Schema): string => JSON.stringify({ ...schema, $id: undefined, $schema: undefined });

/** Escaped as in the paths of Ajv's errors. */
const escaped = (name: string): string => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));

/** Replaces a part temporarily, or removes it if the value is undefined. */
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
