/**
 * JSON Schema as TypeScript: every used component becomes one declaration, everything else is written inline.
 *
 *   { $ref } ──▶ a name · properties ──▶ an object · anyOf, oneOf, type: [] ──▶ a | b · allOf ──▶ a & b · enum ──▶ literals
 *
 * Requests omit read-only properties, and responses omit write-only ones. A component that differs has two declarations, `Order`
 * and `OrderInput`. If a component has alternatives that extend it (`Pet` is a `Cat` or a `Dog`, and each of them is a `Pet`),
 * they extend `PetBase`, which has its members without the alternatives.
 *
 * The type ignores a schema's other keywords (bounds, formats, patterns). A schema without any restriction is `unknown`. A schema
 * that refers only to itself has no values, and is `unknown` too, since TypeScript would reject its alias.
 */
import { has, isJson, listIn, objectIn, textIn, textsIn, type Json } from "../document/json.ts";
import { pointerParts, target } from "../document/operations.ts";
import { isLeftOut, type Side } from "../document/sides.ts";
import { canonicalOf, Circles, escaped, sidedOf } from "./graph.ts";
import { typeName, type Names } from "./names.ts";
import { commentLines, docComment, literal, propertyName } from "./text.ts";

const prefix = "#/components/schemas/";
/** Marks of nodes: a schema without its alternatives, and its request side. */
const [base, input] = ["base ", "input "];
const LINE = 110;
const MAX_SEEN = 50;

/** A type, and its precedence: a list's item needs brackets for everything but 0, an intersection for 2. */
interface Rendered {
  readonly text: string;
  readonly rank: 0 | 1 | 2;
}

/** The schema of a file in a multipart body. */
export const file: Json = Object.freeze({ type: "string", format: "binary" });

/** The position of a schema. */
interface Place {
  readonly indent: string;
  readonly side: Side;
  /** The declaration that this is a direct part of: as its alternative, or as its base. */
  readonly node?: string | undefined;
  /** Is it extended by the schema around it? */
  readonly isExtended?: boolean;
  /** The schemas that the same value must match, from the outermost to the next. */
  readonly around?: readonly Json[];
}

/** The types of one document. */
export class Types {
  readonly #document: Json;
  readonly #names: Names;
  /** By node and side. */
  readonly #nameOf: Map<string, string> = new Map();
  readonly #used: Map<string, { readonly node: string; readonly side: Side }> = new Map();
  readonly #sided: ReadonlySet<string>;
  readonly #references: Circles = new Circles((node) =>
    directReferences(this.#schemaOf(node)).map(({ reference }) => reference),
  );
  readonly #circles: Circles = new Circles((node) =>
    directReferences(this.#schemaOf(node)).map((one) => this.#nodeOf(one.reference, one.isExtended, node)),
  );

