/** The method QUERY as data. Spec: query.md (QUERY). */
import { holds, jsonBody, shows, step } from "./vector.ts";

const typed = (type: string, body: string) => ({ headers: { "content-type": type }, body });
const malformed = ["nonsense", "text/", "/json", "text/plain; charset", "text plain"];
const advertised = { "accept-query": { structuredList: ["application/json"] } };

/** The vectors of this chapter. */
export const query = [
  shows("QUERY-001", "the handler gets QUERY, its type, its body and the query string", [
    step(
      "QUERY",
      "/search?a=1&a=2&b=",
      {
        status: 200,
        body: {
          json: {
            method: "QUERY",
            contentType: "application/json",
            body: { tags: ["a", "ü"] },
            query: { a: ["1", "2"], b: [""] },
          },
        },
      },
      jsonBody({ tags: ["a", "ü"] }),
    ),
    ...["application/json", "application/json; charset=utf-8"].map((contentType) =>
      step("QUERY", "/search", { body: holds({ contentType }) }, typed(contentType, "{}")),
    ),
  ]),
  shows("QUERY-002", "the same is registered inside a group's prefix", [
    step(
      "QUERY",
      "/api/search?page=2",
      { status: 200, body: holds({ method: "QUERY", body: [1], query: { page: ["2"] } }) },
      jsonBody([1]),
    ),
  ]),
  shows("QUERY-003", "a handler gets the body as text and as JSON", [
    step("QUERY", "/lookup", { body: holds({ text: 'select "ü"' }) }, typed("text/plain", 'select "ü"')),
    step("QUERY", "/search", { body: holds({ body: [1, { two: null }] }) }, jsonBody([1, { two: null }])),
  ]),
  shows(
    "QUERY-004",
    "a QUERY without a well-formed Content-Type gets 400, whatever the handler reads",
    ["/lookup", "/search"].flatMap((target) => [
      step("QUERY", target, { status: 400 }, { body: "{}" }),
      ...malformed.map((type) => step("QUERY", target, { status: 400 }, typed(type, "{}"))),
    ]),
  ),
  shows("QUERY-005", "a type outside accept gets 415, a parameter of one inside makes no difference", [
    ...["text/plain", "application/x-www-form-urlencoded", "application/jsonp"].flatMap((type) =>
      ["/search", "/api/search"].map((target) => step("QUERY", target, { status: 415 }, typed(type, "{}"))),
    ),
    step("QUERY", "/search", { status: 200 }, typed("application/json; charset=utf-8", "{}")),
  ]),
  shows("QUERY-006", "every response of the path carries Accept-Query", [
    step("QUERY", "/search", { status: 200, headers: advertised }, jsonBody({})),
    step("GET", "/search", { status: 200, headers: advertised }),
    step("HEAD", "/search", { status: 200, headers: advertised }),
    step("OPTIONS", "/search", { status: 204, headers: advertised }),
    step("PUT", "/search", { status: 405, headers: advertised }),
    step("QUERY", "/search", { status: 415, headers: advertised }, typed("text/plain", "x")),
    step("QUERY", "/search", { status: 400, headers: advertised }, typed("application/json", "{")),
    step("QUERY", "/search", { status: 400, headers: advertised }, { body: "x" }),
  ]),
  shows(
    "QUERY-006",
    "a query that does not fit a contract is told the same",
    [
      step("QUERY", "/lines", { status: 200 }, jsonBody({ sku: "lamp" })),
      step(
        "QUERY",
        "/lines",
        { status: 422, headers: { "accept-query": { structuredList: ["application/json"] } } },
        jsonBody({ sku: 1 }),
      ),
    ],
    { features: ["contracts"] },
  ),
  shows(
    "QUERY-007",
    "without accept any type passes",
    ["text/plain", "application/x-unheard-of", "image/png"].map((type) =>
      step("QUERY", "/lookup", { status: 200, body: holds({ contentType: type }) }, typed(type, "any")),
    ),
  ),
  shows("QUERY-011", "without accept Accept-Query is absent", [
    step(
      "QUERY",
      "/lookup",
      { status: 200, headers: { "accept-query": null }, body: holds({ text: "any" }) },
      typed("text/html", "any"),
    ),
    step("OPTIONS", "/lookup", { headers: { "accept-query": null } }),
    step("PUT", "/lookup", { headers: { "accept-query": null } }),
  ]),
  shows("QUERY-008", "GET and QUERY on one path lead each to its own handler", [
    step("QUERY", "/search", { body: holds({ method: "QUERY" }) }, jsonBody({})),
    step("GET", "/search", { body: { json: { method: "GET" } } }),
  ]),
  shows("QUERY-010", "a QUERY without a type is rejected", [
    step("QUERY", "/search", { status: "4xx" }, { body: '{"typed":false}' }),
    step("QUERY", "/search", { status: 200 }, typed("application/json", '{"typed":true}')),
  ]),
  shows("QUERY-009", "a QUERY where the path has none gets 405", [
    step("QUERY", "/users/1", { status: 405 }, jsonBody({})),
    step("QUERY", "/{{token}}", { status: 404 }, jsonBody({})),
  ]),
];
