/** Devtools as data: the endpoints, and what an application is spared. Spec: devtools.md (DEV). */
import { asJson, documents, endpoints, graphPath, page, requestsPath, routesPath } from "../kit/devtools.ts";
import { escaped, read, traced } from "./traces.ts";
import { gzipSync } from "node:zlib";
import {
  type BodyExpectation,
  caseless,
  holds,
  jsonBody,
  shows,
  step,
  type Step,
  type ValueExpectation,
} from "./vector.ts";

/** Routes of spec/subject.md; a subject may have more. */
const parameters: Readonly<Record<string, readonly string[]>> = {
  "/api/search": [],
  "/big/{bytes}": ["bytes"],
  "/boom": [],
  "/echo": [],
  "/events/{n}": ["n"],
  "/fail/{status}": ["status"],
  "/files/*path": ["path"],
  "/lookup": [],
  "/metrics": [],
  "/orders": [],
  "/orders/{id}": ["id"],
  "/parallel": [],
  "/search": [],
  "/slow/{ms}": ["ms"],
  "/users/{id}": ["id"],
  "/users/{id}/posts/{postId}": ["id", "postId"],
};
const routeAt = (path: string, member: string, method?: string): string =>
  `/[path=${escaped(path)}${method === undefined ? "" : `&method=${method}`}]/${member}`;
const routes = (at: Readonly<Record<string, ValueExpectation>>): Step => read(routesPath, at);
const patterns = ["/users/{id}", "/users/{id}/posts/{postId}", "/search", "/orders", "/orders/{id}", "/parallel"];

const types = ["text/html", "application/json", "application/json", "application/json", "text/event-stream"];
const problem = (status: number) =>
  ({
    status,
    headers: { "content-type": { mediaType: "application/problem+json" } },
    body: holds({ status }),
  }) as const;
const unseen = [...documents, `${page}/unknown`];
const query = "?limit=1&offset=1&method=POST&path=/none&format=text";

/** Waits until the list speaks of a word. */
const until = (word: string): Step => step("GET", requestsPath, undefined, {}, { until: { body: { has: word } } });

const spansPath = `${page}/v1/traces`;
const spanId = "1111111111111111";
/** An export of one span for each id, of one trace. */
const exportOf = (...ids: readonly string[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "pay" } }] },
        scopeSpans: [
          {
            spans: ids.map((id) => ({
              traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
              spanId: id,
              name: "charge",
              kind: 1,
              startTimeUnixNano: "1700000000000000000",
              endTimeUnixNano: "1700000000004000000",
            })),
          },
        ],
      },
    ],
  });
const field = (number: number, bytes: Uint8Array): Buffer =>
  Buffer.concat([Uint8Array.from([number * 8 + 2, bytes.length]), bytes]);
