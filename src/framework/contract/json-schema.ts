/**
 * The JSON Schema of a schema, if it has one, for documents, response checks and the parsing of values.
 *
 *   Standard JSON Schema (`~standard.jsonSchema`) · a compiled TypeBox validator (`Type()`) · a JSON Schema itself
 *     └─ none, or not of every member ──▶ the converter `jsonSchemaOf`, if the app or the document has one
 *
 * A sent Date is a date-time string. A member without a JSON form is a flaw: `{}` for lenient users, and a message for
 * documents.
 *
 * Spec: spec/contracts.md
 */

/** A JSON Schema as data, in draft 2020-12. */
export type JsonSchemaSource = Readonly<Record<string, unknown>>;

/** The side of a schema: its input or its output. */
export type Side = "input" | "output";

/**
 * Converts the schemas of a library that cannot do it itself, e.g. `toJsonSchema` of `@valibot/to-json-schema`. Returns
 * undefined for unknown ones. It is called when a schema has no JSON Schema of its own.
 */
export type JsonSchemaOf = (schema: never, side: Side) => object | undefined;

/** The part of a schema without a JSON Schema. */
export interface Flaw {
  /** The member, e.g. `lines[].at`. Empty for the whole, or when unknown. */
  readonly member: string;
  /** Its kind, as its library calls it: `date`, `set`, `transform`. Or the message of its library or of the converter. */
  readonly type?: string | undefined;
  readonly reason?: string | undefined;
}

/** A schema as JSON Schema. */
export interface Conversion {
  /** Undefined when there is none. A member without a JSON form is `{}` in it. */
  readonly schema?: JsonSchemaSource | undefined;
  readonly flaws: readonly Flaw[];
}

/** The JSON Schema of that schema. Its own is preferred to the converter's. Never throws. */
export function conversionOf(schema: unknown, side: Side, convert?: JsonSchemaOf): Conversion {
  const own = ownConversion(schema, side);
  if (convert === undefined || (own.schema !== undefined && own.flaws.length === 0)) return own;
  try {
    const converted = objectOf(convert(schema as never, side));
    return converted === undefined ? own : { schema: converted, flaws: [] };
  } catch (error) {
    const flaw = { member: memberThatThrows((part) => convert(part as never, side), schema), reason: messageOf(error) };
    return { schema: own.schema, flaws: [...own.flaws, flaw] };
  }
}

/** The schema of `conversionOf` alone. */
export const jsonSchemaOf = (schema: unknown, side: Side, convert?: JsonSchemaOf): JsonSchemaSource | undefined =>
  conversionOf(schema, side, convert).schema;

function ownConversion(schema: unknown, side: Side): Conversion {
  const standard = field(schema, "~standard");
  if (standard === undefined) return { schema: plainSchema(schema), flaws: [] };
  const convert = field(field(standard, "jsonSchema"), side);
  if (typeof convert !== "function") return { flaws: [] };
  const flaws: Flaw[] = [];
  try {
    const libraryOptions = librariesTold(side, flaws);
    return { schema: objectOf(convert({ target: "draft-2020-12", libraryOptions })), flaws };
  } catch (error) {
    return { flaws: [...flaws, { member: "", reason: messageOf(error) }] };
  }
}

function plainSchema(schema: unknown): JsonSchemaSource | undefined {
  const type = field(schema, "Type");
  if (field(schema, "Check") !== undefined) return typeof type === "function" ? objectOf(type.call(schema)) : undefined;
  return typeof schema === "function" || field(schema, "parse") !== undefined ? undefined : objectOf(schema);
}

const dateTime = { type: "string", format: "date-time" };

/**
 * Options for libraries about members without a JSON form. A library ignores unknown ones. Zod knows `unrepresentable` and
 * `override`, ArkType `fallback`.
 */
function librariesTold(side: Side, flaws: Flaw[]): object {
  const override = ({ zodSchema, jsonSchema, path }: Converted): void => {
    const definition = field(field(zodSchema, "_zod"), "def");
    const type = String(field(definition, "type"));
    if (
      shapeless(jsonSchema) &&
      !wrapping.some((name) => field(definition, name) !== undefined) &&
      !anything.has(type)
    ) {
      const form = formOf(type, side, definition);
      Object.assign(jsonSchema, form);
      if (form === undefined || type === "set") flaws.push({ member: memberAt(path), type });
    }
  };
  const date = ({ base }: { readonly base: object }): object => {
    if (side === "output") return { ...base, ...dateTime };
    flaws.push({ member: "", type: "date" });
    return base;
  };
  return { unrepresentable: "any", override, fallback: { date } };
}

