/**
 * The OpenAPI document of an app: its routes, their contracts, and the problems that can occur.
 *
 *   app.about.declaredRoutes() ──▶ openApi ──▶ { openapi: "3.2.0", paths: { "/orders": { query: … } }, components }
 */
import type { Contract, DeclaredRoute, RouteDocs } from "../contract/contract.ts";
import { docsOf } from "../contract/docs.ts";
import type { MultipartReader } from "../contract/form-body.ts";
import { formType, isForm, isMultipart, type JsonSchemaSource, mayBeMissing } from "../contract/json-schema.ts";
import type { Schema } from "../contract/schema.ts";
import { reasonPhrase } from "../internal/http-rules.ts";
import { usageError } from "../internal/usage-errors.ts";
import { problemSchemas } from "./problems.ts";
import { type JsonSchemaOf, Schemas } from "./schemas.ts";

export type { JsonSchemaOf } from "./schemas.ts";

/** A document, ready for JSON. */
export type OpenApiDocument = Readonly<Record<string, unknown>>;

/** Contents of the document other than the routes. */
export interface OpenApiOptions {
  readonly info: Readonly<{ title: string; version: string } & Record<string, unknown>>;
  /** Default 3.2, which knows QUERY. In 3.1 operations of QUERY are under `x-query`, for older tools. */
  readonly version?: "3.1" | "3.2" | undefined;
  readonly servers?: readonly Readonly<{ url: string } & Record<string, unknown>>[] | undefined;
  readonly tags?: readonly Readonly<{ name: string } & Record<string, unknown>>[] | undefined;
  /** The schemes that `security` refers to, by name, as OpenAPI's Security Scheme Objects. */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>> | undefined;
  /** The security of every operation that declares none. */
  readonly security?: RouteDocs["security"];
  /** The schema of error responses without a contract, if `app.onError` gives them a different format. Default: a problem. */
  readonly errorBody?: Schema | undefined;
  /**
   * For schemas without their own JSON Schema, e.g. `toJsonSchema` of `@valibot/to-json-schema`. Default: that of
   * `Framework.create`.
   */
  readonly jsonSchemaOf?: JsonSchemaOf | undefined;
  /** Leaves routes out, such as those of a host's tools, or of another document. */
  readonly include?: ((route: DeclaredRoute) => boolean) | undefined;
}

/** How a client authenticates (OpenAPI 3.2, §4.30). */
export type SecurityScheme = (
  | { readonly type: "http"; readonly scheme: string; readonly bearerFormat?: string | undefined }
  | { readonly type: "apiKey"; readonly in: "query" | "header" | "cookie"; readonly name: string }
  | { readonly type: "mutualTLS" }
  | { readonly type: "oauth2"; readonly flows: Readonly<Record<string, object>> }
  | { readonly type: "openIdConnect"; readonly openIdConnectUrl: string }
) & { readonly description?: string | undefined };

/** The required fields of each type of scheme. */
const schemeFields: Readonly<Record<SecurityScheme["type"], readonly string[]>> = {
  http: ["scheme"],
  apiKey: ["in", "name"],
  mutualTLS: [],
  oauth2: ["flows"],
  openIdConnect: ["openIdConnectUrl"],
};

/** An object with declared routes: an app, or a list of them. */
export type RouteSource = { readonly about: { declaredRoutes(): readonly DeclaredRoute[] } } | readonly DeclaredRoute[];

/** The fields of a Path Item Object (OpenAPI 3.2, §4.9) by method. */
const fields: Readonly<Record<string, string>> = {
  GET: "get",
  PUT: "put",
  POST: "post",
  DELETE: "delete",
  OPTIONS: "options",
  HEAD: "head",
  PATCH: "patch",
  TRACE: "trace",
  QUERY: "query",
};

/**
 * The document of an app.
 *
 * @throws TypeError naming the route and the part when a schema has no JSON Schema, a security scheme is not declared, or two
 * operations have one id.
 */
