/**
 * Converts texts of a query, headers, cookies or a form, by name, into the values that a schema accepts.
 *
 *   ids=1&page=2 ──▶ { ids: ["1"], page: "2" } ──▶ the schema ──▶ { value }, or { issues }
 *                      │ a list where the schema says array          └─ for a name without known type: once more,
 *                      └ a number where a JSON Schema says so           with its text as a list, with its list as a Set
 *
 * Spec: spec/contracts.md
 */
import { field, type JsonSchemaOf, type JsonSchemaSource, objectOf } from "./json-schema.ts";
import { type Checked, type Checker, isRejected, isStandard, type Schema } from "./schema.ts";
import { alternativesOf, mayBeArray, type Taken, takenBy } from "./taken.ts";

/** Values by name. */
export type Values = Readonly<Record<string, unknown>>;
/** All values of each name, in order. */
export type Lists = Readonly<Record<string, readonly string[]>>;

/** How a schema accepts the values of a name. */
type Form = "text" | "list" | "either";

/** How a schema accepts values by name. */
export class ValueForms {
  readonly #taken: Taken;
  /** For a JSON Schema, which accepts numbers but not their texts: the values that a text may mean. */
  readonly #literals: { readonly names: ReadonlyMap<string, Literals>; readonly others: Literals } | undefined;
  readonly #forms: ReadonlyMap<string, Form>;
  readonly #others: Form;
  /** Names of the other schemas of the part that this one, which accepts only its own names, does not have. */
  readonly #hidden: ReadonlySet<string>;

  constructor(schema: Schema, beside: readonly Schema[], convert: JsonSchemaOf | undefined) {
    const taken = takenBy(schema, convert);
    this.#taken = taken;
    this.#forms = new Map([...taken.names].map(([name, all]) => [name, formOf(all)]));
    this.#others = taken.others.length > 0 ? formOf(taken.others) : taken.isKnown ? "text" : "either";
    const theirs = taken.isClosed ? beside.flatMap((one) => [...takenBy(one, convert).names.keys()]) : [];
    this.#hidden = new Set(theirs.filter((name) => !taken.names.has(name)));
    if (!isJsonSchemaOrCompiled(schema)) return;
    const names = new Map([...taken.names].map(([name, all]) => [name, literalsOf(all)]));
    this.#literals = { names, others: literalsOf(taken.others) };
  }

