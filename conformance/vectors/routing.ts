/** Routing as data: from method and target to the response. Spec: routing.md (ROUTE). */
import { holds, shows, step, type Step } from "./vector.ts";

const get = (target: string, status: number): Step => step("GET", target, { status });
const [literal, parameter, wildcard] = ["/match/a/x", "/match/{name}/y", "/match/*rest"] as const;

const matches = (rest: string, matched: string): Step =>
  step("GET", `/match/${rest}`, { status: 200, body: { json: { matched } } });

/** A request with these lines as its Host. */
const hosts = (target: string, lines: readonly string[], status: number): Step =>
  step("GET", target, { status }, { headers: { host: [...lines] } });

const identified = { headers: { "x-request-id": "global" } };

const identityHeaders = { "content-type": { mediaType: "application/json" }, vary: { names: "Origin" } } as const;
const withId = { headers: { "x-request-id": { present: true } } } as const;

const notHosts = ["user@host", "host/path", "host/path?", "a b", "[::1", "exa<mple", "x:80:80", "[::g]", "a%zz"];

/** The vectors of this chapter. */
export const routing = [
  shows("ROUTE-001", "a literal beats a parameter and a wildcard", [
    matches("a/x", literal),
    matches("c/y", "/match/c/y"),
  ]),
  shows("ROUTE-032", "a parameter beats a wildcard", [matches("b/y", parameter), matches("b/z", wildcard)]),
  shows("ROUTE-033", "the best of the others matches where the better beginning leads nowhere", [
    matches("a/y", parameter),
    matches("a/z", wildcard),
    matches("c/x", wildcard),
    matches("b/x", wildcard),
    matches("a", wildcard),
  ]),
  shows("ROUTE-002", "a parameter is decoded once", [
    ...Object.entries({ "caf%C3%A9": "café", "a%252Fb": "a%2Fb", "a+b%20c": "a+b c" }).map(([part, id]) =>
      step("GET", `/users/${part}`, { status: 200, body: { json: { id } } }),
    ),
    step("GET", "/files/a%20b/c", { status: 200, body: { json: { path: "a b/c" } } }),
    step("GET", "/users/a%20b/posts/%C3%A9", { status: 200, body: { json: { id: "a b", postId: "é" } } }),
  ]),
  shows("ROUTE-034", "a parameter keeps an encoded slash", [
    step("GET", "/users/a%2Fb", { status: 200, body: { json: { id: "a/b" } } }),
    step("GET", "/users/1%2f2/posts/%2F3", { status: 200, body: { json: { id: "1/2", postId: "/3" } } }),
    step("GET", "/files/a/c%2Fd", { status: 200, body: { json: { path: "a/c/d" } } }),
  ]),
  shows(
    "ROUTE-003",
    "a malformed percent-escape gets 400",
    ["/users/%zz", "/users/%", "/users/%C3", "/files/a/%4"].map((target) => get(target, 400)),
  ),
  shows(
    "ROUTE-004",
    "a dot segment gets 400, encoded or not",
    [
      "/users/..",
      "/files/a/../b",
      "/files/./a",
      "/users/%2e%2e",
      "/files/.%2E/a",
      "/files/a%5C..%5cb",
      "/%2e/users/1",
      "/users/..%5C",
      "/files/a%2F..%5Cb",
    ].map((target) => get(target, 400)),
  ),
  shows("ROUTE-005", "an empty segment matches nothing", [
    ...["/users//posts/1", "//users/1", "/users//1", "/users/1//", "/files//a"].map((target) => get(target, 404)),
    get("/users/1", 200),
  ]),
  shows("ROUTE-006", "a trailing slash makes no difference", [
    step("GET", "/users/{{token}}/", { status: 200, body: { json: { id: "{{token}}" } } }),
  ]),
  shows("ROUTE-007", "a path that nothing matches gets 404", [
    ...["/{{token}}", "/users/1/posts", "/USERS/1", "/files"].map((target) => get(target, 404)),
    get("/files/a", 200),
  ]),
  shows("ROUTE-008", "another method gets 405 and the methods of the routes", [
    step("DELETE", "/users/1", { status: 405, headers: { allow: [{ names: "GET" }, { lacks: "DELETE" }] } }),
    step("PUT", "/search", {
      status: 405,
      headers: { allow: [{ names: "GET" }, { names: "QUERY" }, { lacks: "PUT" }] },
    }),
    step("PUT", "/lookup", { status: 405, headers: { allow: [{ names: "QUERY" }, { lacks: "PUT" }] } }),
    step("GET", "/echo", { status: 405, headers: { allow: [{ names: "POST" }, { lacks: "GET" }] } }),
  ]),
  shows("ROUTE-027", "Allow is every method that works there", [
    ...["DELETE", "PROPFIND", "MKCOL"].map((method) =>
      step(method, "/users/1", { status: 405, headers: { allow: { members: ["GET", "HEAD", "OPTIONS"] } } }),
    ),
    step("PUT", "/search", { status: 405, headers: { allow: { members: ["GET", "HEAD", "OPTIONS", "QUERY"] } } }),
    step("GET", "/echo", { status: 405, headers: { allow: { members: ["OPTIONS", "POST"] } } }),
  ]),
  shows("ROUTE-009", "HEAD gets what GET does, without the body", [
    step("GET", "/users/1", { status: 200, body: holds({ id: "1" }) }),
    step("HEAD", "/users/1", { status: 200, headers: { "content-length": { sameAs: 1 } }, body: { is: "" } }),
  ]),
  shows("ROUTE-028", "HEAD gets the headers of GET", [
    step("GET", "/users/1", { headers: identityHeaders, body: holds({ id: "1" }) }),
    step("HEAD", "/users/1", { headers: identityHeaders }),
  ]),
  shows(
    "ROUTE-028",
    "HEAD gets a request id as GET does",
    [step("GET", "/users/1", withId), step("HEAD", "/users/1", withId)],
    { features: ["request-id"] },
  ),
  shows("ROUTE-010", "OPTIONS gets 204 and Allow", [
    step("OPTIONS", "/search", {
      status: 204,
      headers: { allow: { members: ["GET", "HEAD", "OPTIONS", "QUERY"] } },
      body: { is: "" },
    }),
    step("OPTIONS", "/lookup", {
      status: 204,
      headers: { allow: { members: ["OPTIONS", "QUERY"] } },
      body: { is: "" },
    }),
  ]),
  shows("ROUTE-012", "global middleware runs for 404, 405 and OPTIONS", [
    step("GET", "/{{token}}", { status: 404, headers: { "x-request-id": { is: "global" } } }, identified),
    step("DELETE", "/users/1", { status: 405, headers: { "x-request-id": { is: "global" } } }, identified),
    step("OPTIONS", "/users/1", { status: 204, headers: { "x-request-id": { is: "global" } } }, identified),
  ]),
  shows("ROUTE-014", "a request without a Host, and one with several, gets 400", [
    hosts("/users/hosts", [], 400),
    hosts("/users/hosts", ["a", "b"], 400),
    hosts("/users/hosts", ["a", "a"], 400),
    hosts("/users/hosts", ["a"], 200),
  ]),
  shows("ROUTE-020", "a Host that is no host and port gets 400", [
    ...notHosts.map((host) => hosts("/users/host", [host], 400)),
    ...["x", "x:1", "a.test:65535", "a_b", "[::1]:80", "127.0.0.1", "a%20b"].map((host) =>
      hosts("/users/host", [host], 200),
    ),
  ]),
  shows("ROUTE-021", "OPTIONS * gets 204 and every method, behind the global middleware", [
    step(
      "OPTIONS",
      "*",
      {
        status: 204,
        headers: {
          "x-request-id": { is: "global" },
          allow: ["GET", "HEAD", "OPTIONS", "POST", "QUERY"].map((has) => ({ names: has })),
        },
      },
      identified,
    ),
  ]),
  shows("ROUTE-017", "a wildcard takes no spelling of another route's path", [
    ...[
      "/match/a%2Fx",
      "/match/a%2fx",
      "/match/a%5Cx",
      "/match/a//x",
      "/match/b%2Fy",
      "/match/b//y/",
      "/files/%2Fa",
      "/files/%5Ca",
    ].map((target) => get(target, 404)),
    ...["/match/a%2Fz", "/match/a//z", "/match/b%5Cx", "/files/a%2Fb"].map((target) => get(target, 200)),
  ]),
  shows(
    "ROUTE-023",
    "a wildcard keeps empty segments and a trailing slash",
    Object.entries({
      "a/": "a/",
      "a//b/": "a//b/",
      "a//": "a//",
      "https://b.example//c": "https://b.example//c",
      "a%2F": "a/",
      "a%5Cb": "a\\b",
    }).map(([rest, path]) => step("GET", `/files/${rest}`, { status: 200, body: { json: { path } } })),
  ),
];
