/**
 * The contract of a route for tools: its documentation, and its input and output as JSON Schema.
 *
 *   { body: z.object({ sku: z.string() }), responses: { 204: null } }, and the shared parts of its groups
 *     ──▶ { body: { kind: "json", schema: { type: "object", … } }, responses: { 204: null } }
 *
 * Bounded data that JSON can carry. A schema without a JSON Schema, or one that cannot be given, is null and not an error.
 *
 * Spec: spec/devtools.md
 */
import type { Contract, RouteDocs } from "../contract/contract.ts";
import { docsOf } from "../contract/docs.ts";
import {
  isForm,
  isMultipart,
  jsonSchemaOf,
  type JsonSchemaOf,
  type JsonSchemaSource,
  type Side,
} from "../contract/json-schema.ts";
import { isResponseBody, type ResponseBody, type ResponseBodyKind } from "../contract/declared-body.ts";
import type { Schema } from "../contract/schema.ts";
import { contractsOf, type RouteDefinition } from "./registration.ts";

/** One part of a contract. */
export interface ContractPart {
  /** A JSON Schema, draft 2020-12, with references into itself. Null when there is none. */
  readonly schema: JsonSchemaSource | null;
}

/** A file in a form, or a list of them when its schema is an array's. */
export interface ContractFile {
  readonly schema: JsonSchemaSource;
  readonly isRequired: boolean;
}

/** The body that a contract declares. */
export interface ContractBody extends ContractPart {
  /** In a form, values are texts or lists of them. In a multipart form also files. */
  readonly kind: "json" | "form" | "multipart";
  /** The files of a multipart form, by name. */
  readonly files?: Readonly<Record<string, ContractFile>> | undefined;
}

/** A declared response. */
export interface ContractResponse extends ContractPart {
  /** Absent for a value of a schema. `schema` is that of each row of a stream. */
  readonly kind?: ResponseBodyKind | undefined;
  /** The Content-Type of a text, bytes, a stream or events. */
  readonly type?: string | undefined;
  /** The data of each event, by event name. */
  readonly events?: Readonly<Record<string, ContractPart>> | undefined;
}

/** The declared messages of a WebSocket. */
export interface ContractMessages {
  readonly incoming?: ContractPart | undefined;
  readonly outgoing?: ContractPart | undefined;
}

/** The declarations of a route and its groups, as data. Undeclared parts are absent. */
export interface RouteContract extends Omit<RouteDocs, "meta" | "deprecated"> {
  readonly deprecated?: boolean | undefined;
  readonly params?: ContractPart | undefined;
  readonly query?: ContractPart | undefined;
  /** By lower-case name. */
  readonly headers?: ContractPart | undefined;
  readonly cookies?: ContractPart | undefined;
  readonly body?: ContractBody | undefined;
  /** By status. Null when no content is declared. */
  readonly responses?: Readonly<Record<string, ContractResponse | null>> | undefined;
  /** Of a WebSocket. */
  readonly messages?: ContractMessages | undefined;
}

/** Maximum number of values in a schema. A larger one is not given. */
const maxValues = 5_000;

/** Schemas are converted once, since a route does not change after it was registered. */
const known = new WeakMap<
  RouteDefinition,
  { readonly by: JsonSchemaOf | undefined; readonly contract: RouteContract }
>();

/** The contract of a route, or undefined when it and its groups declare nothing. */
export function routeContract(route: RouteDefinition, convert?: JsonSchemaOf): RouteContract | undefined {
  const before = known.get(route);
  const contract = before?.by === convert && before !== undefined ? before.contract : contractOf(route, convert);
  known.set(route, { by: convert, contract });
  return Object.keys(contract).length === 0 ? undefined : contract;
}