/** The argument of Zod's `override`. */
interface Converted {
  readonly zodSchema: unknown;
  readonly jsonSchema: Record<string, unknown>;
  readonly path: readonly (string | number)[];
}

const shapes = ["type", "enum", "const", "$ref", "anyOf", "oneOf", "allOf", "not", "format", "pattern", "properties"];
const shapeless = (schema: object): boolean => !shapes.some((name) => name in schema);
const anything: ReadonlySet<string> = new Set(["any", "unknown"]);
/** Members of Zod's wrappers that hold the wrapped schema, which is reported separately. */
const wrapping = ["innerType", "in", "getter"] as const;

/** The JSON Schema of a kind that a library cannot express, but that has one here. */
function formOf(type: string, side: Side, definition: unknown): object | undefined {
  const fromText = side === "input" && field(definition, "coerce") === true;
  if (type === "date" && (side === "output" || fromText)) return dateTime;
  if (type === "bigint" && fromText) return { type: "string", pattern: "^-?\\d+$" };
  if (type !== "set" || side === "output") return undefined;
  const items = Object.entries(jsonSchemaOf(field(definition, "valueType"), side) ?? {});
  return { type: "array", uniqueItems: true, items: Object.fromEntries(items.filter(([name]) => name !== "$schema")) };
}

/** `lines[].at` of the place `/properties/lines/items/properties/at` in a JSON Schema. */
function memberAt(path: readonly (string | number)[]): string {
  let member = "";
  for (let at = 0; at < path.length; at += 1) {
    const step = path[at];
    if (step === "properties") member += `${member === "" ? "" : "."}${String(path[(at += 1)])}`;
    else if (step === "items" || step === "prefixItems") member += "[]";
    else if (step === "additionalProperties") member += "{}";
  }
  return member;
}

/** The member for which a converter throws. Libraries that need one keep their members in `entries`, `item` and `wrapped`. */
function memberThatThrows(convert: (schema: unknown) => unknown, schema: unknown, depth = 20): string {
  const entries = Object.entries(objectOf(field(schema, "entries")) ?? {});
  const inner = [...entries, ["[]", field(schema, "item")] as const, ["", field(schema, "wrapped")] as const];
  for (const [name, part] of inner) {
    if (part === undefined || depth === 0) continue;
    try {
      convert(part);
    } catch {
      const rest = memberThatThrows(convert, part, depth - 1);
      return name + (rest === "" || rest.startsWith("[") || name === "" ? rest : `.${rest}`);
    }
  }
  return "";
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Does a schema accept a missing body? Zod, Valibot, ArkType and TypeBox each declare that differently. None of them is called
 * with a value, since that may have effects.
 */
export function mayBeMissing(schema: unknown): boolean {
  if (["optional", "defaulted"].includes(String(field(field(schema, "_zod"), "optin")))) return true;
  if (["optional", "nullish", "undefinedable"].includes(String(field(schema, "type"))) && field(schema, "wrapped"))
    return true;
  const allows = field(field(schema, "~standard"), "vendor") === "arktype" ? field(schema, "allows") : undefined;
  if (typeof allows === "function") return allows.call(schema, undefined) === true;
  const type = field(schema, "Check") === undefined ? undefined : field(schema, "Type");
  return field(typeof type === "function" ? type.call(schema) : schema, "~optional") === true;
}

/** A part of a schema, or its definition, since libraries refer to named schemas. */
export const resolved = (whole: JsonSchemaSource, { $ref = "", ...part }: JsonSchemaSource): JsonSchemaSource =>
  objectOf(field(whole["$defs"], String($ref).slice(8))) ?? part;

/** The target of a reference within `root`: a pointer (RFC 6901), or the `$id` of a definition. Undefined for one out of it. */
export function referred(root: JsonSchemaSource, ref: string): unknown {
  if (!ref.startsWith("#"))
    return Object.values(objectOf(root["$defs"]) ?? {}).find((one) => field(one, "$id") === ref);
  const steps = ref.slice(1).split("/").slice(1);
  const names = steps.map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce<unknown>((at, name) => Object(at)[name] as unknown, root);
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

/** A member of a value that may not be an object. */
export const field = (from: unknown, name: string): unknown =>
  (typeof from === "object" && from !== null) || typeof from === "function" ? Reflect.get(from, name) : undefined;

/** An object that is not a list. Undefined for anything else. */
export const objectOf = (value: unknown): JsonSchemaSource | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonSchemaSource) : undefined;
