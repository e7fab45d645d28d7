/**
 * Does one schema accept every value of another? If not, it says where and what.
 *
 *   input   what clients sent before ⊆ what is taken now          sub = before, sup = now
 *   output  what is sent now ⊆ what clients knew before      sub = now,    sup = before
 *
 * A schema is split into its cases: the alternatives of `anyOf` and `oneOf`, the types of a list, and `null`, each combined with
 * `allOf` and references. Every case must fit into one of the other's. A pair of references that is already being compared is
 * skipped, which ends cycles.
 *
 * A response may have additional properties, even if the schema is closed, since clients ignore them. It may not lack one.
 */
import { has, isJson, listIn, objectIn, textIn, textsIn, type Json } from "../document/json.ts";
import { target } from "../document/operations.ts";
import { isLeftOut, type Side } from "../document/sides.ts";
import { DocumentError } from "../errors.ts";

/** Something that breaks: its place in the value, and a description. */
export interface Break {
  readonly path: string;
  readonly what: string;
}

/** A document and a schema in it. */
export interface SchemaIn {
  readonly document: Json;
  readonly schema: unknown;
}

/** One way to be valid: a type (any if undefined) and the other restrictions. */
interface Case {
  readonly type: string | undefined;
  readonly values: readonly unknown[] | undefined;
  readonly schema: Json;
}

const MAX_HOPS = 50;
const MAX_DEPTH = 100;
/** The maximum of alternatives of one schema, and of pairs of schemas in total. More is an attack or a mistake. */
const MAX_CASES = 10_000;
const MAX_PAIRS = 200_000;
/** The maximum of schemas searched for alternatives in total, and of references in a chain to one. */
const MAX_STEPS = 1_000_000;
const MAX_CHAIN = 500;

/** The remaining number of schemas to search, since alternatives that share others double at every reference. */
interface Steps {
  left: number;
}

/** Compares the schemas of two documents. */
export class SchemaComparison {
  readonly #direction: Side;
  readonly #done: Map<unknown, Map<unknown, readonly Break[]>> = new Map();
  #depth = 0;
  #pairs = 0;
  readonly #steps: Steps = { left: MAX_STEPS };

  constructor(direction: Side) {
    this.#direction = direction;
  }

  /** The changes that break clients of `before`. */
  breaks(before: SchemaIn, now: SchemaIn): readonly Break[] {
    return this.#direction === "input" ? this.#fits(before, now) : this.#fits(now, before);
  }

