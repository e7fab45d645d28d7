/** The shapes as shipped: the JSON Schema files that the build writes into the framework's package. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../test/environment.ts";

/** A JSON Schema, or a part of one. */
export type Schema = Record<string, unknown>;

/** Every shape, by its `$id`. */
export function readShapes(): ReadonlyMap<string, Schema> {
  const folder = join(root, "src", "framework", "spec");
  const files = readdirSync(folder).filter((name) => name !== "openapi.json");
  return new Map(
    files.map((name) => {
      const schema = JSON.parse(readFileSync(join(folder, name), "utf8")) as Schema;
      return [String(schema["$id"]), schema];
    }),
  );
}

/** The schema and every nested schema. */
export function partsOf(schema: Schema): readonly Schema[] {
  const { properties = {}, anyOf = [], items, additionalProperties, propertyNames } = schema;
  const parts = [
    ...Object.values(properties as object),
    ...(anyOf as readonly unknown[]),
    items,
    additionalProperties,
    propertyNames,
  ];
  return [schema, ...parts.filter((part) => typeof part === "object").flatMap((part) => partsOf(part as Schema))];
}
