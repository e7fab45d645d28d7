/** Routes as tools for agents, as data. Spec: tools.md (TOOL). */
import { searchPath } from "../kit/devtools.ts";
import { shows, step, type Expectation, type Step } from "./vector.ts";

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "conformance", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

type Fields = Readonly<Record<string, string>>;

/** A message of version 2026-07-28. A `_meta` among the parameters replaces the usual one. */
function message(method: string, params: object, expect: Expectation, headers: Fields = {}): Step {
  const name: unknown = Reflect.get(params, "name");
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { _meta: meta, ...params } });
  const own = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...(typeof name === "string" ? { "mcp-name": name } : {}),
  };
  return step("POST", "/mcp", expect, { headers: { ...own, ...headers }, body });
}

const call = (name: string, given: object, expect: Expectation, headers: Fields = {}): Step =>
  message("tools/call", { name, arguments: given }, expect, headers);

/** Values in the result. */
const result = (at: Readonly<Record<string, object>>, status = 200): Expectation => ({
  status,
  body: { at: Object.fromEntries(Object.entries(at).map(([place, value]) => [`/result${place}`, value as never])) },
});

/** An error of the tool, with this in its text. */
const error = (has: string): Expectation => result({ "/isError": { is: true }, "/content/0/text": { has } });

const names = [
  "get-item",
  "search-items",
  "put-item",
  "delete-item",
  "post-item",
  "watch-items",
  "picture",
  "large",
  "me",
];
const list = (expect: Expectation): Step => message("tools/list", {}, expect);
const annotations = (name: string): string => `/tools/[name=${name}]/annotations`;
const item = { id: "{{token}}" };

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "conformance", version: "1" } },
};

/** The envelope of a client with that name. */
const named = (name: string): object => ({ ...meta, "io.modelcontextprotocol/clientInfo": { name, version: "1" } });

/** A search that is repeated until this is true. */
function found(query: string, at: Readonly<Record<string, object>>): Step {
  const target = `${searchPath}?q=${encodeURIComponent(query).replaceAll("%7B%7B", "{{").replaceAll("%7D%7D", "}}")}`;
  const expect: Expectation = { status: 200, body: { at: at as never } };
  return step("GET", target, expect, {}, { until: expect });
}

