/**
 * Prunes a value by its JSON Schema: drops the members that no schema names, and adds defaults. For libraries that only check,
 * such as TypeBox, and for JSON Schemas.
 *
 *   { properties: { id }, required: ["id"] } · { id: 1, hash: "…" } ──▶ { id: 1 }
 *
 * An object schema keeps other members if it says `additionalProperties: true` or gives their schema. The value itself is never
 * changed. A value that does not fit is returned unchanged, because the check after it finds that.
 *
 * Spec: spec/contracts.md
 */
import { jsonChecker } from "./json-check.ts";
import { type JsonSchemaSource, objectOf, referred } from "./json-schema.ts";

/** Returns the pruned value. */
export type Prune = (value: unknown) => unknown;

const unchanged: Prune = (value) => value;

/** The pruning of a JSON Schema. */
export function pruneBy(root: JsonSchemaSource): Prune {
  const pruner = new Pruner(root);
  return pruner.of(root);
}

class Pruner {
  readonly #root: JsonSchemaSource;
  /** By schema, since a schema may refer to itself. */
  readonly #known: Map<JsonSchemaSource, Prune> = new Map();

  constructor(root: JsonSchemaSource) {
    this.#root = root;
  }

  of(schema: unknown): Prune {
    const of = objectOf(schema);
    if (of === undefined) return unchanged;
    const known = this.#known.get(of);
    if (known !== undefined) return known;
    this.#known.set(of, (value) => this.of(of)(value)); // for a schema inside itself
    const made = this.#make(of);
    this.#known.set(of, made);
    return made;
  }

  #make(of: JsonSchemaSource): Prune {
    const { $ref: ref, anyOf, oneOf, allOf, items, prefixItems, properties, additionalProperties } = of;
    if (typeof ref === "string") return this.of(referred(this.#root, ref));
    const several = anyOf ?? oneOf;
    if (Array.isArray(several)) return this.#oneOf(several);
    if (Array.isArray(allOf)) return this.#make(joined([of, ...allOf.map((one) => this.#resolved(one))]));
    if (items !== undefined || prefixItems !== undefined) return this.#list(items, prefixItems);
    return properties === undefined && objectOf(additionalProperties) === undefined ? unchanged : this.#object(of);
  }

  #resolved(schema: unknown): JsonSchemaSource {
    const { $ref: ref } = objectOf(schema) ?? {};
    return (typeof ref === "string" ? objectOf(referred(this.#root, ref)) : objectOf(schema)) ?? {};
  }

  /** The first alternative that the pruned value fits. */
  #oneOf(several: readonly unknown[]): Prune {
    const alternatives = several.map((one) => ({ prune: this.of(one), issues: jsonChecker(this.#root, one) }));
    return function pruneAlternative(value) {
      for (const { prune, issues } of alternatives) {
        const pruned = prune(value);
        if (issues(pruned).length === 0) return pruned;
      }
      return value;
    };
  }

  #list(items: unknown, prefixItems: unknown): Prune {
    // TypeBox lists the items of a tuple in `items`, as draft 7 does.
    const listed = Array.isArray(items) ? items : prefixItems;
    const first = Array.isArray(listed) ? listed.map((one) => this.of(one)) : [];
    const rest = this.of(items);
    if (rest === unchanged && first.every((one) => one === unchanged)) return unchanged;
    return (value) => (Array.isArray(value) ? value.map((one, at) => (first[at] ?? rest)(one)) : value);
  }

  #object({ properties, additionalProperties, patternProperties }: JsonSchemaSource): Prune {
    const named = Object.entries(objectOf(properties) ?? {}).map(([name, schema]) => ({
      name,
      prune: this.of(schema),
      fallback: objectOf(schema)?.["default"],
    }));
    const isOpen =
      additionalProperties === true || objectOf(additionalProperties) !== undefined || patternProperties !== undefined;
    const rest = this.of(additionalProperties);
    const names = new Set(named.map(({ name }) => name));
    return function pruneObject(value) {
      if (typeof value !== "object" || value === null || Array.isArray(value) || "toJSON" in value) return value;
      const given = value as Readonly<Record<string, unknown>>;
      const kept: Record<string, unknown> = {};
      for (const { name, prune, fallback } of named) {
        const member = given[name];
        if (member !== undefined) kept[name] = prune(member);
        else if (fallback !== undefined) kept[name] = fallback;
      }
      if (isOpen)
        for (const name of Object.keys(given))
          if (!names.has(name) && name !== "__proto__") kept[name] = rest(given[name]);
      return kept;
    };
  }
}

/** Schemas of one object, as one. */
function joined(schemas: readonly JsonSchemaSource[]): JsonSchemaSource {
  const properties = Object.assign({}, ...schemas.map((one) => objectOf(one["properties"])));
  const open = schemas.find((one) => one["additionalProperties"] === true || objectOf(one["additionalProperties"]));
  return { properties, additionalProperties: open?.["additionalProperties"] };
}
