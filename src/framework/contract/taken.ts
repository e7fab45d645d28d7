/**
 * The values by name that a schema accepts, from its JSON Schema, else from the `entries` of a library without one (Valibot).
 *
 *   z.union([z.object({ ids: z.array(z.string()) }), z.record(z.string(), z.string())])
 *     ──▶ names: ids, as each alternative has it · others: the schema of other names · closed: are there none?
 *
 * Spec: spec/contracts.md
 */
import { field, jsonSchemaOf, type JsonSchemaOf, type JsonSchemaSource, objectOf, resolved } from "./json-schema.ts";

/** The values by name that a schema accepts. */
export interface Taken {
  /** By name the schemas of its value, one for each alternative with that name. */
  readonly names: ReadonlyMap<string, readonly JsonSchemaSource[]>;
  /** The schemas of the values of other names. */
  readonly others: readonly JsonSchemaSource[];
  /** Does it exclude other names? */
  readonly isClosed: boolean;
  /** False when it is unknown. */
  readonly isKnown: boolean;
}

/** The values that a schema accepts. `convert` is called when it has no JSON Schema of its own. */
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

/** The alternatives of a schema. */
export const alternativesOf = (schema: JsonSchemaSource): readonly JsonSchemaSource[] =>
  ["anyOf", "oneOf", "allOf"].flatMap((keyword) => {
    const several: unknown = schema[keyword];
    return Array.isArray(several) ? several.map(objectOf).filter((one) => one !== undefined) : [];
  });

/** The results without a converter. A conversion by a library is slow, and the start of a route needs the same one five times. */
const wholes = new WeakMap<object, JsonSchemaSource>();

function wholeOf(schema: unknown, convert: JsonSchemaOf | undefined): JsonSchemaSource {
  const known = convert === undefined ? wholes.get(schema as object) : undefined;
  if (known !== undefined) return known;
  const converted = jsonSchemaOf(schema, "input", convert) ?? entriesOf(schema);
  const whole = { ...converted, ...resolved(converted, converted) };
  if (convert === undefined && Object(schema) === schema) wholes.set(schema as object, whole);
  return whole;
}

/** The members of a Valibot schema. */
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

/** The properties of the values that a schema accepts, by name. Empty when unknown. */
export const propertiesOf = (schema: unknown, convert?: JsonSchemaOf): ReadonlyMap<string, JsonSchemaSource> =>
  new Map(
    [...takenBy(schema, convert).names].map(([name, all]) => [
      name,
      all[0] !== undefined && all.length === 1 ? all[0] : { anyOf: all },
    ]),
  );

/** May values of a schema have unnamed properties? True when it says so, or when that is unknown. */
export function isOpen(schema: unknown): boolean {
  const { additionalProperties = false, patternProperties } = wholeOf(schema, undefined);
  return additionalProperties !== false || patternProperties !== undefined;
}

/** May a value of that schema be an object? True when that is unknown. */
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
