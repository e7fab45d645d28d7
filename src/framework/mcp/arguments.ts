/**
 * The arguments of a tool: their JSON Schema, and the request that they stand for.
 *
 *   { id: "7", from: "2026-01-01", sku: "a" } ──▶ PUT /orders/7/lines?from=2026-01-01 {"sku":"a"}
 *
 * Parameters are arguments of their own name. The members of a body are too, when the body is an object and no name is taken
 * twice. Otherwise the body is the argument `body`. Rules about several members, such as `anyOf`, hold for the arguments of a
 * route without parameters. A name that two parts of the request have gets the part in front
 * (`query_id`). Values are not checked here: the route's contract does that, as for any request.
 *
 * A header that authenticates, names a host or belongs to a connection is never an argument (carried.ts).
 */
import type { Contract, DeclaredRoute } from "../contract/contract.ts";
import { formType, isForm, type JsonSchemaSource, mayBeMissing } from "../contract/json-schema.ts";
import type { Schemas } from "../contract/named-schemas.ts";
import { type Parameter, parametersOf, pathParameters } from "../contract/parameters.ts";
import { mayBeArgument } from "./carried.ts";

/** The arguments of a call, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The request of a call, without the headers that its caller has sent. */
export interface CallRequest {
  readonly target: string;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
  readonly contentType: string | undefined;
}

/** The arguments of one tool. */
export interface ToolArguments {
  readonly schema: JsonSchemaSource;
  /** The request of a call, or a sentence that says which argument cannot be sent. */
  requestOf(given: Arguments): CallRequest | string;
}

/** An argument, and its place in the request. */
type Argument = Parameter & { readonly argument: string };

/** How a body is sent. */
interface BodyArgument {
  readonly schema: JsonSchemaSource;
  readonly isForm: boolean;
  readonly isOptional: boolean;
  /** Are its members arguments? Otherwise it is the argument `body`. */
  readonly isFlat: boolean;
  /** Is its schema the one of all arguments? */
  readonly isWhole: boolean;
}

/** The arguments of a route. @throws TypeError when a schema has no JSON Schema. */
export function argumentsOf(where: string, route: DeclaredRoute, schemas: Schemas): ToolArguments {
  const declared = [
    ...pathParameters(where, route, schemas),
    ...parametersOf(where, route.contracts, "query", schemas),
    ...parametersOf(where, route.contracts, "headers", schemas).filter(({ name }) => mayBeArgument(name)),
  ];
  const args = named(declared);
  const body = bodyOf(where, route.contracts.at(-1)?.body, args, schemas);
  const path = segmentsOf(route.path);
  return { schema: schemaOf(args, body, schemas), requestOf: (given) => requestOf(path, args, body, given) };
}

/** Each parameter with a name of its own. `body` is never one. */
function named(declared: readonly Parameter[]): Argument[] {
  const isTaken = (name: string): boolean => name === "body" || declared.filter((one) => one.name === name).length > 1;
  return declared.map((one) => ({ ...one, argument: isTaken(one.name) ? `${one.in}_${one.name}` : one.name }));
}

function bodyOf(
  where: string,
  declared: Contract["body"],
  args: readonly Argument[],
  schemas: Schemas,
): BodyArgument | undefined {
  if (declared === undefined) return undefined;
  const inner = isForm(declared) ? declared.form : declared;
  const schema = schemas.of(`${where}: its body`, inner, "input", isForm(declared));
  const isOptional = mayBeMissing(inner);
  const followed = schemas.followed(schema);
  const members = membersOf(followed);
  const isWhole = members === undefined && followed["type"] === "object" && args.length === 0 && !isOptional;
  const isFlat = members?.every((name) => !args.some(({ argument }) => argument === name)) ?? isWhole;
  return { schema, isForm: isForm(declared), isOptional, isFlat, isWhole };
}

/** What a schema of an object may have, if its members are to be arguments. */
const plain: ReadonlySet<string> = new Set(
  "$id $schema additionalProperties description examples id properties required title type".split(" "),
);

/** The names of an object's members. Undefined when the schema says more about it than that. */
function membersOf(schema: JsonSchemaSource): string[] | undefined {
  const { type, properties, additionalProperties } = schema;
  const isPlain =
    type === "object" && typeof properties === "object" && Object.keys(schema).every((key) => plain.has(key));
  const isFree = typeof additionalProperties !== "object" || Object.keys(additionalProperties ?? {}).length === 0;
  return isPlain && isFree ? Object.keys(properties ?? {}) : undefined;
}

