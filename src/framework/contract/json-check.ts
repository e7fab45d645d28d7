/**
 * Checks JSON against a JSON Schema, so that a response matches its document.
 *
 *   { type: "object", properties: { id }, additionalProperties: false } · { id: 1, hash: "…" } ──▶ /hash: not in the contract
 *
 * Supports the keywords that libraries generate (draft 2020-12). Any other keyword rejects nothing, because a reader of the
 * document cannot rely on it. `format` is an annotation, except for the date-time of a sent Date.
 *
 * Spec: spec/contracts.md
 */
import { type JsonSchemaSource, objectOf, referred } from "./json-schema.ts";
import type { SchemaIssue } from "./schema.ts";

type Path = readonly (string | number)[];

/** Maximum number of issues to look for: one more than a response lists. */
const maxIssues = 101;

/** The issues of a JSON value, empty when it is valid. @param schema the checked part of `root`, by default all of it */
export function jsonChecker(
  root: JsonSchemaSource,
  schema: unknown = root,
): (value: unknown) => readonly SchemaIssue[] {
  const walk = new Walk(root);
  return (value) => {
    const issues: SchemaIssue[] = [];
    walk.visit(schema, value, [], issues);
    return issues;
  };
}

class Walk {
  readonly #root: JsonSchemaSource;
  readonly #patterns: Map<string, RegExp> = new Map();

  constructor(root: JsonSchemaSource) {
    this.#root = root;
  }

  visit(schema: unknown, value: unknown, path: Path, issues: SchemaIssue[]): void {
    if (issues.length >= maxIssues) return;
    if (schema === false) issues.push({ path, message: "not in the contract" });
    const of = objectOf(schema);
    if (of === undefined) return;
    if (typeof of["$ref"] === "string") this.visit(referred(this.#root, of["$ref"]), value, path, issues);
    const tell = (message: string): void => void issues.push({ path, message });
    plain(of, value, tell);
    this.#alternatives(of, value, path, issues);
    if (typeof value === "string") this.#text(of, value, tell);
    else if (Array.isArray(value)) this.#list(of, value, path, issues);
    else if (typeof value === "object" && value !== null) this.#object(of, value, path, issues);
  }

  #fits(schema: unknown, value: unknown): boolean {
    const issues: SchemaIssue[] = [];
    this.visit(schema, value, [], issues);
    return issues.length === 0;
  }

  #alternatives(of: JsonSchemaSource, value: unknown, path: Path, issues: SchemaIssue[]): void {
    const { anyOf, oneOf, allOf, not } = of;
    if (Array.isArray(allOf)) for (const one of allOf) this.visit(one, value, path, issues);
    for (const several of [anyOf, oneOf]) {
      if (!Array.isArray(several)) continue;
      const found = several.map((one) => {
        const own: SchemaIssue[] = [];
        this.visit(one, value, path, own);
        return own;
      });
      const fitting = found.filter((own) => own.length === 0).length;
      if (fitting === 0) issues.push(...(found.toSorted((a, b) => a.length - b.length)[0] ?? [])); // those of the nearest
      if (fitting > 1 && several === oneOf) issues.push({ path, message: "more than one of its alternatives" });
    }
    if (not !== undefined && this.#fits(not, value)) issues.push({ path, message: "what the contract rules out" });
  }

  #text(
    { minLength, maxLength, pattern, format }: JsonSchemaSource,
    text: string,
    tell: (message: string) => void,
  ): void {
    const length = typeof minLength === "number" || typeof maxLength === "number" ? Array.from(text).length : 0;
    if (length < Number(minLength ?? 0)) tell(`shorter than ${String(minLength)}`);
    if (length > Number(maxLength ?? Infinity)) tell(`longer than ${String(maxLength)}`);
    if (typeof pattern === "string" && !this.#pattern(pattern).test(text)) tell(`not of the form ${pattern}`);
    if (format === "date-time" && pattern === undefined && Number.isNaN(Date.parse(text))) tell("no date-time");
  }

  /** @throws SyntaxError on an invalid pattern, which would make a library's document wrong. */
  #pattern(pattern: string): RegExp {
    const known = this.#patterns.get(pattern) ?? new RegExp(pattern, "u");
    this.#patterns.set(pattern, known);
    return known;
  }

