/**
 * The fields of a shape, and their places in a value.
 *
 *   Trace ──▶ startedAt · calls[].method · leaves[]<kind=sql>.detail.rows · request.headers{}[]
 */

import type { TSchema } from "typebox";

/** The part of JSON Schema that the shapes of spec/ use. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | false;
  readonly propertyNames?: { readonly pattern?: string };
}

/** The kind of value of a field. */
export type Form = "number" | "text" | "boolean" | "choice" | "list" | "record" | "object" | "any";

/** The path to a field: a name, `[]` for each item, `{}` for each member, `<kind=sql>` for objects of that kind. */
export type Path = readonly string[];

/** One field of a shape. */
export interface Field {
  readonly path: Path;
  readonly form: Form;
  /** The options of a choice. */
  readonly choices: readonly unknown[];
  /** Another member of the same object with the same form. */
  readonly sibling: string | undefined;
  /** For a record: does the shape restrict the names of its members? */
  readonly isNamed: boolean;
}

/** Every field of a shape, including nested ones. */
export function fieldsOf(schema: TSchema): readonly Field[] {
  return fieldsBelow(schema, []);
}

function fieldsBelow(schema: Schema, path: Path): readonly Field[] {
  const found = resolve(schema);
  if (found.variants.length > 0)
    return found.variants.flatMap(([mark, variant]) => fieldsBelow(variant, [...path, `<${mark}>`]));
  const { items, properties } = found.schema;
  const members = Object.entries(properties ?? {});
  const ofAnyName = memberOf(found.schema);
  return [
    ...members.flatMap(([name, member]) => withBelow(member, [...path, name], siblingOf(name, members))),
    ...(items === undefined ? [] : withBelow(items, [...path, "[]"])),
    ...(ofAnyName === undefined ? [] : withBelow(ofAnyName, [...path, "{}"])),
  ];
}

/** The path to each object of a shape, including itself. */
export function objectsOf(schema: TSchema): readonly Path[] {
  return objectsBelow(schema, []);
}

function objectsBelow(schema: Schema, path: Path): readonly Path[] {
  const found = resolve(schema);
  if (found.variants.length > 0)
    return found.variants.flatMap(([mark, variant]) => objectsBelow(variant, [...path, `<${mark}>`]));
  const { items, properties } = found.schema;
  if (properties === undefined) {
    const member = memberOf(found.schema);
    const below = member === undefined ? [] : objectsBelow(member, [...path, "{}"]);
    return [...below, ...(items === undefined ? [] : objectsBelow(items, [...path, "[]"]))];
  }
  return [path, ...Object.entries(properties).flatMap(([name, one]) => objectsBelow(one, [...path, name]))];
}

/** The schema of a record's members, or undefined if it is not a record. */
function memberOf({ properties, additionalProperties }: Schema): Schema | undefined {
  return properties === undefined && additionalProperties !== false ? additionalProperties : undefined;
}

/** The path as text. */
export function pathText(path: Path): string {
  return path.map((step) => (/^[[{<]/.test(step) ? step : `.${step}`)).join("");
}

function withBelow(schema: Schema, path: Path, sibling?: string): readonly Field[] {
  const form = formOf(schema);
  const choices = form === "choice" ? choicesOf(resolve(schema).schema) : [];
  const isItem = /^[[{]/.test(path.at(-1) ?? "");
  // A choice of one is not a choice: `<kind=sql>.kind` is always sql.
  const isField = !(isItem && form === "object") && choices.length !== 1;
  const isNamed = resolve(schema).schema.propertyNames?.pattern?.startsWith("^[a-z]") === true;
  return [...(isField ? [{ path, form, choices, sibling, isNamed }] : []), ...fieldsBelow(schema, path)];
}

/** The next member of the same form, cyclically. */
function siblingOf(name: string, members: readonly (readonly [string, Schema])[]): string | undefined {
  const at = members.findIndex(([other]) => other === name);
  const form = formOf(members[at]?.[1] ?? {});
  if (form === "object" || form === "choice" || form === "list") return undefined;
  const around = [...members.slice(at + 1), ...members.slice(0, at)];
  return around.find(([, other]) => formOf(other) === form)?.[0];
}

interface Resolved {
  readonly schema: Schema;
  /** The alternatives, each with the member that identifies it. */
  readonly variants: readonly (readonly [mark: string, schema: Schema])[];
}

/** The schema apart from null, and its kinds. */
function resolve(schema: Schema): Resolved {
  const kinds = (schema.anyOf ?? []).filter(({ type }) => type !== "null");
  const [only] = kinds;
  if (only === undefined) return { schema, variants: [] };
  if (kinds.length === 1) return resolve(only);
  const marks = kinds.map(markOf);
  if (marks.includes(undefined)) return { schema: { ...schema, anyOf: kinds }, variants: [] };
  return { schema, variants: kinds.map((kind, at) => [marks[at] ?? "", kind] as const) };
}

function markOf({ properties = {} }: Schema): string | undefined {
  const [name, mark] = Object.entries(properties).find(([, member]) => typeof member.const === "string") ?? [];
  return name === undefined ? undefined : `${name}=${String(mark?.const)}`;
}

const choicesOf = ({ anyOf, enum: values, const: value }: Schema): readonly unknown[] =>
  values ?? anyOf?.map((one) => one.const) ?? [value];

const formsByType: Readonly<Record<string, Form>> = {
  integer: "number",
  number: "number",
  string: "text",
  boolean: "boolean",
  array: "list",
};

function formOf(given: Schema): Form {
  const { schema, variants } = resolve(given);
  if (variants.length > 0) return "object";
  const isChoice = schema.const !== undefined || schema.enum !== undefined;
  if (isChoice || schema.anyOf?.every((one) => one.const !== undefined) === true) return "choice";
  if (schema.properties !== undefined) return "object";
  if (memberOf(schema) !== undefined) return "record";
  return formsByType[schema.type ?? ""] ?? "any";
}

/** A place in a value where a field is, or could be. */
export interface Site {
  readonly owner: Record<string, unknown>;
  readonly key: string;
  /** The innermost list that contains it, and the index. */
  readonly list: readonly unknown[] | undefined;
  readonly at: number;
  /** The enclosing objects, the outermost first. */
  readonly owners: readonly Readonly<Record<string, unknown>>[];
}

/** Every place that the path leads to. */
export function sitesOf(value: unknown, path: Path): readonly Site[] {
  let sites: readonly Site[] = [{ owner: { value }, key: "value", list: undefined, at: 0, owners: [] }];
  for (const step of path) sites = sites.flatMap((site) => next(site, step));
  return sites;
}

/** The values at these places. */
export const valuesAt = (value: unknown, path: Path): readonly unknown[] =>
  sitesOf(value, path).map(({ owner, key }) => owner[key]);

function next(site: Site, step: string): readonly Site[] {
  const value = site.owner[site.key];
  if (typeof value !== "object" || value === null) return [];
  const owner = value as Record<string, unknown>;
  if (Array.isArray(value)) {
    const list = value as readonly unknown[];
    return step === "[]" ? list.map((_, at) => ({ owner, key: String(at), list, at, owners: site.owners })) : [];
  }
  const [, name, wanted] = /^<(.+)=(.+)>$/.exec(step) ?? [];
  if (name !== undefined) return owner[name] === wanted ? [site] : [];
  const below = { ...site, owner, owners: [...site.owners, owner] };
  if (step === "{}") return Object.keys(value).map((key) => ({ ...below, key }));
  return step === "[]" ? [] : [{ ...below, key: step }];
}
