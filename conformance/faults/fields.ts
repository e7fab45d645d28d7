/**
 * The fields of a shape, and the places at which they stand in a value.
 *
 *   Trace ──▶ startedAt · calls[].method · leaves[]<kind=sql>.detail.rows · request.headers{}[]
 */

import type { TSchema } from "typebox";

/** As much of JSON Schema as the shapes of spec/ are written in. */
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

/** What a field holds. */
export type Form = "number" | "text" | "boolean" | "choice" | "list" | "record" | "object" | "any";

/** The way to a field: a name, `[]` each item, `{}` each member of any name, `<kind=sql>` only what is of that kind. */
export type Path = readonly string[];

/** One field of a shape. */
export interface Field {
  readonly path: Path;
  readonly form: Form;
  /** Of a choice: what there is to choose from. */
  readonly choices: readonly unknown[];
  /** A member beside it that holds the same form. */
  readonly sibling: string | undefined;
  /** Of a record: has the shape a say in what its members are called? */
  readonly isNamed: boolean;
}

/** Every field of a shape, those within fields too. */
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

/** The way to each object of a shape, itself included. */
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

/** What the members of a record are; undefined where it is none. */
function memberOf({ properties, additionalProperties }: Schema): Schema | undefined {
  return properties === undefined && additionalProperties !== false ? additionalProperties : undefined;
}

/** The path as it is read. */
export function pathText(path: Path): string {
  return path.map((step) => (/^[[{<]/.test(step) ? step : `.${step}`)).join("");
}

function withBelow(schema: Schema, path: Path, sibling?: string): readonly Field[] {
  const form = formOf(schema);
  const choices = form === "choice" ? choicesOf(resolve(schema).schema) : [];
  const isItem = /^[[{]/.test(path.at(-1) ?? "");
  // A choice of one is no choice: `<kind=sql>.kind` is sql wherever it stands.
  const isField = !(isItem && form === "object") && choices.length !== 1;
  const isNamed = resolve(schema).schema.propertyNames?.pattern?.startsWith("^[a-z]") === true;
  return [...(isField ? [{ path, form, choices, sibling, isNamed }] : []), ...fieldsBelow(schema, path)];
}

/** The next member of the same form, around the end. */
function siblingOf(name: string, members: readonly (readonly [string, Schema])[]): string | undefined {
  const at = members.findIndex(([other]) => other === name);
  const form = formOf(members[at]?.[1] ?? {});
  if (form === "object" || form === "choice" || form === "list") return undefined;
  const around = [...members.slice(at + 1), ...members.slice(0, at)];
  return around.find(([, other]) => formOf(other) === form)?.[0];
}

interface Resolved {
  readonly schema: Schema;
  /** Shapes to choose from, each with the member that tells it from the others. */
  readonly variants: readonly (readonly [mark: string, schema: Schema])[];
}

/** What a schema is besides null, and which kinds of it there are. */
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

/** A place at which a field stands, or could stand, in a value. */
export interface Site {
  readonly owner: Record<string, unknown>;
  readonly key: string;
  /** The innermost list that it stands in, and where. */
  readonly list: readonly unknown[] | undefined;
  readonly at: number;
  /** The objects around it, the outermost first. */
  readonly owners: readonly Readonly<Record<string, unknown>>[];
}

/** Every place to which the path leads. */
export function sitesOf(value: unknown, path: Path): readonly Site[] {
  let sites: readonly Site[] = [{ owner: { value }, key: "value", list: undefined, at: 0, owners: [] }];
  for (const step of path) sites = sites.flatMap((site) => next(site, step));
  return sites;
}

/** What stands there. */
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
