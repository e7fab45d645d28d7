/**
 * Tools: the routes that an agent may call, as the protocol describes them.
 *
 *   app.query("/products/search", { operationId: "search-products", tool: true, body, responses }, …)
 *     ──▶ { name: "search-products", description, inputSchema, outputSchema, annotations: { readOnlyHint: true } }
 *
 * The annotations are those of the method, which HTTP defines: GET, HEAD and QUERY are safe, PUT and DELETE idempotent.
 *
 * Spec: spec/tools.md
 */
import type { Contract, DeclaredRoute, RouteDocs, ToolDocs } from "../contract/contract.ts";
import { isResponseBody } from "../contract/declared-body.ts";
import { docsOf } from "../contract/docs.ts";
import { isMultipart, type JsonSchemaSource } from "../contract/json-schema.ts";
import { type JsonSchemaOf, Schemas } from "../contract/named-schemas.ts";
import { madeId } from "../contract/parameters.ts";
import { textOrJson } from "../contract/text-or-json.ts";
import { usageError } from "../internal/usage-errors.ts";
import { argumentsOf, type ToolArguments } from "./arguments.ts";

/** A tool as `tools/list` describes it. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonSchemaSource & { readonly type: "object" };
  readonly outputSchema?: JsonSchemaSource;
  readonly annotations: Readonly<Record<string, boolean>>;
}

/** A route that an agent may call. */
export interface Tool {
  readonly method: string;
  /** Context path + pattern. */
  readonly route: string;
  readonly requestOf: ToolArguments["requestOf"];
  /** Is one of its arguments also a header, `x-mcp-header`? */
  readonly hasHeaders: boolean;
  readonly definition: ToolDefinition;
}

/** The longest description of a tool, in characters. */
const LONGEST = 2_000;

/** The tools of these routes by name, in the order of their registration. @throws TypeError naming the route that cannot be one. */
export function toolsOf(routes: readonly DeclaredRoute[], convert?: JsonSchemaOf): Map<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const route of routes) {
    const declared = declaredTool(route);
    if (declared === undefined) continue;
    const tool = toolOf(route, declared, convert);
    const other = tools.get(tool.definition.name);
    if (other !== undefined)
      throw usageError(
        "CONTRACT_INVALID",
        `${other.method} ${other.route} and ${tool.method} ${tool.route} are tools of one name, ${JSON.stringify(tool.definition.name)}: name one with tool: { name }`,
      );
    tools.set(tool.definition.name, tool);
  }
  return tools;
}

/** What the route, or else its nearest group, says. Undefined when it is no tool. @throws TypeError when it says so itself and cannot be one. */
function declaredTool(route: DeclaredRoute): ToolDocs | undefined {
  const { contracts, method, path, upgrades } = route;
  const tool = contracts.findLast((one) => one.tool !== undefined)?.tool;
  if (tool === undefined || tool === false) return undefined;
  const own = contracts.at(-1);
  const isForm = own?.body !== undefined && isMultipart(own.body);
  const why = upgrades === true ? "is a WebSocket" : isForm ? "takes files" : undefined;
  if (why === undefined && method !== "CONNECT" && method !== "TRACE") return tool === true ? {} : tool;
  if (own?.tool === undefined) return undefined; // its group means the others
  throw usageError("CONTRACT_INVALID", `${method} ${path} ${why ?? "has no message of its own"}: it can be no tool`);
}

function toolOf(route: DeclaredRoute, docs: ToolDocs, convert: JsonSchemaOf | undefined): Tool {
  const where = `${route.method} ${route.path}`;
  const { summary, description } = docsOf(route.contracts);
  const name = nameOf(route, docs);
  const converter = convert ?? route.jsonSchemaOf;
  const input = argumentsOf(where, route, new Schemas(converter, "#/$defs/"));
  const outputSchema = outputOf(where, route.contracts, new Schemas(converter, "#/$defs/"));
  const title = shownText(docs.title ?? summary);
  const text = shownText(docs.description ?? description ?? summary);
  return {
    method: route.method,
    route: route.path,
    requestOf: input.requestOf,
    hasHeaders: JSON.stringify(input.schema).includes('"x-mcp-header":'),
    definition: {
      name,
      ...(title === undefined ? {} : { title }),
      ...(text === undefined ? {} : { description: text }),
      inputSchema: { ...input.schema, type: "object" },
      ...(outputSchema === undefined ? {} : { outputSchema }),
      annotations: annotationsOf(route.method),
    },
  };
}

/** The name that the route gives, or one of its `operationId`, or of its method and path. @throws TypeError when a given one is none. */
function nameOf(route: DeclaredRoute, { name }: ToolDocs): string {
  const given = name ?? route.contracts.at(-1)?.operationId;
  if (given === undefined) return madeId(route).slice(0, 128);
  if (/^[\w.-]{1,128}$/.test(given)) return given;
  if (name === undefined) return given.replaceAll(/[^\w.-]+/g, "-").slice(0, 128);
  throw usageError(
    "CONTRACT_INVALID",
    `${route.method} ${route.path}: its tool has the name ${JSON.stringify(name)}: up to 128 letters, digits, _, - and . are allowed`,
  );
}

/** A text without characters that are not shown, such as controls, directions and tags, and cut. */
function shownText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const shown = text.replaceAll(/[^\P{C}\n]+/gu, " ").trim();
  return shown.length <= LONGEST ? shown : `${shown.slice(0, LONGEST - 1)}…`;
}

/** The hints of a method (RFC 9110 §9.2, RFC 10008). The protocol's default is a tool that may destroy. */
const annotationsOf = (method: string): Readonly<Record<string, boolean>> => hints[method] ?? {};

const readOnly = { readOnlyHint: true };
const hints: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  GET: readOnly,
  HEAD: readOnly,
  OPTIONS: readOnly,
  QUERY: readOnly,
  PUT: { idempotentHint: true },
  DELETE: { destructiveHint: true, idempotentHint: true },
};

/** The schema of the JSON that it responds with when it succeeds. Undefined when it may also respond with something else. */
function outputOf(
  where: string,
  contracts: readonly (Contract & RouteDocs)[],
  schemas: Schemas,
): JsonSchemaSource | undefined {
  const declared = contracts.flatMap(({ responses = {} }) => Object.entries(responses));
  const successes = declared.filter(([status]) => status.startsWith("2"));
  const found: JsonSchemaSource[] = [];
  for (const [status, response] of successes) {
    if (response === null || isResponseBody(response)) return undefined;
    if (textOrJson(schemas.plain(response, "output")) !== "json") return undefined;
    found.push(schemas.of(`${where}: its response ${status}`, response, "output"));
  }
  const [first] = found;
  if (first === undefined) return undefined;
  const { components } = schemas;
  const $defs = Object.keys(components).length === 0 ? {} : { $defs: components };
  if (found.length > 1) return { anyOf: found, ...$defs };
  return first["$ref"] === undefined ? { ...first, ...$defs } : { ...schemas.followed(first), ...$defs };
}
