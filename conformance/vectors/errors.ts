/** Errors as data: what a client gets when something goes wrong. Spec: errors.md (ERR). */
import { deflateSync, gzipSync } from "node:zlib";
import { everyError } from "./every-response.ts";
import {
  holds,
  jsonBody,
  shows,
  step,
  type BodyPartExpectation,
  type Expectation,
  type Step,
  type VectorContent,
} from "./vector.ts";

const posted = (body: string, type = "application/json") => ({ headers: { "content-type": type }, body });

/** Bytes that are said to be JSON in that coding. */
const coded = (coding: string, bytes: Buffer, type = "application/json"): VectorContent => ({
  headers: { "content-type": type, "content-encoding": coding },
  base64: bytes.toString("base64"),
});

const echo = (status: number, content: VectorContent): Step => step("POST", "/echo", { status }, content);

/** Two lines of Content-Type. */
const typed = (...types: readonly string[]): VectorContent => ({
  headers: { "content-type": [...types] },
  body: "[1]",
});

const inCharset = (name: string): VectorContent => ({
  headers: { "content-type": `application/json; charset=${name}` },
  body: '{"charset":1}',
});

const sized = (length: number): Buffer => gzipSync(JSON.stringify("x".repeat(length)));
const whole = gzipSync('{"damaged":true}');
const titles = {
  "/{{token}}": [404, "Not Found"],
  "/slow/never": [400, "Bad Request"],
  "/fail/402": [402, "Payment Required"],
  "/fail/418": [418, "I'm a Teapot"],
  "/fail/503": [503, "Service Unavailable"],
  "/boom": [500, "Internal Server Error"],
} as const;

const problem = (status: number): Expectation => ({
  status,
  headers: { "content-type": { mediaType: "application/problem+json" } },
  body: { at: { "/status": { is: status }, "/title": { matches: "." } } },
});

const conflict = (detail: string): BodyPartExpectation[] => [
  holds({ type: "about:blank", title: "Conflict", status: 409, detail }),
  { at: { "/code": { present: false } } },
];