/** The vectors of this chapter. */
export const tools = [
  shows("TOOL-001", "the list has the names of all tools", [list(result({ "/tools/*/name": { members: names } }))]),
  shows("TOOL-002", "parameters and members of a body are arguments", [
    list(
      result({
        "/tools/[name=put-item]/inputSchema/required": { members: ["id", "name"] },
        "/tools/[name=put-item]/inputSchema/properties/id/type": { is: "string" },
        "/tools/[name=put-item]/inputSchema/properties/name/minLength": { is: 2 },
        "/tools/[name=search-items]/inputSchema/required": { is: ["text"] },
      }),
    ),
  ]),
  shows("TOOL-003", "a tool has the hints of its method", [
    list(
      result({
        [annotations("get-item")]: { is: { readOnlyHint: true } },
        [annotations("search-items")]: { is: { readOnlyHint: true } },
        [annotations("put-item")]: { is: { idempotentHint: true } },
        [annotations("delete-item")]: { is: { destructiveHint: true, idempotentHint: true } },
        [annotations("post-item")]: { is: {} },
      }),
    ),
  ]),
  shows("TOOL-004", "a result has the JSON of the route twice", [
    call("get-item", item, result({ "/structuredContent": { is: item }, "/content/0/text": { has: "{{token}}" } })),
    call("search-items", { text: "{{token}}" }, result({ "/structuredContent": { is: [item] } })),
    call("put-item", { ...item, name: "ab" }, result({ "/structuredContent": { is: { ...item, name: "ab" } } })),
    call("get-item", { id: "a/b?c#d" }, result({ "/structuredContent": { is: { id: "a/b?c#d" } } })),
  ]),
  shows("TOOL-005", "a problem is an error of the tool", [
    call("put-item", { id: "1", name: "a" }, error('"status":422')),
    call("put-item", { id: "1", name: "a" }, error('"pointer":"/name"')),
  ]),
  shows("TOOL-006", "a wrong argument is named", [
    call("get-item", {}, error("id")),
    call("get-item", { id: "" }, error("id")),
    call("get-item", { id: "1", "{{token}}": 1 }, error("{{token}}")),
  ]),
  shows(
    "TOOL-007",
    "the credentials of the request are those of the call",
    [
      call("me", {}, error('"status":401')),
      call("me", {}, error('"status":401'), { authorization: "Bearer token-of-nobody" }),
      call("me", {}, result({ "/content/0/text": { has: "ada" } }), { authorization: "Bearer token-of-ada" }),
    ],
    { features: ["auth"] },
  ),
  shows("TOOL-008", "a path of another route is not found", [
    call("get-item", { id: "all" }, error('"status":404')),
    call("delete-item", { id: "" }, error("id")),
    call("get-item", { id: "../items/all" }, error('"status":400')),
    call("get-item", { id: ".." }, error('"status":400')),
  ]),
  shows("TOOL-009", "events are structured content", [
    call(
      "watch-items",
      {},
      result({
        "/structuredContent/events": {
          is: [
            { event: "tick", data: '{"n":1}' },
            { event: "tick", data: '{"n":2}' },
          ],
        },
      }),
    ),
  ]),
  shows("TOOL-010", "a picture is an image", [
    call("picture", {}, result({ "/content": { is: [{ type: "image", data: "cG5n", mimeType: "image/png" }] } })),
  ]),
  shows("TOOL-011", "a large result is an error", [call("large", {}, error("100000 bytes"))]),
  shows("TOOL-012", "a web page may not call", [
    call("get-item", item, { status: 403 }, { origin: "https://evil.example" }),
    call("get-item", item, { status: 403 }, { origin: "null" }),
  ]),
  shows("TOOL-013", "headers that differ from the body are rejected", [
    call("get-item", item, { status: 400 }, { "mcp-name": "large" }),
    call("get-item", item, { status: 400 }, { "mcp-method": "tools/list" }),
    call("post-item", { name: "ab" }, { status: 200 }, { "mcp-param-name": "ab" }),
    call("post-item", { name: "ab" }, { status: 400 }, { "mcp-param-name": "abc" }),
  ]),
  shows("TOOL-014", "the list may be kept for five minutes", [
    list(result({ "/ttlMs": { is: 300_000 }, "/cacheScope": { is: "private" } })),
  ]),
  shows("TOOL-015", "only POST is allowed", [
    step("GET", "/mcp", { status: 405, headers: { allow: { members: ["POST"] } } }),
    step("DELETE", "/mcp", { status: 405 }),
  ]),
  shows("TOOL-016", "a client of the older version is served", [
    step(
      "POST",
      "/mcp",
      { status: 200, body: { has: '"protocolVersion":"2025-11-25"' } },
      {
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
        body: JSON.stringify(initialize),
      },
    ),
  ]),
  shows("TOOL-017", "an unknown tool is an error of the protocol", [
    call("hidden", {}, { body: { at: { "/error/code": { is: -32_602 } } } }),
    call("nothing", {}, { body: { at: { "/error/code": { is: -32_602 } } } }),
  ]),
  shows("TOOL-018", "the calls of an agent are found by its name, their tools and their conversation", [
    ...Object.entries({ "get-item": item, "put-item": { ...item, name: "ab" } }).map(([name, given]) =>
      message("tools/call", { name, arguments: given, _meta: named("{{token}}") }, { status: 200 }),
    ),
    found("agent:{{token}}", { "/hits/1": { present: true }, "/hits/2": { present: false } }),
    found("agent={{token}} tool=put-item", { "/hits/*/path": { is: ["/tools/items/{{token}}"] } }),
    found("agent:{{token}} tool:delete", { "/hits/0": { present: false } }),
  ]),
];
