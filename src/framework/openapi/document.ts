/**
 * The OpenAPI document of an app: its routes, their contracts, and the problems that can occur.
 *
 *   app.about.declaredRoutes() ──▶ openApi ──▶ { openapi: "3.2.0", paths: { "/orders": { query: … } }, components }
 */
import type { Contract, DeclaredRoute, RouteDocs } from "../contract/contract.ts";
import { deprecationOf } from "../contract/deprecation.ts";
import { docsOf } from "../contract/docs.ts";
import type { MultipartReader } from "../contract/form-body.ts";
import { formType, isForm, isMultipart, type JsonSchemaSource, mayBeMissing } from "../contract/json-schema.ts";
import type { Schema } from "../contract/schema.ts";
import { madeId, parametersOf, pathParameters } from "../contract/parameters.ts";
import { usageError } from "../internal/usage-errors.ts";
import { problemSchemas } from "./problems.ts";
import { type ResponseSource, responsesOf, upgradeResponses } from "./responses.ts";
import { type JsonSchemaOf, Schemas } from "../contract/named-schemas.ts";

export type { JsonSchemaOf } from "../contract/named-schemas.ts";

/** A document, ready for JSON. */
export type OpenApiDocument = Readonly<Record<string, unknown>>;

/** Contents of the document other than the routes. */
export interface OpenApiOptions {
  readonly info: Readonly<{ title: string; version: string } & Record<string, unknown>>;
  /** Default 3.2, which knows QUERY. In 3.1 operations of QUERY are under `x-query`, for older tools. */
  readonly version?: "3.1" | "3.2" | undefined;
  readonly servers?: readonly Readonly<{ url: string } & Record<string, unknown>>[] | undefined;
  /** With `parent`, `kind` and `summary` as of OpenAPI 3.2. In 3.1 they are extensions. */
  readonly tags?: readonly Readonly<{ name: string } & Record<string, unknown>>[] | undefined;
  /** Requests that the service sends to its clients, by name. Their method is POST by default. */
  readonly webhooks?: Readonly<Record<string, Webhook>> | undefined;
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

/** A request that the service sends, as a contract: its body, and the responses that it expects. */
export interface Webhook extends Contract, RouteDocs {
  readonly method?: "POST" | "PUT" | "GET" | "DELETE" | "PATCH" | undefined;
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
  const { info, version = "3.2", servers, tags, webhooks, securitySchemes = {}, security } = options;
  const { include = () => true } = options;
  const routes = ("about" in source ? source.about.declaredRoutes() : source).filter(
    (route) => (route.upgrades !== true || hasMessages(route)) && include(route),
  );
  const schemas = new Schemas(options.jsonSchemaOf ?? routes[0]?.jsonSchemaOf);
  const problem =
    options.errorBody === undefined
      ? problemSchemas(schemas)
      : schemas.of("the errorBody of the document", options.errorBody, "output");
  const responseSource: ResponseSource = { schemas, problem, version };
  const ids = new OperationIds(routes);
  checkSchemes(securitySchemes);
  checkSecurity("the document", [{ security }], securitySchemes);
  const paths: Record<string, Record<string, unknown>> = {};
  const seen = new Set<string>();
  for (const route of routes.toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
    const place = `${route.method} ${route.path}`;
    checkSecurity(place, route.contracts, securitySchemes);
    const item = (paths[templateOf(route.path)] ??= {});
    const operation = operationOf(route, ids.of(route), responseSource);
    const field = fields[route.method];
    if (route.version !== undefined && seen.has(place)) throw usageError("CONTRACT_INVALID", severalVersions(route));
    seen.add(place);
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
    ...(tags === undefined ? {} : { tags: version === "3.1" ? tags.map(tagOf31) : tags }),
    ...(security === undefined ? {} : { security }),
    paths,
    ...(webhooks === undefined ? {} : { webhooks: webhooksOf(webhooks, responseSource) }),
    components: { schemas: schemas.components, ...(options.securitySchemes === undefined ? {} : { securitySchemes }) },
  };
}

const severalVersions = ({ method, path }: DeclaredRoute): string =>
  `${method} ${path} has several versions, and a document has one of them: include: (route) => ` +
  `route.version === undefined || route.version.name === "2"`;

/** The header that names the version. `Accept` is no parameter (OpenAPI 3.2, §4.12.1): its value is a type of the responses. */
function versionParameter({ version }: DeclaredRoute): readonly object[] {
  if (version === undefined || version.field === "Accept") return [];
  const { field, value, isDefault } = version;
  return [{ name: field, in: "header", required: !isDefault, schema: { const: value } }];
}

const queryNote =
  "Operations of the method QUERY (RFC 10008) stand under `x-query`: OpenAPI 3.1 has no field for them.";
const withQueryNote = (description: unknown): string =>
  typeof description === "string" ? `${description}\n\n${queryNote}` : queryNote;

/** The dates of a deprecation. No version of OpenAPI has fields for them. */
function deprecationFields(contracts: DeclaredRoute["contracts"]): object {
  const { since, sunset, link } = deprecationOf(contracts) ?? {};
  if (since === undefined) return {};
  const day = (date: Date | string): string => new Date(date).toISOString().slice(0, 10);
  return {
    "x-deprecated-since": day(since),
    ...(sunset === undefined ? {} : { "x-sunset": day(sunset) }),
    ...(link === undefined ? {} : { "x-deprecation-link": link }),
  };
}

/** Does a WebSocket route declare its messages? */
const hasMessages = ({ contracts }: DeclaredRoute): boolean =>
  contracts.some(({ incoming, outgoing }) => incoming !== undefined || outgoing !== undefined);

/** The messages of a WebSocket route. No version of OpenAPI has a field for them. */
function messagesOf(where: string, { contracts }: DeclaredRoute, schemas: Schemas): Record<string, unknown> {
  const { incoming, outgoing } = contracts.at(-1) ?? {};
  return {
    ...(incoming === undefined ? {} : { incoming: schemas.of(`${where}: its incoming message`, incoming, "input") }),
    ...(outgoing === undefined ? {} : { outgoing: schemas.of(`${where}: its outgoing message`, outgoing, "output") }),
  };
}

/** The fields of a tag that 3.1 does not know, as extensions. */
const tagOf31 = (tag: object): object =>
  Object.fromEntries(
    Object.entries(tag).map(([name, value]) => [
      ["parent", "kind", "summary"].includes(name) ? `x-${name}` : name,
      value,
    ]),
  );

function webhooksOf(webhooks: Readonly<Record<string, Webhook>>, source: ResponseSource): object {
  return Object.fromEntries(
    Object.entries(webhooks).map(([name, { method = "POST", ...contract }]) => {
      const route: DeclaredRoute = {
        method,
        path: `webhook ${name}`,
        pathParams: [],
        contracts: [contract],
        accept: undefined,
        example: undefined,
      };
      return [name, { [method.toLowerCase()]: operationOf(route, contract.operationId ?? name, source) }];
    }),
  );
}

function operationOf(route: DeclaredRoute, operationId: string, source: ResponseSource): Record<string, unknown> {
  const { schemas } = source;
  const where = `${route.method} ${route.path}`;
  const docs = docsOf(route.contracts);
  const body = route.contracts.findLast((one) => one.body !== undefined)?.body;
  const parameters = [
    ...pathParameters(where, route, schemas),
    ...(["query", "headers", "cookies"] as const).flatMap((part) =>
      parametersOf(where, route.contracts, part, schemas),
    ),
    ...versionParameter(route),
  ];
  return {
    operationId,
    ...docs,
    ...deprecationFields(route.contracts),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(where, route, body, schemas) }),
    responses: route.upgrades === true ? upgradeResponses(where, route, source) : responsesOf(where, route, source),
    ...(route.upgrades === true ? { "x-websocket": messagesOf(where, route, schemas) } : {}),
    ...(route.method === "QUERY" && route.accept !== undefined ? { "x-accept-query": route.accept } : {}),
  };
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