function contractOf(route: RouteDefinition, convert: JsonSchemaOf | undefined): RouteContract {
  const told: Told = (schema, side) => toldBy(schema, side, convert);
  const { operationId, body } = route.options;
  const contracts = contractsOf(route);
  const responses = contracts.flatMap((one) => Object.entries(one.responses ?? {}));
  const parts = (["params", "query", "headers", "cookies"] as const).flatMap((name) => {
    const schemas = contracts.flatMap((one) => one[name] ?? []);
    return schemas.length === 0 ? [] : [[name, { schema: all(schemas.map((one) => told(one, "input"))) }] as const];
  });
  return {
    ...(operationId === undefined ? {} : { operationId }),
    ...docsOf(contracts),
    ...Object.fromEntries(parts),
    ...(body === undefined ? {} : { body: bodyOf(body, told) }),
    ...(responses.length === 0
      ? {}
      : { responses: Object.fromEntries(responses.map((response) => responseOf(response, told))) }),
    ...messagesOf(route.options, told),
  };
}

function bodyOf(body: NonNullable<Contract["body"]>, told: Told): ContractBody {
  if (!isForm(body)) return { kind: "json", schema: told(body, "input") };
  const schema = told(body.form, "input");
  return isMultipart(body) ? { kind: "multipart", schema, files: body.multipart.files } : { kind: "form", schema };
}

function responseOf(
  [status, declared]: [string, Schema | ResponseBody | null],
  told: Told,
): [string, ContractResponse | null] {
  if (declared === null) return [status, null];
  if (!isResponseBody(declared)) return [status, { schema: told(declared, "output") }];
  const { "~body": kind, type, row, events } = declared;
  const schema = row === undefined ? null : told(row, "output");
  const parts = Object.entries(events ?? {}).map(([name, of]) => [name, { schema: told(of, "output") }] as const);
  return [
    status,
    {
      schema,
      kind,
      ...(type === "" ? {} : { type }),
      ...(events === undefined ? {} : { events: Object.fromEntries(parts) }),
    },
  ];
}

function messagesOf({ incoming, outgoing }: Contract, told: Told): { readonly messages?: ContractMessages } {
  if (incoming === undefined && outgoing === undefined) return {};
  return {
    messages: {
      ...(incoming === undefined ? {} : { incoming: { schema: told(incoming, "input") } }),
      ...(outgoing === undefined ? {} : { outgoing: { schema: told(outgoing, "output") } }),
    },
  };
}

type Told = (schema: Schema, side: Side) => JsonSchemaSource | null;

/** The JSON Schema of a schema as plain data. Null when there is none, or it is not data, or is endless. */
function toldBy(schema: Schema, side: Side, convert: JsonSchemaOf | undefined): JsonSchemaSource | null {
  let left = maxValues;
  const counted = (_key: string, value: unknown): unknown => {
    left -= 1;
    if (left < 0) throw new RangeError(`a schema of more than ${maxValues} values`);
    return value;
  };
  try {
    const found = jsonSchemaOf(schema, side, convert);
    return found === undefined ? null : (JSON.parse(JSON.stringify(found, counted)) as JsonSchemaSource);
  } catch {
    return null; // its library threw, or it is circular, or too large
  }
}

/** One schema for a value that all of them accept, as far as known. Each leaves the others' names to them. */
function all(schemas: readonly (JsonSchemaSource | null)[]): JsonSchemaSource | null {
  const found = schemas.filter((one) => one !== null);
  if (found.length < 2) return found[0] ?? null;
  const open = found.map((one) => Object.fromEntries(Object.entries(one).filter(([name, of]) => !isClosing(name, of))));
  return { allOf: open.map((one, at) => moved(one, `#/allOf/${at}`)) };
}

const isClosing = (keyword: string, of: unknown): boolean => keyword === "additionalProperties" && of === false;

/** A schema moved to that place of another one. Its references still point into itself. */
function moved(value: unknown, place: string): unknown {
  if (Array.isArray(value)) return value.map((item) => moved(item, place));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, inner]) => {
    const isReference = key === "$ref" && typeof inner === "string" && inner.startsWith("#");
    return [key, isReference ? place + inner.slice(1) : moved(inner, place)] as const;
  });
  return Object.fromEntries(members);
}