const nanoseconds = (number: number, value: bigint): Buffer => {
  const bytes = Buffer.alloc(9, number * 8 + 1);
  bytes.writeBigUInt64LE(value, 1);
  return bytes;
};
/** The same in protobuf. */
const protobufOf = (...ids: readonly string[]): Buffer => {
  const spans = ids.map((id) =>
    Buffer.concat([
      field(1, Buffer.from("4bf92f3577b34da6a3ce929d0e0e4736", "hex")),
      field(2, Buffer.from(id, "hex")),
      field(5, Buffer.from("charge")),
      nanoseconds(7, 1_700_000_000_000_000_000n),
      nanoseconds(8, 1_700_000_000_004_000_000n),
    ]),
  );
  return field(1, field(2, Buffer.concat(spans.map((span) => field(2, span)))));
};
const [jsonType, protobufType] = ["application/json", "application/x-protobuf"];
const inType = (mediaType: string) => ({ "content-type": { mediaType } });
/** An export, and what must be true of its response. */
const exported = (
  status: number,
  type: string,
  body: BodyExpectation,
  sent: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Step =>
  step(
    "POST",
    spansPath,
    { status, headers: inType(type), body },
    {
      headers: { "content-type": type, ...headers },
      ...(typeof sent === "string" ? { body: sent } : { base64: Buffer.from(sent).toString("base64") }),
    },
  );
const gzip = { "content-encoding": "gzip" };
const accepted = { at: { "/partialSuccess": { present: false } } } as const;
/** A Status message in protobuf has its text in field 2. */
const statusMessage = { matches: "\\x12[\\s\\S]*\\w" } as const;
const said = { at: { "/message": { matches: "\\w" } } } as const;

/** The vectors of this chapter. */
export const devtools = [
  shows("DEV-003", "the graph is served", [
    read(graphPath, {
      "/nodes/0/id": { present: true },
      "/nodes/0/dependencies": { present: true },
      "/edges/0/from": { present: true },
      "/unspied": { present: true },
    }),
  ]),
  shows("DEV-004", "the most recent trace is the first of the list", [
    ...traced("GET", "/users/{{token}}-first", { "/path": { is: "/users/{{token}}-first" } }),
    ...traced("GET", "/users/{{token}}-second", {}, { mark: "b" }),
    read(requestsPath, { "/0/path": { is: "/users/{{token}}-second" }, "/1/path": { is: "/users/{{token}}-first" } }),
  ]),
  shows(
    "DEV-006",
    "HEAD gets what GET does, without a body",
    endpoints.map((target, at) =>
      step("HEAD", target, {
        status: 200,
        headers: { "content-type": { mediaType: types[at] ?? "" } },
        body: { is: "" },
      }),
    ),
  ),
  shows(
    "DEV-007",
    "another method gets 405, Allow and a Problem",
    endpoints.flatMap((target) =>
      ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"].map((method) => {
        const { headers, ...rest } = problem(405);
        return step(method, target, { ...rest, headers: { ...headers, allow: { namesAre: ["GET", "HEAD"] } } });
      }),
    ),
  ),
  shows(
    "DEV-008",
    "an unknown path of devtools gets 404 and a Problem",
    [`${page}/{{token}}`, `${page}/api`, `${graphPath}/nodes`].map((target) => {
      const { headers, ...rest } = problem(404);
      return step("GET", target, { ...rest, headers: { ...headers, "cache-control": { names: "no-store" } } });
    }),
  ),
  shows(
    "DEV-009",
    "JSON is JSON in UTF-8",
    documents
      .slice(1)
      .map((target) =>
        step(
          "GET",
          target,
          {
            headers: {
              "content-type": [
                { mediaType: "application/json" },
                { matches: `;\\s*${caseless("charset")}="?${caseless("utf-8")}"?\\s*(?:;|$)` },
              ],
            },
          },
          { headers: { ...asJson } },
        ),
      ),
  ),
  shows("DEV-010", "a query makes no difference", [
    ...["first", "second"].flatMap((way) => [
      step("GET", `/users/1/posts/{{token}}-${way}`),
      until(`{{token}}-${way}`),
    ]),
    ...documents
      .slice(1)
      .flatMap((target) => [
        step("GET", target, { status: 200 }, {}, { save: { plain: { at: "" } } }),
        step("GET", `${target}${query}`, { status: 200, body: { json: "{{plain}}" } }),
      ]),
    step("GET", page, { status: 200 }, {}, { save: { html: { body: "^" } } }),
    step("GET", `${page}${query}`, { status: 200, body: { is: "{{html}}" } }),
    step("HEAD", `${endpoints.at(-1) ?? ""}${query}`, { status: 200 }),
  ]),
  shows("DEV-011", "no request to devtools leaves a trace", [
    ...unseen.map((target) => step("GET", target, undefined, { headers: { "x-framework-dev": "{{token}}" } })),
    step("GET", "/users/untraced?about={{token}}-last"),
    until("{{token}}-last"),
    step("GET", requestsPath, {
      body: [{ has: "{{token}}-last" }, ...unseen.map((target) => ({ lacks: `"${target}"` }))],
    }),
  ]),
  shows(
    "DEV-013",
    "a path that only begins like those of devtools is left alone",
    ["/framework/developers", `${page}-{{token}}`].flatMap((path, at) =>
      traced(
        "GET",
        path,
        { "/path": { is: path }, "/status": { is: 404 } },
        { expect: { status: 404 }, mark: `${at}` },
      ),
    ),
  ),
  shows("DEV-016", "the bean by which a closure's request entered the graph is named", [
    step("POST", "/orders", undefined, jsonBody({ item: "tea", total: 1 }), { save: { id: { at: "/id" } } }),
    step("GET", "/orders/{{id}}"),
    step(
      "GET",
      routesPath,
      { body: { at: { [routeAt("/orders/{id}", "beans", "GET")]: { is: ["OrderRepository"] } } } },
      { headers: { ...asJson } },
      { until: { body: { at: { [routeAt("/orders/{id}", "beans/0", "GET")]: { present: true } } } } },
    ),
  ]),
  shows("DEV-017", "the bean whose method the route was registered with is named", [
    routes({
      [routeAt("/orders", "beans", "POST")]: { is: ["OrderController"] },
      [routeAt("/parallel", "beans", "GET")]: { is: ["ParallelController"] },
    }),
  ]),
  shows("DEV-018", "none of its own endpoints is listed", [
    step(
      "GET",
      routesPath,
      { body: [{ at: { "/*/path": { has: "/boom" } } }, { lacks: `"${page}` }] },
      { headers: { ...asJson } },
    ),
  ]),
  shows(
    "DEV-019",
    "where it is switched off it is not there",
    [
      step("GET", "/users/ordinary", { status: 200 }),
      ...[...endpoints, `${page}/unknown`].flatMap((target) =>
        ["GET", "DELETE"].map((method) => step(method, target, { status: 404 })),
      ),
    ],
    { profile: "production" },
  ),
  shows("DEV-031", "a client that has the page already gets 304", [
    step("GET", page, { status: 200 }, {}, { save: { tag: { header: "etag" }, html: { body: "^" } } }),
    step(
      "GET",
      page,
      { status: 304, headers: { etag: { is: "{{tag}}" } }, body: { is: "" } },
      { headers: { "if-none-match": "{{tag}}" } },
    ),
    step("GET", page, { status: 200, body: { is: "{{html}}" } }, { headers: { "if-none-match": '"another"' } }),
  ]),
  shows("DEV-032", "the page is packed for a client that takes it packed, for no other", [
    step("GET", page, { status: 200, headers: { "content-encoding": null } }, {}, { save: { html: { body: "^" } } }),
    step(
      "GET",
      page,
      { headers: { "content-encoding": { names: "gzip" } }, body: { is: "{{html}}" } },
      { headers: { "accept-encoding": "br;q=0.1, gzip" } },
    ),
    step(
      "GET",
      page,
      { headers: { "content-encoding": null }, body: { is: "{{html}}" } },
      { headers: { "accept-encoding": "gzip;q=0" } },
    ),
  ]),
  shows(
    "DEV-060",
    "the response says where the application is mounted",
    ["GET", "HEAD"].map((method) =>
      step(
        method,
        routesPath,
        { headers: { "x-framework-context-path": { is: "" } } },
        method === "GET" ? { headers: { ...asJson } } : {},
      ),
    ),
  ),
  shows("DEV-073", "the parameters of a pattern are named, in their order", [
    routes(Object.fromEntries(Object.entries(parameters).map(([path, is]) => [routeAt(path, "pathParams"), { is }]))),
  ]),
  shows("DEV-074", "the types that a QUERY takes are named, and none where it takes any", [
    routes({
      [routeAt("/search", "accept", "QUERY")]: { is: ["application/json"] },
      [routeAt("/api/search", "accept", "QUERY")]: { is: ["application/json"] },
      [routeAt("/lookup", "method")]: { is: "QUERY" },
      [routeAt("/lookup", "accept")]: { present: false },
      [routeAt("/search", "accept", "GET")]: { present: false },
    }),
  ]),
  shows(
    "DEV-095",
    "each version is a route, whose example names it",
    [
      routes(
        Object.fromEntries(
          ["1", "2"].flatMap((version) => [
            [`/[path=~1versions~1header&version=${version}]/example/headers/API-Version`, { is: version }],
            [
              `/[path=~1versions~1type&version=${version}]/example/headers/Accept`,
              { is: `application/vnd.subject.v${version}+json` },
            ],
          ]),
        ),
      ),
    ],
    { features: ["versions"] },
  ),
  shows("DEV-081", "the pattern of every route is there", [
    step("GET", `${routesPath}?about=any-name`, {
      status: 200,
      body: patterns.map((pattern) => ({ has: `${pattern}"` })),
    }),
  ]),
  shows("DEV-082", "traces are listed, the most recent first", [
    step("GET", "/users/{{token}}-one/posts/1?about=any-order"),
    until("{{token}}-one"),
    step("GET", "/users/{{token}}-two/posts/1?about=any-order"),
    until("{{token}}-two"),
    step("GET", requestsPath, { status: 200, body: { matches: "{{token}}-two[\\s\\S]*{{token}}-one" } }),
  ]),
  shows("DEV-085", "a route that declares nothing has no contract", [
    routes({ [routeAt("/boom", "path")]: { is: "/boom" }, [routeAt("/boom", "contract")]: { present: false } }),
  ]),
  shows("DEV-086", "an export is accepted in JSON and in protobuf, also in gzip and without a span", [
    exported(200, jsonType, accepted, exportOf(spanId)),
    exported(200, jsonType, accepted, gzipSync(exportOf(spanId)), gzip),
    exported(200, jsonType, accepted, exportOf()),
    exported(200, protobufType, { is: "" }, protobufOf(spanId)),
    exported(200, protobufType, { is: "" }, gzipSync(protobufOf(spanId)), gzip),
  ]),
  shows("DEV-087", "an export of which a span has no id gets the number of those", [
    exported(200, jsonType, { at: { "/partialSuccess/rejectedSpans": { is: "1" } } }, exportOf(spanId, "")),
    exported(200, jsonType, { at: { "/partialSuccess/rejectedSpans": { is: "2" } } }, exportOf("", spanId, "")),
    exported(200, protobufType, { matches: "^\\n[\\s\\S]\\x08\\x01" }, protobufOf(spanId, "")),
  ]),
  shows("DEV-088", "what is no export gets 400 and a Status message", [
    exported(400, jsonType, said, "no json"),
    exported(400, jsonType, said, "[]"),
    exported(400, jsonType, said, "not gzip", gzip),
    exported(400, protobufType, statusMessage, Uint8Array.from([10, 200])),
  ]),
  shows("DEV-089", "an export over the limit of a body gets 413 and a Status message", [
    exported(413, jsonType, said, '"{{x*1048576}}"'),
    exported(413, jsonType, said, gzipSync(`"${"x".repeat(1_048_576)}"`), gzip),
    exported(413, protobufType, statusMessage, gzipSync(Buffer.alloc(1_048_577)), gzip),
  ]),
];
