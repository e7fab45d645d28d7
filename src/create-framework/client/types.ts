/**
 * JSON Schema as TypeScript: every component that is used becomes one declaration, everything else stands in its place.
 *
 *   { $ref } ──▶ a name · properties ──▶ an object · anyOf, oneOf, type: [] ──▶ a | b · allOf ──▶ a & b · enum ──▶ literals
 *
 * Of a schema's other keywords (bounds, formats, patterns) the type says nothing. A schema that says nothing at all is
 * `unknown`. What refers to nothing but itself has no values, and is `unknown` too: TypeScript would reject its alias.
 *
 * Spec: spec/client.md (CLIENT-007)
 */
import { has, isJson, listIn, objectIn, textIn, textsIn, type Json } from "../document/json.ts";
import { pointerParts, target } from "../document/operations.ts";
import { typeName, type Names } from "./names.ts";
import { commentLines, docComment, literal, propertyName } from "./text.ts";

const prefix = "#/components/schemas/";
const LINE = 110;

/** A type, and what would have to be put in brackets around it: a list's item everything but 0, an intersection 2. */
interface Rendered {
  readonly text: string;
  readonly rank: 0 | 1 | 2;
}

/** The schema of a file in a multipart body. */
export const file: Json = Object.freeze({ type: "string", format: "binary" });

/** The types of one document. */
export class Types {
  readonly #document: Json;
  readonly #names: Names;
  readonly #nameOf: Map<string, string> = new Map();
  readonly #used: Set<string> = new Set();

  constructor(document: Json, names: Names) {
    this.#document = document;
    this.#names = names;
    // All of them, used or not: what one is called does not depend on the operations.
    for (const name of Object.keys(objectIn(objectIn(document["components"])["schemas"])))
      this.#nameOf.set(prefix + escaped(name), names.take(typeName(name), "Model"));
  }

  /** The type of a schema, on lines that are indented as told. */
  of(schema: unknown, indent: string): string {
    return this.#render(schema, indent, undefined).text;
  }

