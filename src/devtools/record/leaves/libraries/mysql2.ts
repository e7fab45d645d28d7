/** In mysql2, a statement is a leaf, by `query` and by `execute`. */
import { type Message, type Source, tracingSource } from "../channels.ts";
import type { Description } from "../descriptions.ts";

/** The channels of `query` and `execute`. */
export const mysql2: readonly Source[] = ["mysql2:query", "mysql2:execute"].map((name) =>
  tracingSource(name, "sql", describe, ({ result }) => ({ rows: rowsOf(result) })),
);

function describe({ query, values }: Message): Description {
  const parameters = Array.isArray(values) ? values : values === undefined ? [] : [values];
  return { system: "mysql", statement: query, parameters };
}

/** The rows of a SELECT, otherwise the number of changed rows. By promise, the pair of rows and fields. */
function rowsOf(result: unknown): unknown {
  if (!Array.isArray(result))
    return typeof result === "object" && result !== null ? Reflect.get(result, "affectedRows") : undefined;
  const [first, second] = result as unknown[];
  return result.length === 2 && (Array.isArray(first) || isHeader(first)) && areFields(second) ? rowsOf(first) : result;
}

/** The columns of a query, for several queries a list each, or undefined if it returns no rows. */
const areFields = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) ? value.every(areFields) : isField(value));
const isField = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "name" in value && "columnType" in value;

const isHeader = (value: unknown): boolean => typeof value === "object" && value !== null && "affectedRows" in value;
