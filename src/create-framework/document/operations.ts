/**
 * The operations of a document, in any field, with their references resolved.
 *
 *   paths ──▶ get … query · additionalOperations · x-query (3.1) ──▶ { method, path, parameters, requestBody, responses }
 */
import { DocumentError } from "../errors.ts";
import { has, isJson, listIn, objectIn, textIn, type Json } from "./json.ts";

/** One operation. Its references are resolved. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly value: Json;
  /** The parameters of its path first, each place and name once. */
  readonly parameters: readonly Parameter[];
  readonly requestBody: Json | undefined;
  /** By status, `4XX` or `default`. */
  readonly responses: ReadonlyMap<string, Json>;
}

/** A parameter with a place and a name. */
export interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly isRequired: boolean;
  readonly value: Json;
}

const fixedFields = new Set(["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]);
const MAX_HOPS = 50;

/** The operations, in the document's order. @throws DocumentError naming an invalid part */
export function operationsOf(document: Json): readonly Operation[] {
  return Object.entries(objectIn(document["paths"])).flatMap(([path, given]) => {
    if (!path.startsWith("/"))
      return path.startsWith("x-") ? [] : reject(`the path ${quoted(path)} does not begin with /`);
    const item = followed(document, given);
    return methodsOf(item).map(([method, value]) =>
      operationOf(document, path, item, method, followed(document, value)),
    );
  });
}

/** The value, or the one that it refers to. @throws DocumentError if a reference leads nowhere, or out of the document */
export function followed(document: Json, value: unknown): Json {
  let at = objectIn(value);
  for (let hops = 0; typeof at["$ref"] === "string"; hops += 1) {
    if (hops > MAX_HOPS) return reject(`the reference ${quoted(at["$ref"])} leads in a circle`);
    at = objectIn(target(document, at["$ref"]));
  }
  return at;
}

/** The target of a reference. @throws DocumentError if there is none, or if it is in another document */
export function target(document: Json, reference: string): unknown {
  if (!reference.startsWith("#"))
    return reject(`it refers to ${quoted(reference)}, outside of the document: bundle it into one first`);
  let at: unknown = document;
  for (const part of pointerParts(reference)) {
    const isThere = isJson(at) ? has(at, part) : Array.isArray(at) && /^\d+$/.test(part) && Number(part) < at.length;
    if (!isThere) return reject(`it refers to ${quoted(reference)}, which is not there`);
    at = (at as Json)[part];
  }
  return at;
}

/** The target of a reference, or undefined if there is none, which the caller rejects. */
export function targetIfThere(document: Json, reference: string): unknown {
  try {
    return target(document, reference);
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
}

/** The steps of a reference such as `#/components/schemas/a~1b`. @throws DocumentError if it is not a pointer */
export function pointerParts(reference: string): readonly string[] {
  const pointer = reference.slice(1);
  if (pointer !== "" && !pointer.startsWith("/"))
    return reject(
      `it refers to ${quoted(reference)}: only references by a path, such as #/components/schemas/A, can be read`,
    );
  return pointer
    .split("/")
    .slice(1)
    .map((part) => decoded(part).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** An operation's name in sentences: `GET /orders`. */
export const nameOf = ({ method, path }: Pick<Operation, "method" | "path">): string => `${method} ${path}`;

function methodsOf(item: Json): readonly (readonly [method: string, value: unknown])[] {
  return Object.entries(item).flatMap(([field, value]) => {
    if (fixedFields.has(field)) return [[field.toUpperCase(), value] as const];
    if (field === "additionalOperations")
      return Object.entries(objectIn(value)).map(([name, one]) => [token(name), one] as const);
    // If 3.1 has no field for a method, its operation is an extension.
    const isHidden = field.startsWith("x-") && isJson(value) && isJson(value["responses"]);
    return isHidden ? [[token(field.slice(2).toUpperCase()), value] as const] : [];
  });
}

function operationOf(document: Json, path: string, item: Json, method: string, value: Json): Operation {
  const where = nameOf({ method, path });
  const byPlace = new Map<string, Parameter>();
  for (const one of [...listIn(item["parameters"]), ...listIn(value["parameters"])]) {
    const parameter = parameterOf(where, followed(document, one));
    byPlace.set(`${parameter.place} ${parameter.name}`, parameter);
  }
  const responses = Object.entries(objectIn(value["responses"])).filter(([status]) => !status.startsWith("x-"));
  for (const [status] of responses)
    if (!/^(?:[1-5](?:\d\d|XX)|default)$/i.test(status))
      reject(`${where} has a response ${quoted(status)}: that is no status`);
  return {
    method,
    path,
    value,
    parameters: [...byPlace.values()],
    requestBody: value["requestBody"] === undefined ? undefined : followed(document, value["requestBody"]),
    responses: new Map(
      responses.map(([status, one]) => [status.replace(/xx$/i, "XX"), followed(document, one)] as const),
    ),
  };
}

function parameterOf(where: string, value: Json): Parameter {
  const [name, place] = [textIn(value["name"]), textIn(value["in"])];
  if (name === undefined || place === undefined) return reject(`${where} has a parameter without a name or a place`);
  return { name, place, isRequired: place === "path" || value["required"] === true, value };
}

function token(name: string): string {
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) ? name : reject(`${quoted(name)} is no method`);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const quoted = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);

function reject(sentence: string): never {
  throw new DocumentError(`the document cannot be read: ${sentence}`);
}