  /** The declarations of all that has been referred to, by name. */
  declarations(): readonly string[] {
    const declared: (readonly [name: string, text: string])[] = [];
    // Rendering one may refer to more of them: the set grows on the way.
    for (const reference of this.#used) {
      const name = this.#nameOf.get(reference) ?? "";
      declared.push([name, this.#declaration(name, reference)]);
    }
    return declared.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  }

  #declaration(name: string, reference: string): string {
    const schema = target(this.#document, reference);
    const comment = docComment(isJson(schema) ? docsOf(schema) : [], "");
    const { text } = this.#render(schema, "", reference);
    return (
      comment + (isPlainObject(schema) ? `export interface ${name} ${text}\n` : `export type ${name} = ${text};\n`)
    );
  }

  /** @param within the reference whose own declaration this is a direct part of */
  #render(schema: unknown, indent: string, within: string | undefined): Rendered {
    if (schema === false) return atom("never");
    if (schema === file) return atom("Blob");
    if (!isJson(schema)) return atom("unknown");
    const parts = [
      ...this.#references(schema, within),
      ...(["anyOf", "oneOf"] as const).flatMap((keyword) =>
        has(schema, keyword) ? union(listIn(schema[keyword]).map((one) => this.#render(one, indent, within))) : [],
      ),
      ...listIn(schema["allOf"]).map((one) => this.#render(one, indent, within)),
      ...this.#own(schema, indent),
    ].filter(({ text }) => text !== "unknown");
    const whole = intersection(parts);
    return schema["nullable"] === true ? union([whole, atom("null")]) : whole;
  }

  #references(schema: Json, within: string | undefined): readonly Rendered[] {
    const reference = textIn(schema["$ref"]);
    if (reference === undefined) return [];
    const canonical = canonicalOf(reference);
    target(this.#document, reference); // throws where nothing is there
    if (within !== undefined && this.#leadsTo(reference, within)) return [atom("unknown")];
    if (!this.#nameOf.has(canonical)) {
      const last = pointerParts(reference).at(-1) ?? "document";
      this.#nameOf.set(canonical, this.#names.take(typeName(last), "Model"));
    }
    this.#used.add(canonical);
    return [atom(this.#nameOf.get(canonical) ?? "unknown")];
  }

  /** Is `goal` reached from there by references alone, without an object or a list between? However far it is. */
  #leadsTo(reference: string, goal: string): boolean {
    const seen = new Set([canonicalOf(reference)]);
    // What one refers to is added: the set grows on the way.
    for (const at of seen) {
      if (at === goal) return true;
      for (const next of directReferences(target(this.#document, at))) seen.add(canonicalOf(next));
    }
    return false;
  }

  /** What the schema says besides references and combinations; nothing where it says nothing. */
  #own(schema: Json, indent: string): readonly Rendered[] {
    const isCombined = ["$ref", "anyOf", "oneOf", "allOf"].some((keyword) => has(schema, keyword));
    if (isCombined && schema["type"] === "object" && impliedTypes(schema).length === 0) return [];
    if (has(schema, "const")) return [atom(literalType(schema["const"]))];
    if (Array.isArray(schema["enum"])) return [union(schema["enum"].map((value) => atom(literalType(value))))];
    const named = schema["type"] === undefined ? impliedTypes(schema) : [schema["type"]].flat();
    if (named.length === 0) return [];
    return [union(named.map((type) => this.#ofType(type, schema, indent)))];
  }

  #ofType(type: unknown, schema: Json, indent: string): Rendered {
    if (type === "object") return this.#object(schema, indent);
    if (type === "array") return this.#list(schema, indent);
    if (type === "integer" || type === "number") return atom("number");
    return atom(type === "string" || type === "boolean" || type === "null" ? type : "unknown");
  }

  #list(schema: Json, indent: string): Rendered {
    const item = (one: unknown): string => this.#render(one, indent, undefined).text;
    const { items } = schema;
    const first = [listIn(schema["prefixItems"]), listIn(items)].find((list) => list.length > 0);
    if (first === undefined) {
      const { text, rank } = this.#render(items, indent, undefined);
      return { text: `readonly ${rank > 0 ? `(${text})` : text}[]`, rank: 1 };
    }
    const rest = Array.isArray(items) ? schema["additionalItems"] : items;
    const more = rest === false ? [] : [`...${bracketed(this.#render(rest, indent, undefined), 0)}[]`];
    // Fewer items than named are valid unless `minItems` says otherwise.
    const least = typeof schema["minItems"] === "number" ? schema["minItems"] : 0;
    const members = first.map((one, at) => (at < least ? item(one) : `(${item(one)})?`));
    return { text: `readonly [${[...members, ...more].join(", ")}]`, rank: 1 };
  }

  #object(schema: Json, indent: string): Rendered {
    const inner = `${indent}  `;
    const required = new Set(textsIn(schema["required"]));
    const properties = Object.entries(objectIn(schema["properties"]));
    const missing = [...required].filter((name) => !has(objectIn(schema["properties"]), name));
    const lines = [
      ...properties.map(([name, one]) => ({ name, one, docs: isJson(one) ? docsOf(one) : [] })),
      ...missing.map((name) => ({ name, one: undefined, docs: [] })),
    ].map(
      ({ name, one, docs }) =>
        docComment(docs, inner) + `${inner}${member(name, this.of(one, inner), required.has(name))}`,
    );
    const index = this.#index(schema, inner, lines.length > 0);
    return atom(block([...lines, ...(index === undefined ? [] : [inner + index])], indent));
  }

  /** The properties without a name. Beside named ones they may be anything, since an index must fit those as well. */
  #index(schema: Json, indent: string, hasProperties: boolean): string | undefined {
    const patterns = Object.values(objectIn(schema["patternProperties"]));
    const { additionalProperties: others } = schema;
    if (patterns.length === 0 && (others === undefined || others === true))
      return hasProperties ? undefined : "readonly [name: string]: unknown";
    if (patterns.length === 0 && others === false) return hasProperties ? undefined : "readonly [name: string]: never";
    const open = patterns.length > 0 && others !== false ? [others] : patterns.length === 0 ? [others] : [];
    const type = hasProperties
      ? "unknown"
      : union([...patterns, ...open].map((one) => this.#render(one, indent, undefined))).text;
    return `readonly [name: string]: ${type}`;
  }
}

/** A property: an optional one may be there as `undefined`, which JSON leaves out. */
export function member(name: string, type: string, isRequired: boolean): string {
  const given = isRequired || type === "unknown" ? type : `${type} | undefined`;
  return `readonly ${propertyName(name)}${isRequired ? "" : "?"}: ${given};`;
}

/** Members in braces: on one line where they fit and none has a comment. */
export function block(lines: readonly string[], indent: string): string {
  if (lines.length === 0) return "{}";
  const short = `{ ${lines.map((line) => line.trim().replace(/;$/, "")).join("; ")} }`;
  const isShort = indent !== "" && lines.length <= 4 && indent.length + short.length <= LINE;
  const fits = isShort && lines.every((line) => !line.includes("\n"));
  return fits ? short : `{\n${lines.map((line) => (line.endsWith(";") ? line : `${line};`)).join("\n")}\n${indent}}`;
}

/** What a schema says of itself, for people. */
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

/** A JSON value as a type of its own. */
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

/** Is it an object and nothing besides, so that it can be an interface? */
const isPlainObject = (schema: unknown): boolean =>
  isJson(schema) &&
  (schema["type"] ?? impliedTypes(schema)[0]) === "object" &&
  schema["nullable"] !== true &&
  ["$ref", "anyOf", "oneOf", "allOf", "const", "enum"].every((keyword) => !has(schema, keyword));

/** The references that a schema's type is made of, without an object or a list between. */
function directReferences(schema: unknown): readonly string[] {
  if (!isJson(schema)) return [];
  const combined = ["anyOf", "oneOf", "allOf"].flatMap((keyword) => listIn(schema[keyword]));
  const own = textIn(schema["$ref"]);
  return [...(own === undefined ? [] : [own]), ...combined.flatMap(directReferences)];
}

/** One spelling of a reference. */
const canonicalOf = (reference: string): string =>
  `#${pointerParts(reference)
    .map((part) => `/${escaped(part)}`)
    .join("")}`;
const escaped = (part: string): string => part.replaceAll("~", "~0").replaceAll("/", "~1").replaceAll("%", "%25");