function schemaOf(args: readonly Argument[], body: BodyArgument | undefined, schemas: Schemas): JsonSchemaSource {
  const { components } = schemas;
  const $defs = Object.keys(components).length === 0 ? {} : { $defs: components };
  const flat = body?.isFlat === true ? schemas.followed(body.schema) : {};
  if (body?.isWhole === true) return { ...flat, ...$defs };
  const whole = body === undefined || body.isFlat ? [] : [["body", body.schema] as const];
  const required = [
    ...args.filter((one) => one.required).map(({ argument }) => argument),
    ...(Array.isArray(flat["required"]) && body?.isOptional !== true ? (flat["required"] as string[]) : []),
    ...(whole.length === 0 || body?.isOptional === true ? [] : ["body"]),
  ];
  const isOpen = body?.isFlat === true && flat["additionalProperties"] !== false;
  const properties = [
    ...args.map(({ argument, schema }) => [argument, schema] as const),
    ...Object.entries((flat["properties"] ?? {}) as JsonSchemaSource),
    ...whole,
  ];
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    ...(isOpen ? {} : { additionalProperties: false }),
    ...$defs,
  };
}

function requestOf(
  path: readonly Segment[],
  args: readonly Argument[],
  body: BodyArgument | undefined,
  given: Arguments,
): CallRequest | string {
  let query: URLSearchParams | undefined;
  const headers = new Map<string, string>();
  const values = new Map<string, string>();
  const rest = new Map(Object.entries(given));
  for (const { argument, name, in: place } of args) {
    const value = rest.get(argument);
    rest.delete(argument);
    if (value === undefined || value === null) continue;
    if (place === "query")
      for (const one of [value].flat()) (query ??= new URLSearchParams()).append(name, textOf(one));
    else if (place === "path") values.set(name, textOf(value));
    else if (isFieldValue(textOf(value))) headers.set(name.toLowerCase(), textOf(value));
    else return `the argument ${argument} has characters that no header can hold`;
  }
  const target = targetOf(path, values);
  if (typeof target !== "string") return `the argument ${target.lacking} is missing or empty`;
  const isOfBody = (one: string): boolean => body?.isFlat === true || (body !== undefined && one === "body");
  const unknown = [...rest.keys()].find((one) => !isOfBody(one));
  if (unknown !== undefined) return `there is no argument ${JSON.stringify(unknown.slice(0, 100))}`;
  const { body: text, contentType } = sentBody(body, rest);
  return { target: query === undefined ? target : `${target}?${query}`, headers, body: text, contentType };
}

function sentBody(
  body: BodyArgument | undefined,
  rest: ReadonlyMap<string, unknown>,
): Pick<CallRequest, "body" | "contentType"> {
  const value = body?.isFlat === true ? Object.fromEntries(rest) : rest.get("body");
  const isMissing = body?.isFlat === true ? rest.size === 0 && body.isOptional : value === undefined;
  if (isMissing) return { body: undefined, contentType: undefined };
  return body?.isForm === true
    ? { body: formOf(value), contentType: formType({}) }
    : { body: JSON.stringify(value), contentType: "application/json" };
}

function formOf(value: unknown): string {
  const form = new URLSearchParams();
  for (const [name, all] of Object.entries(Object(value) as object))
    for (const one of [all].flat()) form.append(name, textOf(one));
  return form.toString();
}

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);

const isFieldValue = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);

/** A part of a path: as it is sent, or the name of its value, which may have several parts. */
type Segment = string | { readonly key: string; readonly isRest: boolean };

const segmentsOf = (pattern: string): readonly Segment[] =>
  pattern.split("/").map((segment) => {
    const [, one, rest] = /^(?:\{(.+)\}|\*(.+))$/.exec(segment) ?? [];
    const key = one ?? rest;
    return key === undefined ? encoded(segment) : { key, isRest: one === undefined };
  });

/** The path with its values, or the name of a value that it lacks. An empty one would be the path of another route. */
function targetOf(
  path: readonly Segment[],
  values: ReadonlyMap<string, string>,
): string | { readonly lacking: string } {
  const segments: string[] = [];
  for (const segment of path) {
    const value = typeof segment === "string" ? segment : (values.get(segment.key) ?? "");
    if (typeof segment === "string") segments.push(segment);
    else if (value === "") return { lacking: segment.key };
    else segments.push(segment.isRest ? value.split("/").map(encoded).join("/") : encoded(value));
  }
  return segments.join("/");
}

/** Percent-encoded. A lone surrogate, which no URL can hold, becomes U+FFFD. */
const encoded = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, "\uFFFD"));
