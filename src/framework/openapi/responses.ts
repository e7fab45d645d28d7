/**
 * The responses of an operation: those that its contract declares, and the problems that can occur.
 *
 *   200: z.string() ──▶ text/plain      200: Order ──▶ application/json      200: bytes("image/png") ──▶ image/png
 *   200: events({ tick: Tick }) ──▶ text/event-stream with itemSchema, and contentSchema in 3.1
 */
import type { Contract, DeclaredRoute } from "../contract/contract.ts";
import { isResponseBody, type ResponseBody } from "../contract/declared-body.ts";
import { type JsonSchemaSource, objectOf } from "../contract/json-schema.ts";
import type { Schema } from "../contract/schema.ts";
import { textOrJson } from "../contract/text-or-json.ts";
import { reasonPhrase } from "../internal/http-rules.ts";
import type { Schemas } from "../contract/named-schemas.ts";

/** The document, as its responses need it. */
export interface ResponseSource {
  readonly schemas: Schemas;
  readonly problem: JsonSchemaSource;
  readonly version: "3.1" | "3.2";
}

/** The Responses Object of a route (OpenAPI 3.2, §4.16). @throws TypeError when a schema has no JSON Schema. */
export function responsesOf(where: string, route: DeclaredRoute, source: ResponseSource): Record<string, unknown> {
  const { contracts, version } = route;
  const json = version?.field === "Accept" ? version.value : "application/json";
  const responses: Record<string, unknown> = {};
  for (const { responses: declared = {} } of contracts)
    for (const [status, response] of Object.entries(declared))
      responses[status] = {
        description: phraseOf(Number(status)),
        ...declaredContent(`${where}: its response ${status}`, status, response, source, json),
      };
  const hasBody = contracts.some(({ body }) => body !== undefined);
  const hasInput = contracts.some(hasParts);
  const problem = problemContent(source);
  const own = { 400: hasBody || hasInput, 413: hasBody, 415: hasBody, 422: hasInput };
  for (const [status, happens] of Object.entries(own))
    if (happens && responses[status] === undefined)
      responses[status] = { description: phraseOf(Number(status)), ...problem };
  // An undeclared response has no schema. It may be JSON, a text, a file, events or a redirect.
  if (Object.keys(responses).every((status) => !status.startsWith("2") && !status.startsWith("3"))) {
    responses["2XX"] = { description: "What the handler returns" };
    responses["3XX"] = { description: "Where the handler redirects to" };
  }
  if (Object.keys(responses).every((status) => !status.startsWith("4")))
    responses["4XX"] = { description: "Any other problem of the request", ...problem };
  responses["default"] = { description: "Any other problem", ...problem };
  return responses;
}

/** The responses of a WebSocket route: its upgrade, and the problems that can occur before it. */
export const upgradeResponses = (where: string, route: DeclaredRoute, source: ResponseSource): object => ({
  101: { description: "Switching Protocols" },
  ...Object.fromEntries(
    Object.entries(responsesOf(where, route, source)).filter(([status]) => status !== "2XX" && status !== "3XX"),
  ),
});

const hasParts = ({ params, query, headers, cookies, body }: Contract): boolean =>
  [params, query, headers, cookies, body].some((part) => part !== undefined);

function declaredContent(
  what: string,
  status: string,
  declared: Schema | ResponseBody | null,
  source: ResponseSource,
  jsonType: string,
): object {
  if (declared === null) return {};
  if (isResponseBody(declared)) return bodyContent(what, declared, source);
  const schema = source.schemas.of(what, declared, "output");
  const kind = textOrJson(source.schemas.plain(declared, "output"));
  if (kind === "text") return { content: { "text/plain": { schema } } };
  const json = { [jsonTypeOf(status, schema, source.schemas, jsonType)]: { schema } };
  return { content: kind === "json" ? json : { ...json, "text/plain": { schema: { type: "string" } } } };
}

/** An error response with the members of a problem is one. */
function jsonTypeOf(status: string, schema: JsonSchemaSource, schemas: Schemas, other = "application/json"): string {
  const properties = objectOf(schemas.followed(schema)["properties"]) ?? {};
  const isProblem = status >= "400" && "title" in properties && "status" in properties;
  return isProblem ? "application/problem+json" : other;
}

const problemContent = ({ schemas, problem }: ResponseSource): object => ({
  content: { [jsonTypeOf("400", problem, schemas)]: { schema: problem } },
});

function bodyContent(what: string, { "~body": kind, type, row, events }: ResponseBody, source: ResponseSource): object {
  if (kind === "empty") return {};
  if (kind === "redirect")
    return { headers: { Location: { required: true, schema: { type: "string", format: "uri-reference" } } } };
  const mediaType = type.split(";")[0]?.trim() ?? type;
  return { content: { [mediaType]: mediaOf(what, mediaType, row, events, source) } };
}

function mediaOf(
  what: string,
  type: string,
  row: Schema | undefined,
  events: ResponseBody["events"],
  source: ResponseSource,
): object {
  if (events !== undefined) return itemsOf(eventSchema(what, events, source.schemas), type, source);
  if (row !== undefined) return itemsOf(source.schemas.of(`${what}: its row`, row, "output"), type, source);
  return type.startsWith("text/") ? { schema: { type: "string" } } : {};
}

/** A Media Type Object of sequential media (OpenAPI 3.2, §4.14.3). In 3.1 it is a text, whose content has that schema. */
const itemsOf = (itemSchema: JsonSchemaSource, type: string, { version }: ResponseSource): object =>
  version === "3.2"
    ? { itemSchema }
    : {
        schema: {
          type: "string",
          description: "A sequence. contentSchema describes each item.",
          contentMediaType: type,
          contentSchema: itemSchema,
        },
      };

/** The schema of Server-Sent Events with JSON data (OpenAPI 3.2, §4.14.4). */
function eventSchema(what: string, events: Readonly<Record<string, Schema>>, schemas: Schemas): JsonSchemaSource {
  const each = Object.entries(events).map(([name, schema]) => ({
    type: "object",
    required: ["event", "data"],
    properties: {
      event: { const: name },
      data: {
        type: "string",
        contentMediaType: "application/json",
        contentSchema: schemas.of(`${what}: its event ${name}`, schema, "output"),
      },
      id: { type: "string" },
      retry: { type: "integer", minimum: 0 },
    },
  }));
  const [first] = each;
  return first !== undefined && each.length === 1 ? first : { oneOf: each };
}

const phrases: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  206: "Partial Content",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
};
const phraseOf = (status: number): string =>
  status >= 400 ? reasonPhrase(status) : (phrases[status] ?? `Status ${status}`);