/** The vectors of this chapter. */
export const errors = [
  shows("ERR-001", "every error is a problem that repeats the status", [
    step("GET", "/{{token}}", problem(404)),
    step("GET", "/slow/never", problem(400)),
    step("DELETE", "/users/1", problem(405)),
    step("POST", "/echo", problem(415), posted("x", "text/plain")),
    step("POST", "/orders", problem(422), jsonBody({})),
    step("GET", "/fail/418", problem(418)),
    step("GET", "/boom", problem(500)),
  ]),
  shows(
    "ERR-001",
    "every error is a problem, whatever the status and the method",
    everyError({ headers: { "content-type": { mediaType: "application/problem+json" } } }),
  ),
  shows("ERR-002", "an unexpected error is a 500 without its message", [
    step("GET", "/boom", { status: 500, body: { lacks: "secret" } }),
  ]),
  shows(
    "ERR-004",
    "an HttpError is a response with its status, message and headers",
    [400, 402, 404, 418, 500, 503].map((status) =>
      step("GET", `/fail/${status}`, {
        status,
        headers: { "x-failed": { is: String(status) } },
        body: holds({ detail: `failed with ${status} as asked` }),
      }),
    ),
  ),
  shows(
    "ERR-007",
    "malformed JSON and an empty body get 400",
    ['{"a":', "1 2", "[1,]", ""].map((body) => echo(400, posted(body))),
  ),
  shows("ERR-007", "invalid UTF-8 gets 400", [
    echo(400, {
      headers: { "content-type": "application/json" },
      base64: Buffer.from([0x22, 0xc3, 0x28, 0x22]).toString("base64"),
    }),
    echo(200, posted('"é"')),
  ]),
  shows("ERR-008", "keys that reach for a prototype get 400, and their names as values do not", [
    ...[
      '{"__pro\\u0074o__":1}',
      '{"__proto__":{"admin":true}}',
      '{"a":[{"__proto__":1}]}',
      '{"constructor":{"prototype":{"admin":true}}}',
    ].map((body) => step("POST", "/echo", { status: 400 }, posted(body))),
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
  shows("ERR-010", "a body that does not fit its type gets 422 and the issues", [
    step("POST", "/orders", { status: 422, body: { at: { "/errors/0": { present: true } } } }, jsonBody({ item: 1 })),
  ]),
  shows("ERR-011", "a body that grows over the limit gets 413", [
    echo(413, { ...posted('"{{x*1048576}}"'), chunked: true }),
    echo(200, posted('"{{x*1048574}}"')),
  ]),
  shows("ERR-012", "a target over its limit gets 414, and a head over its limits 431", [
    step("GET", "/users/{{x*9000}}", { status: 414 }),
    step("GET", "/users/{{x*8000}}", { status: 200 }),
    step("GET", "/users/1", { status: 431 }, { headers: { "x-large": "{{x*20000}}" } }),
    step("GET", "/users/1", { status: 200 }, { headers: { "x-large": "{{x*8000}}" } }),
    step(
      "GET",
      "/users/1",
      { status: 431 },
      { headers: Object.fromEntries(Array.from({ length: 110 }, (_, at) => [`x-${at}`, "1"])) },
    ),
  ]),
  shows("ERR-013", "the connection is cut when an error comes after the head", [
    step("GET", "/events/2", { status: 200 }),
    step("GET", "/cut", { cut: true }),
  ]),
  shows("ERR-023", "a body in gzip and in deflate is read as it was before", [
    ...["gzip", "x-gzip"].map((coding) =>
      step(
        "POST",
        "/echo",
        { status: 200, body: { json: { coding } } },
        coded(coding, gzipSync(JSON.stringify({ coding }))),
      ),
    ),
    step("POST", "/echo", { status: 200, body: { json: [1] } }, coded("Deflate", deflateSync("[1]"))),
    step("POST", "/echo", { status: 200, body: { json: [2] } }, coded("identity", Buffer.from("[2]"))),
    step("QUERY", "/lookup", { body: holds({ text: "as text" }) }, coded("gzip", gzipSync("as text"), "text/plain")),
  ]),
  shows("ERR-024", "a body that is over the limit once it is decoded gets 413", [
    echo(200, coded("gzip", sized(1_048_574))),
    echo(413, coded("gzip", sized(1_048_575))),
    echo(413, coded("gzip", sized(16_777_216))),
  ]),
  shows("ERR-025", "a coded body that is damaged gets 400", [
    echo(400, coded("gzip", whole.subarray(0, -1))),
    echo(400, coded("gzip", whole.subarray(0, whole.length >> 1))),
    echo(400, coded("gzip", Buffer.from('{"damaged":true}'))),
    echo(400, coded("gzip", Buffer.concat([whole, Buffer.from("more")]))),
    echo(200, coded("gzip", whole)),
  ]),
  shows("ERR-026", "two Content-Types that differ get 400, and the same one twice is taken", [
    echo(400, typed("application/json", "text/plain")),
    echo(400, typed("text/plain", "application/json")),
    echo(200, typed("application/json", "application/json")),
  ]),
  shows(
    "ERR-030",
    "an error is called by the name of its status",
    Object.entries(titles).map(([target, [status, title]]) =>
      step("GET", target, { status, body: holds({ type: "about:blank", title }) }),
    ),
  ),
  shows("ERR-021", "an HttpError that is returned is the same response as one that is thrown", [
    step("GET", "/returns/error", {
      status: 409,
      headers: { "content-type": { mediaType: "application/problem+json" } },
      body: conflict("returned as asked"),
    }),
    step("GET", "/fail/409", {
      status: 409,
      headers: { "content-type": { mediaType: "application/problem+json" } },
      body: conflict("failed with 409 as asked"),
    }),
  ]),
  shows("ERR-035", "a 415 for the media type lists no codings", [
    step("POST", "/echo", { status: 415, headers: { "accept-encoding": null } }, posted("x", "text/plain")),
    step("POST", "/echo", { status: 200 }, posted('{"typed":1}', "application/json")),
  ]),
  shows("ERR-032", "a body in another charset than UTF-8 gets 415", [
    ...["utf-16", '"UTF-16"', "iso-8859-1"].map((name) => echo(415, inCharset(name))),
    ...["utf-8", '"UTF-8"'].map((name) => echo(200, inCharset(name))),
  ]),
  shows(
    "ERR-027",
    "a coding that is not decoded gets 415 and those that are",
    ["compress", "gzip, gzip", "nothing-of-the-kind"].map((coding) =>
      step(
        "POST",
        "/echo",
        {
          status: 415,
          headers: { "accept-encoding": [{ names: "gzip" }, { names: "deflate" }, { lacks: "compress" }] },
        },
        { headers: { "content-type": "application/json", "content-encoding": coding }, body: '{"a":1}' },
      ),
    ),
  ),
];