export function openApi(source: RouteSource, options: OpenApiOptions): OpenApiDocument {
  const { info, version = "3.2", servers, tags, securitySchemes = {}, security, include = () => true } = options;
  const routes = ("about" in source ? source.about.declaredRoutes() : source).filter(
    (route) => route.upgrades !== true && include(route),
  );
  const schemas = new Schemas(options.jsonSchemaOf ?? routes[0]?.jsonSchemaOf);
  const problem =
    options.errorBody === undefined
      ? problemSchemas(schemas)
      : schemas.of("the errorBody of the document", options.errorBody, "output");
  const ids = new OperationIds(routes);
  checkSchemes(securitySchemes);
  checkSecurity("the document", [{ security }], securitySchemes);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
    checkSecurity(`${route.method} ${route.path}`, route.contracts, securitySchemes);
    const item = (paths[templateOf(route.path)] ??= {});
    const operation = operationOf(route, ids.of(route), schemas, problem);
    const field = fields[route.method];
    if (field === undefined || (field === "query" && version === "3.1")) {
      const name = version === "3.1" ? `x-${route.method.toLowerCase()}` : undefined;
      if (name !== undefined) item[name] = operation;
      else
        item["additionalOperations"] = {
          ...(item["additionalOperations"] as object | undefined),
          [route.method]: operation,
        };
    } else item[field] = operation;
  }
  const hidden = version === "3.1" && routes.some(({ method }) => method === "QUERY");
  return {
    openapi: version === "3.1" ? "3.1.1" : "3.2.0",
    info: hidden ? { ...info, description: withQueryNote(info["description"]) } : info,
    ...(servers === undefined ? {} : { servers }),
    ...(tags === undefined ? {} : { tags }),
    ...(security === undefined ? {} : { security }),
    paths,
    components: { schemas: schemas.components, ...(options.securitySchemes === undefined ? {} : { securitySchemes }) },
  };
}

const queryNote =
  "Operations of the method QUERY (RFC 10008) stand under `x-query`: OpenAPI 3.1 has no field for them.";
const withQueryNote = (description: unknown): string =>
  typeof description === "string" ? `${description}\n\n${queryNote}` : queryNote;

function operationOf(
  route: DeclaredRoute,
  operationId: string,
  schemas: Schemas,
  problem: JsonSchemaSource,
): Record<string, unknown> {
  const where = `${route.method} ${route.path}`;
  const docs = docsOf(route.contracts);
  const body = route.contracts.findLast((one) => one.body !== undefined)?.body;
  const parameters = [
    ...pathParameters(where, route, schemas),
    ...(["query", "headers", "cookies"] as const).flatMap((part) =>
      parametersOf(where, route.contracts, part, schemas),
    ),
  ];
  return {
    operationId,
    ...docs,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(where, route, body, schemas) }),
    responses: responsesOf(where, route, body !== undefined, schemas, problem),
    ...(route.method === "QUERY" && route.accept !== undefined ? { "x-accept-query": route.accept } : {}),
  };
}

const placeOf = { params: "path", query: "query", headers: "header", cookies: "cookie" } as const;
type ParameterPart = keyof typeof placeOf;

/** Every path parameter is included, as a text unless a contract declares it. */
function pathParameters(where: string, route: DeclaredRoute, schemas: Schemas): unknown[] {
  const declared = new Map(
    parametersOf(where, route.contracts, "params", schemas).map((one) => [one["name"], one] as const),
  );
  return route.pathParams.map(
    (name) => declared.get(name) ?? { name, in: "path", required: true, schema: { type: "string" } },
  );
}

function parametersOf(
  where: string,
  contracts: readonly Contract[],
  part: ParameterPart,
  schemas: Schemas,
): Readonly<Record<string, unknown>>[] {
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  for (const contract of contracts) {
    if (contract[part] === undefined) continue;
    const what = `${where}: its ${part}`;
    const schema = objectOf(what, schemas.of(what, contract[part], "input", true), schemas);
    const required = new Set(Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : []);
    for (const [name, property] of Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchemaSource>))
      found.set(name, {
        name,
        in: placeOf[part],
        required: part === "params" || required.has(name),
        ...(typeof property["description"] === "string" ? { description: property["description"] } : {}),
        schema: property,
      });
  }
  return [...found.values()];
}

/** The schema of an object, because parameters have names. */
function objectOf(what: string, schema: JsonSchemaSource, schemas: Schemas): JsonSchemaSource {
  const found = schemas.followed(schema);
  if (found["properties"] !== undefined || found["type"] === "object") return found;
  throw usageError("CONTRACT_INVALID", `${what} has a JSON Schema without properties: parameters need names`);
}

