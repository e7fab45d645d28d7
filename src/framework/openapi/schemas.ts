/**
 * The schemas of a document: each as JSON Schema, the named ones once, as components.
 *
 *   { $ref: "#/$defs/Order", $defs: { Order, Line } }  ──▶  { $ref: "#/components/schemas/Order" }, components: Order, Line
 *
 * A schema can take other values than it returns (defaults, strict objects): where both sides of one name differ, the
 * side that is taken gets the name with `Input` behind it.
 *
 * Spec: spec/openapi.md (OPENAPI)
 */
import { jsonSchemaOf, type JsonSchemaSource, type Side } from "../contract/json-schema.ts";
import { usageError } from "../internal/usage-errors.ts";

/** Converts the schemas of a library that cannot do it itself; undefined for what it does not know. */
export type JsonSchemaOf = (schema: never, side: Side) => object | undefined;

type Definitions = Readonly<Record<string, JsonSchemaSource>>;

const prefix = "#/components/schemas/";

/** Collects the named schemas of a document. */
export class Schemas {
  readonly #convert: JsonSchemaOf | undefined;
  readonly #components: Map<string, JsonSchemaSource> = new Map();

  constructor(convert: JsonSchemaOf | undefined) {
    this.#convert = convert;
  }

  /** The named schemas so far, by name. */
  get components(): Readonly<Record<string, JsonSchemaSource>> {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The component that a schema refers to, or itself. */
  followed(schema: JsonSchemaSource): JsonSchemaSource {
    const { $ref: ref } = schema;
    const name = typeof ref === "string" && ref.startsWith(prefix) ? ref.slice(prefix.length) : undefined;
    return name === undefined ? schema : (this.#components.get(name) ?? schema);
  }

  /** Adds one that the document needs by itself, and refers to it. */
  add(name: string, schema: JsonSchemaSource): JsonSchemaSource {
    this.#components.set(name, schema);
    return { $ref: prefix + name };
  }

  /** The JSON Schema of a schema, its named parts as references. @throws TypeError, saying `what`, when it has none. */
  of(what: string, schema: unknown, side: Side): JsonSchemaSource {
    const whole = this.#whole(what, schema, side);
    const defs = (whole["$defs"] ?? {}) as Definitions;
    const root = without(whole, ["$schema", "$defs"]);
    const given = root["$id"] ?? root["id"];
    const own = typeof given === "string" && root["$ref"] === undefined ? given : undefined;
    const names = this.#namesFor(defs, side, own, root);
    for (const [from, definition] of Object.entries(defs))
      this.#components.set(names.get(from) ?? from, renamed(definition, names));
    if (own === undefined) return renamed(root, names);
    this.#components.set(names.get("#") ?? own, renamed(without(root, ["$id", "id"]), names));
    return { $ref: prefix + (names.get("#") ?? own) };
  }

  #whole(what: string, schema: unknown, side: Side): JsonSchemaSource {
    const found =
      (this.#convert?.(schema as never, side) as JsonSchemaSource | undefined) ?? jsonSchemaOf(schema, side);
    if (found !== undefined) return found;
    throw usageError(
      "CONTRACT_INVALID",
      `${what} has no JSON Schema: take a library that has them (Zod 4.2, ArkType 2.1.28, TypeBox), or hand its converter over as jsonSchemaOf`,
    );
  }

  /** What each definition is called here: its own name, unless another schema has that. */
  #namesFor(
    defs: Definitions,
    side: Side,
    own: string | undefined,
    root: JsonSchemaSource,
  ): ReadonlyMap<string, string> {
    const plain = new Map(Object.keys(defs).map((name) => [name, name]));
    if (own !== undefined) plain.set("#", own);
    const names = new Map<string, string>();
    for (const [from, name] of plain) {
      const definition = from === "#" ? without(root, ["$id", "id"]) : (defs[from] ?? {});
      const text = JSON.stringify(renamed(definition, plain));
      const isTaken = (candidate: string): boolean => {
        const known = this.#components.get(candidate);
        return known !== undefined && JSON.stringify(known) !== text;
      };
      const second = side === "input" ? `${name}Input` : `${name}Output`;
      names.set(from, !isTaken(name) ? name : second);
    }
    return names;
  }
}

/** A schema whose references to `$defs` and to itself lead to the components. */
function renamed(schema: JsonSchemaSource, names: ReadonlyMap<string, string>): JsonSchemaSource {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === "$ref" && typeof inner === "string" ? reference(inner, names) : visit(inner),
      ]),
    );
  };
  return visit(schema) as JsonSchemaSource;
}

function reference(ref: string, names: ReadonlyMap<string, string>): string {
  if (ref === "#") return names.has("#") ? prefix + (names.get("#") ?? "") : ref;
  const name = /^#\/\$defs\/(.+)$/.exec(ref)?.[1];
  return name === undefined ? ref : prefix + (names.get(name) ?? name);
}

const without = (schema: JsonSchemaSource, names: readonly string[]): JsonSchemaSource =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
