/**
 * The JSON Schema of a schema, where it has one: what documents, forms and the reading of lists need to know.
 *
 *   Standard JSON Schema (`~standard.jsonSchema`) · a compiled TypeBox validator (`Type()`) · a JSON Schema itself
 *
 * Spec: spec/contracts.md (CONTRACT)
 */

/** A JSON Schema as data: draft 2020-12. */
export type JsonSchemaSource = Readonly<Record<string, unknown>>;

/** The side of a schema: what it takes, or what it returns. */
export type Side = "input" | "output";

/**
 * The JSON Schema of that schema; undefined where it has none, or its library cannot tell it.
 *
 * @param libraryOptions what the library is told besides: a library passes over what it does not know
 */
export function jsonSchemaOf(schema: unknown, side: Side, libraryOptions?: object): JsonSchemaSource | undefined {
  const standard = field(schema, "~standard");
  if (standard !== undefined) {
    const convert = field(field(standard, "jsonSchema"), side);
    if (typeof convert !== "function") return undefined;
    try {
      return objectOf(convert({ target: "draft-2020-12", ...(libraryOptions && { libraryOptions }) }));
    } catch {
      return undefined; // the library says so of a type without a JSON form, a date for one
    }
  }
  const type = field(schema, "Type");
  if (field(schema, "Check") !== undefined) return typeof type === "function" ? objectOf(type.call(schema)) : undefined;
  return typeof schema === "function" || field(schema, "parse") !== undefined ? undefined : objectOf(schema);
}

/** The properties of the values that a schema takes, by name; none where that is not known. */
export function propertiesOf(schema: unknown): ReadonlyMap<string, JsonSchemaSource> {
  const whole = takenBy(schema);
  const properties = objectOf(whole["properties"]) ?? {};
  return new Map(Object.entries(properties).map(([name, of]) => [name, resolved(whole, objectOf(of) ?? {})]));
}

/** What a schema takes, with the definitions that it refers to; empty where that is not known. Of a date Zod knows the name. */
function takenBy(schema: unknown): JsonSchemaSource {
  const whole = jsonSchemaOf(schema, "input", { unrepresentable: "any" }) ?? {};
  return { ...whole, ...resolved(whole, whole) };
}

/** A part of a schema, or the definition that stands for it: libraries refer to what has a name. */
const resolved = (whole: JsonSchemaSource, { $ref = "", ...part }: JsonSchemaSource): JsonSchemaSource =>
  objectOf(field(whole["$defs"], String($ref).slice(8))) ?? part;

/** May a schema's values have properties that it does not name? It says so itself, or nothing is known of it. */
export function isOpen(schema: unknown): boolean {
  const { additionalProperties = false, patternProperties } = takenBy(schema);
  return additionalProperties !== false || patternProperties !== undefined;
}

/** May a value of that schema be an object? True where that is not known. */
export function takesObjects(schema: unknown): boolean {
  const { type } = takenBy(schema);
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

/** Is a contract's body that of a form? */
export const isForm = <T extends object>(body: T): body is Extract<T, { readonly form: unknown }> =>
  typeof body === "object" && body !== null && "form" in body;

/** Is a contract's body that of a form with files? */
export const isMultipart = <T extends object>(body: T): body is Extract<T, { readonly multipart: unknown }> =>
  typeof body === "object" && "multipart" in body;

/** The media type of a form. */
export const formType = (body: object): string =>
  isMultipart(body) ? "multipart/form-data" : "application/x-www-form-urlencoded";

const field = (from: unknown, name: string): unknown =>
  (typeof from === "object" && from !== null) || typeof from === "function" ? Reflect.get(from, name) : undefined;

const objectOf = (value: unknown): JsonSchemaSource | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonSchemaSource) : undefined;