  #fits(from: SchemaIn, to: SchemaIn): readonly Break[] {
    const [sub, sup] = [referredTo(from), referredTo(to)];
    const known = this.#done.get(sub.schema)?.get(sup.schema);
    // `allOf` with two recursive schemas is new at every level, so no pair of it repeats.
    if (known !== undefined || this.#depth > MAX_DEPTH) return known ?? [];
    if ((this.#pairs += 1) > MAX_PAIRS) throw tangled();
    const isObject = isJson(sub.schema) && isJson(sup.schema);
    if (isObject) this.#remember(sub.schema, sup.schema, []);
    this.#depth += 1;
    const taken = casesOf(sup, this.#steps);
    const found = distinct(
      casesOf(sub, this.#steps).flatMap((one) => this.#caseFits(one, taken, sub.document, sup.document)),
    );
    this.#depth -= 1;
    if (isObject) this.#remember(sub.schema, sup.schema, found);
    return found;
  }

  #remember(sub: unknown, sup: unknown, found: readonly Break[]): void {
    const inner = this.#done.get(sub) ?? new Map<unknown, readonly Break[]>();
    this.#done.set(sub, inner.set(sup, found));
  }

  #caseFits(sub: Case, taken: readonly Case[], from: Json, to: Json): readonly Break[] {
    const isListed = taken.some(({ values }) => values !== undefined);
    const values = sub.values ?? (isListed ? allValues[sub.type ?? ""] : undefined);
    if (values !== undefined) return this.#valuesFit(values, taken);
    const candidates = taken.filter(({ type }) => type === undefined || sub.type === type || isWider(type, sub.type));
    if (candidates.length === 0) return [here(this.#said(sub.type === undefined ? "anything" : nounOf(sub.type)))];
    const attempts = candidates.map((one) => this.#sameType(sub, one, from, to));
    return attempts.find((breaks) => breaks.length === 0) ?? attempts.toSorted((a, b) => a.length - b.length)[0] ?? [];
  }

  #valuesFit(values: readonly unknown[], taken: readonly Case[]): readonly Break[] {
    const isTaken = (value: unknown): boolean => taken.some((one) => takes(one, value));
    return values.filter((value) => !isTaken(value)).map((value) => here(this.#said(JSON.stringify(value))));
  }

  #sameType(sub: Case, sup: Case, from: Json, to: Json): readonly Break[] {
    if (sup.values !== undefined)
      return [here(this.#said(`other values than ${sup.values.map((one) => JSON.stringify(one)).join(", ")}`))];
    const [a, b] = [sub.schema, sup.schema];
    const own = limits.flatMap(({ keyword, isWithin }) =>
      has(b, keyword) && !isWithin(a[keyword], b[keyword]) ? [here(this.#changed(keyword, a, b))] : [],
    );
    if (sup.type === "array") return [...own, ...this.#items(a, b, from, to)];
    return sup.type === "object" ? [...own, ...this.#members(a, b, from, to)] : own;
  }

  #items(a: Json, b: Json, from: Json, to: Json): readonly Break[] {
    const first = listIn(b["prefixItems"]).flatMap((schema, at) =>
      below(
        `[${at}]`,
        this.#fits({ document: from, schema: listIn(a["prefixItems"])[at] ?? a["items"] }, { document: to, schema }),
      ),
    );
    if (b["items"] === undefined) return first;
    return [
      ...first,
      ...below("[]", this.#fits({ document: from, schema: a["items"] }, { document: to, schema: b["items"] })),
    ];
  }

  #members(a: Json, b: Json, from: Json, to: Json): readonly Break[] {
    const [own, theirs] = [this.#properties(from, a), this.#properties(to, b)];
    const isInput = this.#direction === "input";
    const required = new Set(textsIn(a["required"]));
    const isThere = (name: string): boolean => has(theirs, name) || !has(objectIn(b["properties"]), name);
    const missing = textsIn(b["required"]).filter((name) => !required.has(name) && isThere(name));
    const gone = isInput ? [] : Object.keys(theirs).filter((name) => !has(own, name) && !isMap(a));
    const lost = new Set([...missing, ...gone]);
    const shared = Object.keys(theirs).filter((name) => has(own, name));
    return [
      ...[...lost].map((name) => ({
        path: `.${name}`,
        what: isInput ? "is required now" : has(own, name) ? "is no longer certain to be there" : "is gone",
      })),
      ...shared.flatMap((name) =>
        below(`.${name}`, this.#fits({ document: from, schema: own[name] }, { document: to, schema: theirs[name] })),
      ),
      ...this.#others(a, b, from, to),
    ];
  }

  /** The properties of this side: clients do not send read-only ones, and do not receive write-only ones. */
  #properties(document: Json, schema: Json): Json {
    const all = Object.entries(objectIn(schema["properties"]));
    return Object.fromEntries(all.filter(([, one]) => !isLeftOut(document, one, this.#direction)));
  }

  /** Properties that the wider schema does not name. */
  #others(a: Json, b: Json, from: Json, to: Json): readonly Break[] {
    const [open, closed] = [a["additionalProperties"], b["additionalProperties"]].map(unlessAny);
    // In a map of a response, each value is part of the contract. Next to named properties there may be others of any type.
    const isOpened = this.#direction === "output" && open === undefined && isMap(b) && !has(a, "properties");
    if (isJson(closed) && (isJson(open) || isOpened))
      return below(".*", this.#fits({ document: from, schema: open }, { document: to, schema: closed }));
    if (this.#direction === "output" || closed === undefined || has(b, "patternProperties")) return [];
    const unknown = Object.keys(objectIn(a["properties"])).filter((name) => !has(objectIn(b["properties"]), name));
    if (isJson(closed))
      return open === false ? [] : [{ path: ".*", what: "other properties are no longer of any type" }];
    return [
      ...unknown.map((name) => ({ path: `.${name}`, what: "is no longer taken" })),
      ...(open === false || isMap(a) ? [] : [here("no longer takes properties that are not named")]),
    ];
  }

  #said(what: string): string {
    return this.#direction === "input" ? `no longer takes ${what}` : `can be ${what} now`;
  }

  #changed(keyword: string, sub: Json, sup: Json): string {
    const [before, now] = this.#direction === "input" ? [sub, sup] : [sup, sub];
    return `${keyword} was ${shown(before[keyword])}, and is ${shown(now[keyword])}`;
  }
}

const here = (what: string): Break => ({ path: "", what });
const below = (step: string, breaks: readonly Break[]): readonly Break[] =>
  breaks.map(({ path, what }) => ({ path: step + path, what }));
const distinct = (breaks: readonly Break[]): readonly Break[] => [
  ...new Map(breaks.map((one) => [`${one.path} ${one.what}`, one])).values(),
];
const shown = (value: unknown): string => (value === undefined ? "not limited" : JSON.stringify(value));

/** A schema that accepts everything is the same as none. */
const unlessAny = (schema: unknown): unknown =>
  schema === true || (isJson(schema) && Object.keys(schema).length === 0) ? undefined : schema;

/** An object with only an index, so it has no names to lose. */
const isMap = (schema: Json): boolean => isJson(schema["additionalProperties"]) && !has(schema, "properties");
/** Types with finite lists of values, as `enum` and `const` express them. */
const allValues: Readonly<Record<string, readonly unknown[]>> = { null: [null], boolean: [true, false] };
const isWider = (type: string, than: string | undefined): boolean => type === "number" && than === "integer";
const nouns: Readonly<Record<string, string>> = {
  null: "null",
  array: "a list",
  object: "an object",
  integer: "an integer",
};
const nounOf = (type: string): string => nouns[type] ?? `a ${type}`;

/** Keywords that limit values; `a` is within `b` if `b` allows everything that `a` allows. */
const limits: readonly { readonly keyword: string; readonly isWithin: (a: unknown, b: unknown) => boolean }[] = [
  ...["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"].map((keyword) => ({
    keyword,
    isWithin: (a: unknown, b: unknown) => !isLimit(b) || isFloor(keyword, b) || (typeof a === "number" && a >= b),
  })),
  ...["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"].map((keyword) => ({
    keyword,
    isWithin: (a: unknown, b: unknown) => !isLimit(b) || (typeof a === "number" && a <= b),
  })),
  {
    keyword: "multipleOf",
    isWithin: (a, b) => typeof a === "number" && typeof b === "number" && Number.isInteger(a / b),
  },
  { keyword: "uniqueItems", isWithin: (a, b) => b !== true || a === true },
  ...["pattern", "format"].map((keyword) => ({ keyword, isWithin: (a: unknown, b: unknown) => a === b })),
];
const isLimit = (value: unknown): value is number => typeof value === "number";
/** A limit without effect, since no length is below 0. */
const isFloor = (keyword: string, limit: number): boolean => limit <= 0 && /^min[LIP]/.test(keyword);

function takes({ type, values, schema }: Case, value: unknown): boolean {
  if (values !== undefined) return values.some((one) => JSON.stringify(one) === JSON.stringify(value));
  const own = typeOf(value);
  if (type !== undefined && type !== own && !isWider(type, own)) return false;
  const size = typeof value === "string" ? value.length : value;
  const [least, most] = typeof value === "string" ? ["minLength", "maxLength"] : ["minimum", "maximum"];
  if (typeof size !== "number") return true;
  const [low, high] = [schema[least ?? ""], schema[most ?? ""]];
  return !(isLimit(low) && size < low) && !(isLimit(high) && size > high);
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

/** The ways to be valid. @param chain the references that led here. A reference back to one of them adds nothing */
function casesOf({ document, schema }: SchemaIn, steps: Steps, chain: readonly string[] = []): readonly Case[] {
  if ((steps.left -= 1) < 0 || chain.length > MAX_CHAIN) throw tangled();
  if (schema === false) return [];
  if (!isJson(schema)) return [anything];
  const { $ref, allOf, anyOf, oneOf, nullable, ...own } = schema;
  const reference = textIn($ref);
  if (reference !== undefined && chain.includes(reference)) return [anything];
  const links = reference === undefined ? chain : [...chain, reference];
  const inner = (one: unknown): readonly Case[] => casesOf({ document, schema: one }, steps, links);
  const added = [...(reference === undefined ? [] : [target(document, reference)]), ...listIn(allOf)];
  const alternatives = [anyOf, oneOf].filter(Array.isArray) as readonly unknown[][];
  const cases = [...added.map(inner), ...alternatives.map((list) => list.flatMap(inner))].reduce(
    crossed,
    ownCases(own),
  );
  const isNullable = nullable === true && cases.every(({ type }) => type !== "null" && type !== undefined);
  return isNullable ? [...cases, { type: "null", values: undefined, schema: {} }] : cases;
}

const anything: Case = { type: undefined, values: undefined, schema: {} };

/** The target of a schema that is only a reference, which is the same from any place. */
function referredTo({ document, schema }: SchemaIn): SchemaIn {
  let at = schema;
  for (let hops = 0; isJson(at) && typeof at["$ref"] === "string" && Object.keys(at).length === 1; hops += 1) {
    if (hops > MAX_HOPS) return { document, schema: {} };
    at = target(document, at["$ref"]);
  }
  return { document, schema: at };
}

function ownCases(schema: Json): readonly Case[] {
  const values = has(schema, "const") ? [schema["const"]] : Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
  if (values !== undefined) return [{ type: undefined, values: values as readonly unknown[], schema: {} }];
  const implied = has(schema, "properties") ? "object" : has(schema, "items") ? "array" : undefined;
  const types = [schema["type"] ?? implied].flat();
  return types.map((type) => ({ type: textIn(type), values: undefined, schema }));
}

/** Each case of the one with each of the other, if both can be true together. */
function crossed(left: readonly Case[], right: readonly Case[]): readonly Case[] {
  if (left.length * right.length > MAX_CASES) throw tangled();
  return left.flatMap((a) => right.flatMap((b) => both(a, b) ?? []));
}

function both(a: Case, b: Case): Case | undefined {
  const narrow = a.values === undefined ? b : a;
  const other = narrow === a ? b : a;
  if (narrow.values !== undefined) {
    const values = narrow.values.filter((value) => takes(other, value));
    return values.length === 0 ? undefined : { ...narrow, values };
  }
  if (
    a.type !== undefined &&
    b.type !== undefined &&
    a.type !== b.type &&
    !isWider(a.type, b.type) &&
    !isWider(b.type, a.type)
  )
    return undefined;
  const type = a.type === undefined || (b.type !== undefined && isWider(a.type, b.type)) ? b.type : a.type;
  return { type, values: undefined, schema: merged(a.schema, b.schema) };
}

/** Both of two schemas. Each reference once, or recursive schemas would double at every level. */
function together(a: unknown, b: unknown): unknown {
  const partsOf = (schema: unknown): readonly unknown[] =>
    isJson(schema) && Object.keys(schema).length === 1 && Array.isArray(schema["allOf"]) ? schema["allOf"] : [schema];
  const parts = [...partsOf(a), ...partsOf(b)];
  const distinct = [...new Map(parts.map((one) => [objectIn(one)["$ref"] ?? one, one])).values()];
  return distinct.length === 1 ? distinct[0] : { allOf: distinct };
}

const tangled = (): DocumentError =>
  new DocumentError("the documents cannot be compared: their schemas have too many alternatives");

/** The restrictions of both. */
function merged(a: Json, b: Json): Json {
  const properties = { ...objectIn(a["properties"]) };
  for (const [name, schema] of Object.entries(objectIn(b["properties"])))
    properties[name] = has(properties, name) ? together(properties[name], schema) : schema;
  const tighter = (keyword: string, choose: (...values: number[]) => number): Json => {
    const found = [a[keyword], b[keyword]].filter(isLimit);
    return found.length === 0 ? {} : { [keyword]: choose(...found) };
  };
  const bounds = limits.flatMap(({ keyword }) =>
    /^(?:min|exclusiveMin)/.test(keyword)
      ? [tighter(keyword, Math.max)]
      : /^(?:max|exclusiveMax)/.test(keyword)
        ? [tighter(keyword, Math.min)]
        : [],
  );
  return Object.assign({ ...a, ...b }, ...bounds, Object.keys(properties).length === 0 ? {} : { properties }, {
    required: [...new Set([...textsIn(a["required"]), ...textsIn(b["required"])])],
  }) as Json;
}