  #list(of: JsonSchemaSource, list: readonly unknown[], path: Path, issues: SchemaIssue[]): void {
    const { prefixItems, items, minItems = 0, maxItems = Infinity, uniqueItems } = of;
    const tell = (message: string): void => void issues.push({ path, message });
    if (list.length < Number(minItems)) tell(`fewer than ${String(minItems)}`);
    if (list.length > Number(maxItems)) tell(`more than ${String(maxItems)}`);
    if (uniqueItems === true && new Set(list.map((one) => JSON.stringify(one))).size < list.length) tell("not unique");
    const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
    for (const [at, value] of list.entries())
      this.visit(at < first.length ? first[at] : items, value, [...path, at], issues);
  }

  #object(of: JsonSchemaSource, value: object, path: Path, issues: SchemaIssue[]): void {
    const { required, minProperties = 0, maxProperties = Infinity, propertyNames, additionalProperties } = of;
    const properties = objectOf(of["properties"]) ?? {};
    const patterns = Object.entries(objectOf(of["patternProperties"]) ?? {});
    const members = Object.entries(value);
    const tell = (message: string): void => void issues.push({ path, message });
    if (members.length < Number(minProperties)) tell(`fewer than ${String(minProperties)} members`);
    if (members.length > Number(maxProperties)) tell(`more than ${String(maxProperties)} members`);
    for (const name of Array.isArray(required) ? (required as readonly string[]) : [])
      if (!Object.hasOwn(value, name)) issues.push({ path: [...path, name], message: "missing" });
    for (const [name, member] of members) {
      const place = [...path, name];
      if (propertyNames !== undefined && !this.#fits(propertyNames, name))
        issues.push({ path: place, message: "not in the contract" });
      const own = Object.hasOwn(properties, name) ? [properties[name]] : [];
      const matching = patterns.flatMap(([pattern, schema]) => (this.#pattern(pattern).test(name) ? [schema] : []));
      const all = [...own, ...matching];
      for (const schema of all.length > 0 ? all : [additionalProperties]) this.visit(schema, member, place, issues);
    }
  }
}

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === "boolean",
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  array: Array.isArray,
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
};

/** Checks for values of any type. */
function plain(of: JsonSchemaSource, value: unknown, tell: (message: string) => void): void {
  const { type, enum: named } = of;
  const wanted = type === undefined ? [] : [type].flat().map(String);
  if (wanted.length > 0 && !wanted.some((one) => types[one]?.(value) ?? true)) tell(`no ${wanted.join(" or ")}`);
  if ("const" in of && !same(of["const"], value)) tell(`not ${JSON.stringify(of["const"])}`);
  if (Array.isArray(named) && !named.some((one) => same(one, value))) tell(`none of ${JSON.stringify(named)}`);
  if (typeof value === "number") inRange(of, value, tell);
}

const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

function inRange(of: JsonSchemaSource, value: number, tell: (message: string) => void): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = of;
  if (typeof minimum === "number" && value < minimum) tell(`less than ${minimum}`);
  if (typeof maximum === "number" && value > maximum) tell(`more than ${maximum}`);
  if (typeof exclusiveMinimum === "number" && value <= exclusiveMinimum) tell(`not more than ${exclusiveMinimum}`);
  if (typeof exclusiveMaximum === "number" && value >= exclusiveMaximum) tell(`not less than ${exclusiveMaximum}`);
  if (typeof multipleOf === "number" && !isMultiple(value, multipleOf)) tell(`no multiple of ${multipleOf}`);
}

/** As exactly as floating point allows: 0.3 is a multiple of 0.1. */
function isMultiple(value: number, step: number): boolean {
  const ratio = value / step;
  return Math.abs(ratio - Math.round(ratio)) < 1e-9 * Math.max(1, Math.abs(ratio));
}
