/**
 * A request for each status and method that a subject has, for the clauses that speak of every response. What a subject
 * lacks it responds to with 404, which is a response like another.
 */
import { jsonBody, step, type Expectation, type Step, type VectorContent } from "./vector.ts";

type Asked = readonly [method: string, target: string, content?: VectorContent];

const longAgo = "Thu, 01 Jan 1970 00:00:00 GMT";

const served: readonly Asked[] = [
  ["GET", "/users/1"],
  ["HEAD", "/users/1"],
  ["OPTIONS", "/users/1"],
  ["POST", "/orders", jsonBody({ item: "tea", total: 1 })],
  ["QUERY", "/search", jsonBody({})],
  ["GET", "/returns/response"],
  ["GET", "/returns/nothing"],
  ["GET", "/returns/stream"],
  ["GET", "/events/1"],
  ["GET", "/cached/10", { headers: { "if-none-match": "*" } }],
  ["GET", "/assets/digits.txt", { headers: { range: "bytes=0-0" } }],
  ["GET", "/assets/sub"],
  ["GET", "/health"],
  ["GET", "/cached/10", { headers: { "if-match": '"other"' } }],
  ["GET", "/vary/stream"],
  ["GET", "/vary/response"],
  ["GET", "/annotated/every"],
  ["GET", "/leaves/every"],
  ["GET", "/pages/route"],
  ["GET", "/sessions/sealed"],
  ["GET", "/sessions/silent"],
  ["GET", "/users/1?by=page", { headers: { accept: "*/*", "sec-fetch-mode": "cors", "if-unmodified-since": longAgo } }],
];

/** A field that is too large: 413. */
const largeForm: VectorContent = {
  headers: { "content-type": "multipart/form-data; boundary=b" },
  body: '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n{{x*101}}\r\n--b--\r\n',
};

const rejected: readonly Asked[] = [
  ["POST", "/uploads", largeForm],
  ...["DELETE", "PATCH", "PUT", "PROPFIND", "MKCOL"].map((method) => [method, "/users/1"] as const),
  ["POST", "/orders", jsonBody({})],
  ["POST", "/echo", { headers: { "content-type": "text/plain" }, body: "x" }],
  ["QUERY", "/search", { headers: { "content-type": "application/json" }, body: "{" }],
  ["QUERY", "/lines", jsonBody({ sku: 1 })],
  ["QUERY", "/nowhere"],
  ["POST", "/nowhere"],
  ["POST", "/nested", jsonBody({})],
  ["POST", "/forms", jsonBody({})],
  ["POST", "/sessions/failing/values/every"],
  ["POST", "/private/role"],
  ["GET", "/private/scope", { headers: { authorization: "Bearer token-of-bob" } }],
  ["GET", "/secured/failed"],
  ["GET", "/versions/type", { headers: { accept: "application/vnd.subject.v9+json" } }],
  ["GET", "/assets/digits.txt", { headers: { range: "bytes=1000-" } }],
  ...["/returns/error", "/private/basic", "/nowhere", "/files/private/a", "/boom", "/ws/nobody", "/ws/plain"].map(
    (target) => ["GET", target] as const,
  ),
  ...[400, 402, 418, 503].map((status) => ["GET", `/fail/${status}`] as const),
];

const steps = (all: readonly Asked[], expect: Expectation, headers: VectorContent["headers"]): readonly Step[] =>
  all.map(([method, target, content = {}]) =>
    step(method, target, expect, { ...content, headers: { ...content.headers, ...headers } }),
  );

/** Each with these headers, and what is asked too often as one client. */
export function everyResponse(expect: Expectation, headers: VectorContent["headers"] = {}): readonly Step[] {
  const limited = [1, 2, 3, 4].map(() => ["GET", "/limited/{{token}}-every"] as const);
  return steps([...served, ...rejected, ...limited], expect, headers);
}

/** Each that is rejected, and the last of those that ask too often. */
export function everyError(expect: Expectation): readonly Step[] {
  const target = "/limited/{{token}}-error";
  const spending = [1, 2, 3].map(() => step("GET", target));
  return [...steps(rejected, expect, {}), ...spending, step("GET", target, expect)];
}