function requestBody(
  where: string,
  route: DeclaredRoute,
  body: NonNullable<Contract["body"]>,
  schemas: Schemas,
): Record<string, unknown> {
  const isOfForm = isForm(body);
  const schema = schemas.of(`${where}: its body`, isOfForm ? body.form : body, "input", isOfForm);
  const multipart = isMultipart(body) ? body.multipart : undefined;
  const types = isOfForm ? [formType(body)] : (route.accept ?? ["application/json"]);
  const whole = multipart === undefined ? schema : withFiles(schemas.followed(schema), multipart);
  const media = { schema: whole, ...(route.example === undefined ? {} : { example: route.example }) };
  const required = multipart !== undefined || !mayBeMissing(isOfForm ? body.form : body);
  return { required, content: Object.fromEntries(types.map((type) => [type, media])) };
}

/** The schema of a form's fields together with its files. */
function withFiles(fields: JsonSchemaSource, { files }: MultipartReader<unknown>): JsonSchemaSource {
  const all = Object.entries(files);
  const required = Array.isArray(fields["required"]) ? (fields["required"] as string[]) : [];
  return {
    ...fields,
    type: "object",
    properties: {
      ...(fields["properties"] as JsonSchemaSource | undefined),
      ...Object.fromEntries(all.map(([name, { schema }]) => [name, schema])),
    },
    required: [...required, ...all.flatMap(([name, { isRequired }]) => (isRequired ? name : []))],
  };
}

function responsesOf(
  where: string,
  route: DeclaredRoute,
  hasBody: boolean,
  schemas: Schemas,
  problem: JsonSchemaSource,
): Record<string, unknown> {
  const responses: Record<string, unknown> = {};
  for (const { responses: declared = {} } of route.contracts)
    for (const [status, schema] of Object.entries(declared))
      responses[status] = {
        description: phraseOf(Number(status)),
        ...(schema === null
          ? {}
          : contentOf(schemas.of(`${where}: its response ${status}`, schema, "output"), status, schemas)),
      };
  const hasInput = route.contracts.some(partsOf);
  const own = { 400: hasBody || hasInput, 413: hasBody, 415: hasBody, 422: hasInput };
  for (const [status, happens] of Object.entries(own))
    if (happens && responses[status] === undefined)
      responses[status] = { description: phraseOf(Number(status)), ...contentOf(problem, status, schemas) };
  // An undeclared response has no schema. It may be JSON, a text, a file, events or a redirect.
  if (Object.keys(responses).every((status) => !status.startsWith("2") && !status.startsWith("3"))) {
    responses["2XX"] = { description: "What the handler returns" };
    responses["3XX"] = { description: "Where the handler redirects to" };
  }
  if (Object.keys(responses).every((status) => !status.startsWith("4")))
    responses["4XX"] = { description: "Any other problem of the request", ...contentOf(problem, "4XX", schemas) };
  responses["default"] = { description: "Any other problem", ...contentOf(problem, "default", schemas) };
  return responses;
}

const partsOf = (contract: Contract): boolean =>
  [contract.params, contract.query, contract.headers, contract.cookies, contract.body].some(
    (part) => part !== undefined,
  );

/**
 * A string that a handler returns is a text, and one passed to `ctx.reply` is JSON, so both are declared. Anything else is
 * JSON.
 */
function contentOf(schema: JsonSchemaSource, status: string, schemas: Schemas): object {
  const properties = (schemas.followed(schema)["properties"] ?? {}) as JsonSchemaSource;
  const isProblem = status >= "400" && "title" in properties && "status" in properties;
  const json = { [isProblem ? "application/problem+json" : "application/json"]: { schema } };
  if (!mayBe("string", schema, schemas)) return { content: json };
  if (!mayBe("no string", schema, schemas)) return { content: { "text/plain": { schema }, ...json } };
  return { content: { ...json, "text/plain": { schema: { type: "string" } } } };
}

/**
 * May a value of that schema be a string, or a non-string? @param seen the references that led here, since one that leads to
 * itself proves nothing
 */
