/**
 * What is known of the values by name that a schema takes: from its JSON Schema, else from the `entries` that a library
 * without one keeps (Valibot).
 *
 *   z.union([z.object({ ids: z.array(z.string()) }), z.record(z.string(), z.string())])
 *     ──▶ names: ids, as each alternative has it · others: what a name besides them is · closed: may there be others?
 *
 * Spec: spec/contracts.md
 */
import { field, jsonSchemaOf, type JsonSchemaOf, type JsonSchemaSource, objectOf, resolved } from "./json-schema.ts";

/** The values by name that a schema takes. */
export interface Taken {
  /** By name the schema of its value, one for each alternative that has it. */
  readonly names: ReadonlyMap<string, readonly JsonSchemaSource[]>;
  /** The schemas of the values of other names. */
  readonly others: readonly JsonSchemaSource[];
  /** Does it say that there is no other name? */
  readonly isClosed: boolean;
  /** False where nothing is known of it. */
  readonly isKnown: boolean;
}

/** What a schema takes; `convert` is asked where it has no JSON Schema of its own. */
export function takenBy(schema: unknown, convert?: JsonSchemaOf): Taken {
  const whole = wholeOf(schema, convert);
  const names = new Map<string, JsonSchemaSource[]>();
  const others: JsonSchemaSource[] = [];
  const seen = new Set<JsonSchemaSource>();
  let isClosed = false;
  const visit = (part: JsonSchemaSource): void => {
    const of = resolved(whole, part);
    if (seen.has(of)) return; // alternatives that refer to themselves
    seen.add(of);
    const { additionalProperties: rest, patternProperties, properties } = of;
    for (const [name, value] of Object.entries(objectOf(properties) ?? {}))
      names.set(name, [...(names.get(name) ?? []), resolved(whole, objectOf(value) ?? {})]);
    for (const one of [rest, ...Object.values(objectOf(patternProperties) ?? {})]) {
      const other = objectOf(one);
      if (other !== undefined) others.push(resolved(whole, other));
    }
    isClosed ||= rest === false;
    for (const one of alternativesOf(of)) visit(one);
  };
  visit(whole);
  return { names, others, isClosed, isKnown: seen.size > 1 || Object.keys(whole).length > 0 };
}

/** The schemas that one is made of. */
export const alternativesOf = (schema: JsonSchemaSource): readonly JsonSchemaSource[] =>
  ["anyOf", "oneOf", "allOf"].flatMap((keyword) => {
    const several: unknown = schema[keyword];
    return Array.isArray(several) ? several.map(objectOf).filter((one) => one !== undefined) : [];
  });

function wholeOf(schema: unknown, convert: JsonSchemaOf | undefined): JsonSchemaSource {
  const whole = jsonSchemaOf(schema, "input", convert) ?? entriesOf(schema);
  return { ...whole, ...resolved(whole, whole) };
}

/** What Valibot's schemas say of themselves. */
function entriesOf(schema: unknown): JsonSchemaSource {
  const entries = objectOf(field(schema, "entries"));
  if (entries === undefined || field(schema, "~standard") === undefined) return {};
  const type = field(schema, "type");
  return {
    type: "object",
    properties: Object.fromEntries(Object.keys(entries).map((name) => [name, {}])),
    ...(type === "strict_object" && { additionalProperties: false }),
    ...(type !== "strict_object" && type !== "object" && { additionalProperties: {} }),
  };
}

/** The properties of the values that a schema takes, by name; none where that is not known. */
export const propertiesOf = (schema: unknown, convert?: JsonSchemaOf): ReadonlyMap<string, JsonSchemaSource> =>
  new Map(
    [...takenBy(schema, convert).names].map(([name, all]) => [
      name,
      all[0] !== undefined && all.length === 1 ? all[0] : { anyOf: all },
    ]),
  );

/** May a schema's values have properties that it does not name? It says so itself, or nothing is known of it. */
export function isOpen(schema: unknown): boolean {
  const { additionalProperties = false, patternProperties } = wholeOf(schema, undefined);
  return additionalProperties !== false || patternProperties !== undefined;
}

/** May a value of that schema be an object? True where that is not known. */
export function takesObjects(schema: unknown): boolean {
  const { type } = wholeOf(schema, undefined);
  return type === undefined || [type].flat().includes("object");
}

/** May a value of that schema be an array? */
export function mayBeArray(schema: JsonSchemaSource): boolean {
  const { type } = schema;
  if (type === "array" || (Array.isArray(type) && type.includes("array"))) return true;
  return ["anyOf", "oneOf"].some((keyword) => {
    const several = schema[keyword];
    return Array.isArray(several) && several.some((one) => mayBeArray(objectOf(one) ?? {}));
  });
}