  constructor(document: Json, names: Names) {
    this.#document = document;
    this.#names = names;
    this.#sided = sidedOf(document);
    // All of them, used or not, so that a name does not depend on the operations.
    const nodes = Object.keys(objectIn(objectIn(document["components"])["schemas"])).map((name) => ({
      node: prefix + escaped(name),
      name: typeName(name),
    }));
    for (const { node, name } of nodes) this.#nameOf.set(node, names.take(name, "Model"));
    for (const { node, name } of nodes)
      if (this.#sided.has(node)) this.#nameOf.set(input + node, names.take(`${name}Input`, "Model"));
  }

  /** The type of a schema, on lines with that indent. */
  of(schema: unknown, indent: string, side: Side): string {
    return this.#render(schema, { indent, side }).text;
  }

  /** The declarations of all referenced components, by name. */
  declarations(): readonly string[] {
    const declared: (readonly [name: string, text: string])[] = [];
    // Rendering one may refer to more of them, so the map grows during the loop.
    for (const [key, { node, side }] of this.#used) {
      const name = this.#nameOf.get(key) ?? "";
      declared.push([name, this.#declaration(name, node, side)]);
    }
    return declared.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  }

  #declaration(name: string, node: string, side: Side): string {
    const schema = this.#schemaOf(node);
    const comment = docComment(isJson(schema) ? docsOf(schema) : [], "");
    const { text } = this.#render(schema, { indent: "", side, node });
    return (
      comment + (isPlainObject(schema) ? `export interface ${name} ${text}\n` : `export type ${name} = ${text};\n`)
    );
  }

  #render(schema: unknown, place: Place): Rendered {
    if (schema === false) return atom("never");
    if (schema === file) return atom("Blob");
    if (!isJson(schema)) return atom("unknown");
    const { indent, side, node, around = [] } = place;
    const inner: Place = { indent, side, node, around: [...around, schema] };
    const parts = [
      ...this.#reference(schema, place),
      ...(["anyOf", "oneOf"] as const).flatMap((keyword) =>
        has(schema, keyword) ? union(listIn(schema[keyword]).map((one) => this.#alternative(one, schema, inner))) : [],
      ),
      ...listIn(schema["allOf"]).map((one) => this.#render(one, { ...inner, isExtended: true })),
      ...this.#own(schema, place),
    ].filter(({ text }) => text !== "unknown");
    const whole = intersection(parts);
    return schema["nullable"] === true ? union([whole, atom("null")]) : whole;
  }

  #reference(schema: Json, { side, node, isExtended = false }: Place): readonly Rendered[] {
    const reference = textIn(schema["$ref"]);
    if (reference === undefined) return [];
    target(this.#document, reference); // Throws if nothing is there.
    const used = this.#nodeOf(canonicalOf(reference), isExtended, node);
    if (node !== undefined && this.#circles.isOne(used, node)) return [atom("unknown")];
    if (used.startsWith(base) && !saysAnything(this.#schemaOf(used))) return [];
    const key = (side === "input" && this.#sided.has(plain(used)) ? input : "") + used;
    if (!this.#nameOf.has(key)) {
      const last = pointerParts(reference).at(-1) ?? "document";
      const name = typeName(last) + (used === key ? "" : "Input") + (used.startsWith(base) ? "Base" : "");
      this.#nameOf.set(key, this.#names.take(name, "Model"));
    }
    this.#used.set(key, { node: used, side });
    return [atom(this.#nameOf.get(key) ?? "unknown")];
  }

  /** An alternative, with the values of the property that discriminates it, if there is one. */
  #alternative(one: unknown, schema: Json, place: Place): Rendered {
    const rendered = this.#render(one, place);
    const { propertyName, mapping } = objectIn(schema["discriminator"]);
    const reference = isJson(one) ? textIn(one["$ref"]) : undefined;
    if (typeof propertyName !== "string" || reference === undefined || rendered.text === "unknown") return rendered;
    const property = objectIn(this.#property(propertyName, [objectIn(one)]));
    if (has(property, "const") || has(property, "enum")) return rendered;
    const name = pointerParts(reference).at(-1) ?? "";
    const mapped = Object.entries(objectIn(mapping)).filter(([, to]) => to === reference || to === name);
    const values = mapped.length === 0 ? [name] : mapped.map(([value]) => value);
    const tag = member(propertyName, values.map(literal).join(" | "), true).replace(/;$/, "");
    return intersection([rendered, atom(`{ ${tag} }`)]);
  }

  /** The target of a reference. For a schema that extends its own parent, that is the parent's base. */
  #nodeOf(reference: string, isExtended: boolean, from: string | undefined): string {
    const schema = isExtended ? objectIn(this.#schemaOf(reference)) : {};
    const hasAlternatives = has(schema, "anyOf") || has(schema, "oneOf");
    const isCircle = hasAlternatives && from !== undefined && this.#references.isOne(plain(from), reference);
    return isCircle ? base + reference : reference;
  }

  #schemaOf(node: string): unknown {
    const schema = target(this.#document, plain(node));
    if (!node.startsWith(base) || !isJson(schema)) return schema;
    return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== "anyOf" && keyword !== "oneOf"));
  }

  /** The schema of a property, in any of a value's schemas. At most fifty are searched. */
  #property(name: string, schemas: readonly Json[]): unknown {
    const waiting: unknown[] = [...schemas];
    const seen = new Set<string>();
    for (const one of waiting) {
      if (!isJson(one)) continue;
      const properties = objectIn(one["properties"]);
      if (has(properties, name)) return properties[name];
      const reference = textIn(one["$ref"]);
      const isNew = reference !== undefined && !seen.has(reference) && seen.size < MAX_SEEN;
      if (isNew) waiting.push(target(this.#document, reference));
      if (isNew) seen.add(reference);
      if (waiting.length < MAX_SEEN) waiting.push(...listIn(one["allOf"]));
    }
    return undefined;
  }

  /** The members of a schema besides references and combinations, empty if there are none. */
  #own(schema: Json, place: Place): readonly Rendered[] {
    if (isCombined(schema) && schema["type"] === "object" && impliedTypes(schema).length === 0) return [];
    if (has(schema, "const")) return [atom(literalType(schema["const"]))];
    if (Array.isArray(schema["enum"])) return [union(schema["enum"].map((value) => atom(literalType(value))))];
    const named = schema["type"] === undefined ? impliedTypes(schema) : [schema["type"]].flat();
    if (named.length === 0) return [];
    return [union(named.map((type) => this.#ofType(type, schema, place)))];
  }

  #ofType(type: unknown, schema: Json, place: Place): Rendered {
    if (type === "object") return this.#object(schema, place);
    if (type === "array") return this.#list(schema, { indent: place.indent, side: place.side });
    if (type === "integer" || type === "number") return atom("number");
    return atom(type === "string" || type === "boolean" || type === "null" ? type : "unknown");
  }

  #list(schema: Json, place: Place): Rendered {
    const { items } = schema;
    const first = [listIn(schema["prefixItems"]), listIn(items)].find((list) => list.length > 0);
    if (first === undefined) {
      const { text, rank } = this.#render(items, place);
      return { text: `readonly ${rank > 0 ? `(${text})` : text}[]`, rank: 1 };
    }
    const rest = Array.isArray(items) ? schema["additionalItems"] : items;
    const more = rest === false ? [] : [`...${bracketed(this.#render(rest, place), 0)}[]`];
    // Fewer items than named are valid, unless `minItems` says otherwise.
    const least = typeof schema["minItems"] === "number" ? schema["minItems"] : 0;
    const item = (one: unknown): string => this.#render(one, place).text;
    const members = first.map((one, at) => (at < least ? item(one) : `(${item(one)})?`));
    return { text: `readonly [${[...members, ...more].join(", ")}]`, rank: 1 };
  }

  #object(schema: Json, { indent, side, around = [] }: Place): Rendered {
    const inner = `${indent}  `;
    const required = new Set(textsIn(schema["required"]));
    const properties = Object.entries(objectIn(schema["properties"]));
    const given = properties.filter(([, one]) => !isLeftOut(this.#document, one, side));
    const demanded = [...required].filter((name) => !has(objectIn(schema["properties"]), name));
    const isPart = around.length > 0 || isCombined(schema);
    const lines = [
      ...given.map(
        ([name, one]) =>
          docComment(isJson(one) ? docsOf(one) : [], inner) +
          `${inner}${member(name, this.of(one, inner, side), required.has(name))}`,
      ),
      ...demanded.flatMap((name) => this.#demanded(name, isPart ? [...around, schema] : [], { indent: inner, side })),
    ];
    const index = this.#index(schema, { indent: inner, side }, lines.length > 0 || properties.length > 0);
    const isEmpty = lines.length === 0 && properties.length === 0 && !has(schema, "additionalProperties");
    if (isPart && isEmpty && !has(schema, "patternProperties")) return atom("unknown");
    return atom(block([...lines, ...(index === undefined ? [] : [inner + index])], indent));
  }

  /**
   * A property that is required but not defined here. If other schemas of the value define it, it adds only that it is required.
   */
  #demanded(name: string, around: readonly Json[], place: Place): readonly string[] {
    const property = this.#property(name, around);
    if (isLeftOut(this.#document, property, place.side)) return [];
    const isShort =
      isJson(property) && !isCombined(property) && /^(?:string|boolean|integer|number)$/.test(String(property["type"]));
    const type = isShort ? this.#render(property, place).text : around.length === 0 ? "unknown" : "{} | null";
    return [`${place.indent}${member(name, type, true)}`];
  }

  /** The properties without a name. Next to named ones they may be anything, since an index must also match those. */
  #index(schema: Json, place: Place, hasProperties: boolean): string | undefined {
    const patterns = Object.values(objectIn(schema["patternProperties"]));
    const { additionalProperties: others } = schema;
    if (patterns.length === 0 && (others === undefined || others === true))
      return hasProperties ? undefined : "readonly [name: string]: unknown";
    if (patterns.length === 0 && others === false) return hasProperties ? undefined : "readonly [name: string]: never";
    const open = patterns.length > 0 && others !== false ? [others] : patterns.length === 0 ? [others] : [];
    const type = hasProperties ? "unknown" : union([...patterns, ...open].map((one) => this.#render(one, place))).text;
    return `readonly [name: string]: ${type}`;
  }
}

/** A property. An optional one may be `undefined`, which JSON omits. */
export function member(name: string, type: string, isRequired: boolean): string {
  const given = isRequired || type === "unknown" ? type : `${type} | undefined`;
  return `readonly ${propertyName(name)}${isRequired ? "" : "?"}: ${given};`;
}

/** Members in braces: on one line if they fit and none has a comment. */
export function block(lines: readonly string[], indent: string): string {
  if (lines.length === 0) return "{}";
  const short = `{ ${lines.map((line) => line.trim().replace(/;$/, "")).join("; ")} }`;
  const isShort = indent !== "" && lines.length <= 4 && indent.length + short.length <= LINE;
  const fits = isShort && lines.every((line) => !line.includes("\n"));
  return fits ? short : `{\n${lines.map((line) => (line.endsWith(";") ? line : `${line};`)).join("\n")}\n${indent}}`;
}

/** The documentation of a schema, for people. */
export function docsOf(schema: Json): readonly string[] {
  const lines = commentLines(textIn(schema["description"]));
  return schema["deprecated"] === true ? [...lines, "@deprecated"] : lines;
}

const atom = (text: string): Rendered => ({ text, rank: 0 });
const bracketed = ({ text, rank }: Rendered, most: number): string => (rank > most ? `(${text})` : text);

function union(members: readonly Rendered[]): Rendered {
  const distinct = [...new Map(members.map((one) => [one.text, one])).values()];
  if (distinct.some(({ text }) => text === "unknown")) return atom("unknown");
  const [only, second] = distinct;
  if (only === undefined) return atom("never");
  return second === undefined ? only : { text: distinct.map(({ text }) => text).join(" | "), rank: 2 };
}

function intersection(members: readonly Rendered[]): Rendered {
  const distinct = [...new Map(members.map((one) => [one.text, one])).values()];
  const [only, second] = distinct;
  if (only === undefined) return atom("unknown");
  return second === undefined ? only : { text: distinct.map((one) => bracketed(one, 1)).join(" & "), rank: 1 };
}

/** A JSON value as a literal type. */
function literalType(value: unknown): string {
  if (typeof value === "string") return literal(value);
  if (Array.isArray(value)) return `readonly [${value.map(literalType).join(", ")}]`;
  if (!isJson(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, one]) => `readonly ${propertyName(name)}: ${literalType(one)}`);
  return members.length === 0 ? "{}" : `{ ${members.join("; ")} }`;
}

function impliedTypes(schema: Json): readonly string[] {
  if (["properties", "additionalProperties", "patternProperties", "required"].some((name) => has(schema, name)))
    return ["object"];
  return has(schema, "items") || has(schema, "prefixItems") ? ["array"] : [];
}

/** Is it only an object, so that it can be an interface? */
const isPlainObject = (schema: unknown): boolean =>
  isJson(schema) &&
  (schema["type"] ?? impliedTypes(schema)[0]) === "object" &&
  schema["nullable"] !== true &&
  ["$ref", "anyOf", "oneOf", "allOf", "const", "enum"].every((keyword) => !has(schema, keyword));

const isCombined = (schema: Json): boolean =>
  ["$ref", "anyOf", "oneOf", "allOf"].some((keyword) => has(schema, keyword));

/** Does a schema restrict anything besides its alternatives? */
const saysAnything = (schema: unknown): boolean =>
  isJson(schema) &&
  (isCombined(schema) || impliedTypes(schema).length > 0 || has(schema, "enum") || has(schema, "const"));

const plain = (node: string): string => (node.startsWith(base) ? node.slice(base.length) : node);

/** A reference that is part of a schema's type, without an object or a list in between. */
interface DirectReference {
  readonly reference: string;
  readonly isExtended: boolean;
}

function directReferences(schema: unknown, isExtended = false): readonly DirectReference[] {
  if (!isJson(schema)) return [];
  const own = textIn(schema["$ref"]);
  return [
    ...(own === undefined ? [] : [{ reference: canonicalOf(own), isExtended }]),
    ...["anyOf", "oneOf"].flatMap((keyword) => listIn(schema[keyword])).flatMap((one) => directReferences(one)),
    ...listIn(schema["allOf"]).flatMap((one) => directReferences(one, true)),
  ];
}