function mayBe(
  what: "string" | "no string",
  schema: JsonSchemaSource,
  schemas: Schemas,
  seen: readonly unknown[] = [],
): boolean {
  const { $ref: ref, type, anyOf, oneOf, allOf } = schema;
  const fits = (one: unknown): boolean => (one === "string") === (what === "string");
  const inner = (one: unknown): boolean =>
    typeof one === "object" ? mayBe(what, one as JsonSchemaSource, schemas, [...seen, ref]) : one === true;
  const values = "const" in schema ? [schema["const"]] : schema["enum"];
  const objectOrList = ["properties", "additionalProperties", "items", "prefixItems"].some((name) => name in schema);
  return (
    (ref === undefined ||
      seen.includes(ref) ||
      schemas.followed(schema) === schema ||
      inner(schemas.followed(schema))) &&
    (!Array.isArray(values) || values.some((one) => fits(typeof one))) &&
    (type === undefined ? !objectOrList || what === "no string" : [type].flat().some(fits)) &&
    [anyOf, oneOf].every((list) => !Array.isArray(list) || list.some(inner)) &&
    (!Array.isArray(allOf) || allOf.every(inner))
  );
}

/** `/files/*path` as OpenAPI writes it: `/files/{path}`. */
const templateOf = (path: string): string => path.replace(/\/\*([^/]+)$/, "/{$1}");

/** A name for each operation: its own, or one made of method and path. */
class OperationIds {
  readonly #byRoute: Map<DeclaredRoute, string> = new Map();

  constructor(routes: readonly DeclaredRoute[]) {
    const taken = new Set<string>();
    const declared = (route: DeclaredRoute): string | undefined => route.contracts.at(-1)?.operationId;
    for (const route of routes) {
      const id = declared(route);
      if (id !== undefined) this.#byRoute.set(route, id);
      if (id !== undefined && taken.size === taken.add(id).size)
        throw usageError("CONTRACT_INVALID", `two operations have the operationId ${JSON.stringify(id)}`);
    }
    for (const route of routes) {
      if (declared(route) !== undefined) continue;
      const made = madeId(route);
      let id = made;
      for (let number = 2; taken.has(id); number += 1) id = `${made}${number}`;
      taken.add(id);
      this.#byRoute.set(route, id);
    }
  }

  of(route: DeclaredRoute): string {
    return this.#byRoute.get(route) ?? madeId(route);
  }
}

/** `getOrdersByIdLines` of `GET /orders/{id}/lines`. */
function madeId({ method, path }: DeclaredRoute): string {
  const words = path.split("/").flatMap((segment) => {
    const name = segment.replaceAll(/[{}*]/g, "");
    const capital = name.replaceAll(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
    return /[{*]/.test(segment) ? `By${capital}` : capital;
  });
  return method.toLowerCase() + words.join("");
}

/** @throws TypeError when a scheme has an unknown type, or lacks a field that its type requires. */
function checkSchemes(schemes: Readonly<Record<string, SecurityScheme>>): void {
  for (const [name, scheme] of Object.entries(schemes)) {
    const needed = Object.hasOwn(schemeFields, scheme.type) ? schemeFields[scheme.type] : undefined;
    const lacking = needed === undefined ? "type" : needed.find((field) => Reflect.get(scheme, field) === undefined);
    if (lacking === undefined) continue;
    const allowed =
      needed === undefined ? Object.keys(schemeFields).join(", ") : `${scheme.type} needs ${needed.join(", ")}`;
    const sentence = `the security scheme ${JSON.stringify(name)} has no ${lacking} that is allowed: ${allowed}`;
    throw usageError("CONTRACT_INVALID", sentence);
  }
}

/** @throws TypeError when an undeclared scheme is named. */
function checkSecurity(
  where: string,
  contracts: readonly Pick<RouteDocs, "security">[],
  schemes: Readonly<Record<string, SecurityScheme>>,
): void {
  for (const { security = [] } of contracts)
    for (const name of security.flatMap((requirement) => Object.keys(requirement)))
      if (!Object.hasOwn(schemes, name))
        throw usageError(
          "CONTRACT_INVALID",
          `${where}: its security names ${JSON.stringify(name)}, which is none of securitySchemes`,
        );
}

const phrases: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  206: "Partial Content",
  303: "See Other",
  304: "Not Modified",
};
const phraseOf = (status: number): string =>
  status >= 400 ? reasonPhrase(status) : (phrases[status] ?? `Status ${status}`);
