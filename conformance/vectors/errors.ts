/** Errors as data: what a client gets when something goes wrong. Spec: errors.md (ERR). */
import { jsonBody, shows, step, type Expectation } from "./vector.ts";

const posted = (body: string, type = "application/json") => ({ headers: { "content-type": type }, body });

const problem = (status: number): Expectation => ({
  status,
  headers: { "content-type": { mediaType: "application/problem+json" } },
  body: { holds: { type: "about:blank", status } },
});

/** The vectors of this chapter. */
export const errors = [
  shows("ERR-001", "every error is a problem that repeats the status", [
    step("GET", "/{{token}}", problem(404)),
    step("DELETE", "/users/1", problem(405)),
    step("POST", "/echo", problem(415), posted("x", "text/plain")),
    step("POST", "/orders", problem(422), jsonBody({})),
    step("GET", "/fail/418", problem(418)),
    step("GET", "/boom", problem(500)),
  ]),
  shows("ERR-002", "an unexpected error is a 500 without its message", [
    step("GET", "/boom", { status: 500, body: { lacks: "secret" } }),
  ]),
  shows(
    "ERR-004",
    "an HttpError is a response with its status, message and headers",
    [402, 418, 503].map((status) =>
      step("GET", `/fail/${status}`, {
        status,
        headers: { "x-failed": { is: String(status) } },
        body: { holds: { detail: `failed with ${status} as asked` } },
      }),
    ),
  ),
  shows(
    "ERR-007",
    "malformed JSON and an empty body get 400",
    ['{"a":', "1 2", "[1,]", ""].map((body) => step("POST", "/echo", { status: 400 }, posted(body))),
  ),
  shows("ERR-008", "keys that reach for a prototype get 400, and their names as values do not", [
    ...['{"__proto__":{"admin":true}}', '{"a":[{"__proto__":1}]}', '{"constructor":{"prototype":{"admin":true}}}'].map(
      (body) => step("POST", "/echo", { status: 400 }, posted(body)),
    ),
    ...['{"constructor":"Ferrari"}', '["__proto__"]'].map((body) =>
      step("POST", "/echo", { status: 200 }, posted(body)),
    ),
  ]),
  shows("ERR-009", "a body that is not JSON gets 415", [
    step("POST", "/echo", { status: 415 }, posted("{}", "text/plain")),
    step("POST", "/echo", { status: 415 }, posted("{}", "application/x-www-form-urlencoded")),
    step("POST", "/echo", { status: 415 }, { body: "{}" }),
    step("POST", "/echo", { status: 200 }, posted("{}", "application/merge-patch+json")),
  ]),
  shows("ERR-021", "an HttpError that is returned is the same response as one that is thrown", [
    step("GET", "/returns/error", {
      status: 409,
      headers: { "content-type": { mediaType: "application/problem+json" } },
      body: { json: { type: "about:blank", title: "Conflict", status: 409, detail: "returned as asked" } },
    }),
    step("GET", "/fail/409", {
      status: 409,
      headers: { "content-type": { mediaType: "application/problem+json" } },
      body: { json: { type: "about:blank", title: "Conflict", status: 409, detail: "failed with 409 as asked" } },
    }),
  ]),
  shows(
    "ERR-027",
    "a coding that is not decoded gets 415 and those that are",
    ["compress", "gzip, gzip", "nothing-of-the-kind"].map((coding) =>
      step(
        "POST",
        "/echo",
        { status: 415, headers: { "accept-encoding": { names: "gzip" } } },
        { headers: { "content-type": "application/json", "content-encoding": coding }, body: '{"a":1}' },
      ),
    ),
  ),
];