  /** The values of names with several values each. */
  ofLists(all: Lists): Values {
    const values: Record<string, unknown> = Object.create(null);
    for (const name of Object.keys(all)) {
      if (this.#hidden.size > 0 && this.#hidden.has(name)) continue;
      const list = all[name] ?? [];
      const [only] = list;
      const isText = list.length === 1 && !this.takesList(name);
      values[name] = this.converted(name, isText ? only : list);
    }
    return values;
  }

  /** The values of names with one value each. */
  ofTexts(all: Readonly<Record<string, string>>): Values {
    if (this.#hidden.size === 0 && this.#literals === undefined) return all;
    const values: Record<string, unknown> = Object.create(null);
    for (const [name, text] of Object.entries(all))
      if (!this.#hidden.has(name)) values[name] = this.converted(name, text);
    return values;
  }

  /** Alternative forms of these names in a rejected value. Undefined when there are none. */
  raised(values: Values, names: readonly string[], all: (name: string) => readonly string[]): Values | undefined {
    const raised: Record<string, unknown> = Object.assign(Object.create(null), values);
    let isRaised = false;
    for (const name of names) {
      const value = values[name];
      const isText = typeof value === "string" && this.#formOf(name) === "either";
      if (!isText && !(Array.isArray(value) && this.#mayBeSet(name))) continue;
      raised[name] = isText ? all(name) : new Set<unknown>(value as readonly unknown[]);
      isRaised = true;
    }
    return isRaised ? raised : undefined;
  }

  /** Is its value a list, also when there is only one? */
  takesList(name: string): boolean {
    return this.#formOf(name) === "list";
  }

  #formOf(name: string): Form {
    return this.#forms.get(name) ?? this.#others;
  }

  #mayBeSet(name: string): boolean {
    const known = this.#taken.names.get(name) ?? this.#taken.others;
    return this.#formOf(name) === "either" || known.some((one) => one["uniqueItems"] === true);
  }

  /** The value as the number or boolean that a JSON Schema declares. Any other schema gets it unchanged. */
  converted(name: string, value: unknown): unknown {
    if (this.#literals === undefined) return value;
    const { own, items } = this.#literals.names.get(name) ?? this.#literals.others;
    if (typeof value === "string") return valueOf(value, own);
    return Array.isArray(value) ? value.map((text) => valueOf(String(text), items)) : value;
  }
}

/** The schemas of a value, and of an item if it is a list, with all their parts. */
interface Literals {
  readonly own: readonly JsonSchemaSource[];
  readonly items: readonly JsonSchemaSource[];
}

function literalsOf(schemas: readonly JsonSchemaSource[]): Literals {
  const own = schemas.flatMap(flattened);
  return { own, items: own.flatMap(({ items }) => flattened(objectOf(items) ?? {})) };
}

/** A schema and all its parts. */
const flattened = (schema: JsonSchemaSource): readonly JsonSchemaSource[] => [
  schema,
  ...alternativesOf(schema).flatMap(flattened),
];

const isJsonSchemaOrCompiled = (schema: Schema): boolean =>
  typeof schema === "object" && !isStandard(schema) && (field(schema, "Check") !== undefined || !("parse" in schema));

/** If one alternative says list and another text, or one says nothing, only a call of the schema decides. */
function formOf(alternatives: readonly JsonSchemaSource[]): Form {
  const forms = alternatives.map((one) => (mayBeArray(one) ? "list" : saysNothing(one) ? "either" : "text"));
  const [first = "either"] = forms;
  return forms.every((form) => form === first) ? first : "either";
}

const telling = ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"];
const saysNothing = (schema: JsonSchemaSource): boolean => !telling.some((keyword) => keyword in schema);

/** The text as the number or the boolean that one of these declares. Unchanged when one accepts a text, or it is neither. */
function valueOf(text: string, schemas: readonly JsonSchemaSource[]): unknown {
  if (schemas.some((one) => takesText(text, one))) return text;
  return schemas.map((one) => literalOf(text, one)).find((value) => value !== undefined) ?? text;
}

/** Values that a schema lists one by one. */
function namedBy(schema: JsonSchemaSource): readonly unknown[] | undefined {
  if ("const" in schema) return [schema["const"]];
  return Array.isArray(schema["enum"]) ? schema["enum"] : undefined;
}

const takesText = (text: string, schema: JsonSchemaSource): boolean =>
  namedBy(schema)?.includes(text) ?? [schema["type"]].flat().includes("string");

function literalOf(text: string, schema: JsonSchemaSource): unknown {
  const types = [schema["type"]].flat();
  const value = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
  const flag = text === "true" ? true : text === "false" ? false : undefined;
  const named = namedBy(schema);
  if (named !== undefined) return named.find((one) => one !== null && (one === value || one === flag));
  if (types.includes("boolean") && flag !== undefined) return flag;
  return (types.includes("number") || types.includes("integer")) && Number.isFinite(value) ? value : undefined;
}

/** How often a schema is retried: with a list, then with a Set. For a union, for the names of some alternatives. */
const maxRaises = 2;
const maxBranches = 6;

/**
 * Checks values against a schema. If it rejects a value whose form is unknown, its other forms are tried. If all are rejected,
 * the first rejection counts.
 */
export function heldInForms(
  check: Checker,
  forms: ValueForms,
  values: Values,
  all: (name: string) => readonly string[],
): Checked | Promise<Checked> {
  const checked = check(values);
  if (!(checked instanceof Promise) && !isRejected(checked)) return checked; // nearly every request
  const more = (one: Values, rejected: Checked, left: number): Checked | Promise<Checked> => {
    if (left === 0 || !isRejected(rejected)) return rejected;
    const raised = branchesOf(rejected.issues).map((names) => forms.raised(one, names, all));
    const others = raised.filter((other) => other !== undefined).slice(0, maxBranches);
    return firstOf(others, rejected, left - 1);
  };
  const firstOf = (others: readonly Values[], rejected: Checked, left: number): Checked | Promise<Checked> => {
    const [other, ...rest] = others;
    if (other === undefined) return rejected;
    const late = after(check(other), (next) => more(other, next, left));
    return after(late, (next) => (isRejected(next) ? firstOf(rest, rejected, left) : next));
  };
  return after(checked, (first) => more(values, first, maxRaises));
}

const after = (
  checked: Checked | Promise<Checked>,
  then: (checked: Checked) => Checked | Promise<Checked>,
): Checked | Promise<Checked> => (checked instanceof Promise ? checked.then(then) : then(checked));

/** The names of the issues: all of them, those of each alternative of a union, and each alone. */
function branchesOf(issues: readonly unknown[]): readonly (readonly string[])[] {
  const names = namesIn(issues);
  const inner = issues.flatMap((issue) => {
    const several = field(issue, "errors") ?? field(issue, "issues");
    if (!Array.isArray(several)) return [];
    const lists = (several as readonly unknown[]).filter((one) => Array.isArray(one));
    return (lists.length > 0 ? lists : [several]).flatMap((branch: readonly unknown[]) => branchesOf(branch));
  });
  const single = names.length > 1 ? names.map((name) => [name]) : [];
  return [...(names.length > 0 ? [names] : []), ...inner, ...single];
}

/** The names of issues about a whole value. */
function namesIn(issues: readonly unknown[]): readonly string[] {
  const names = issues.flatMap((issue) => {
    const path = field(issue, "path");
    const [step, ...deeper] = Array.isArray(path) ? (path as readonly unknown[]) : [];
    const name = field(step, "key") ?? step;
    return typeof name === "string" && deeper.length === 0 ? [name] : [];
  });
  return [...new Set(names)];
}
