/** Responses that are sent again, as data. Spec: cache.md (CACHE). */
import { traced } from "./traces.ts";
import { shows, step, type Expectation, type Step, type VectorContent } from "./vector.ts";

const target = (kind: string): string => `/stored/${kind}/{{token}}`;
const id = { id: { at: "/id" } };
/** RFC 9211 section 2: `name; hit; ttl=59`, and what caches in front add. */
const said = (what: string): NonNullable<Expectation["headers"]> => ({
  "cache-status": {
    matches: `(?:^|, *)[^,;]+; *${what}(?:; *[a-z*][\\w.*-]*(?:=(?:-?\\d+|"[^"]*"|[A-Za-z*][^\\s;,"=]*))?)*(?: *,|$)`,
  },
});
const hit: Expectation = { headers: said("hit") };
const missed: Expectation = { headers: said("fwd=uri-miss") };
const age = { matches: "^\\d+$" };
const same: Expectation = { status: 200, body: { at: { "/id": { is: "{{id}}" } } } };
const other: Expectation = { status: 200, body: { at: { "/id": { not: "{{id}}" } } } };

const get = (kind: string, expect?: Expectation, content: VectorContent = {}, save = {}): Step =>
  step("GET", target(kind), expect, content, { save });
const query = (body: string, expect?: Expectation, save = {}, type = "application/json"): Step =>
  step("QUERY", target("fresh"), expect, { headers: { "content-type": type }, body }, { save });

const twice = (kind: string, second: Expectation, content: VectorContent = {}): readonly Step[] => [
  get(kind, { status: 200 }, content, id),
  get(kind, second, content),
];

/** The vectors of this chapter. */
export const cache = [
  shows("CACHE-001", "a fresh response is sent again with its age, to HEAD, QUERY, a condition and a range too", [
    ...twice("fresh", { ...same, headers: { age } }),
    step("HEAD", target("fresh"), { status: 200, headers: { age, etag: { matches: "{{id}}" } } }),
    get("fresh", { headers: { age } }, { headers: { "if-none-match": "*" } }),
    get("fresh", { headers: { age } }, { headers: { range: "bytes=1-4" } }),
    query("{}", { status: 200 }),
    query("{}", { headers: { age } }),
  ]),
  ...["no-store", "private"].map((kind) =>
    shows("CACHE-002", `a response with ${kind} is made again`, twice(kind, other)),
  ),
  shows("CACHE-003", "a response with a cookie is made again", twice("cookie", other)),
  shows("CACHE-004", "a response to credentials is made again, unless it is public", [
    ...twice("fresh", other, { headers: { authorization: "Bearer a" } }),
    ...twice("public", same, { headers: { authorization: "Bearer a" } }),
  ]),
  shows("CACHE-005", "another value of a field in Vary gets another response", [
    get("fresh", { status: 200 }, { headers: { "x-variant": "a" } }, id),
    get("fresh", other, { headers: { "x-variant": "b" } }),
    get("fresh", other),
    get("fresh", same, { headers: { "x-variant": "a" } }),
  ]),
  shows("CACHE-006", "another content, another type and another method get another response", [
    query('{"text":"a","limit":1}', { status: 200 }, id),
    query('{"text":"b","limit":1}', other),
    query('{"text":"a","limit":"1"}', other),
    query('{"text":"a","limit":1,"more":null}', other),
    query('{"text":"a","limit":1}', other, {}, "text/plain"),
    get("fresh", other),
    query('{"text":"a","limit":1}', same),
  ]),
  shows("CACHE-006", "a number that is rounded, and a name that is there twice, are another content", [
    query('{"id":9007199254740993}', { status: 200 }, id),
    query('{"id":9007199254740992}', other),
    query('{"a":1,"a":2}', { status: 200 }, id),
    query('{"a":2}', other),
  ]),
  shows("CACHE-007", "another spelling of the same JSON gets the stored response", [
    query('{"text":"a","limit":1}', { status: 200 }, id),
    query(' { "limit": 1.0, "text": "\\u0061" } ', same),
  ]),
  shows("CACHE-008", "a POST makes the responses of its target to be made again, those of QUERY too", [
    get("fresh", { status: 200 }, {}, id),
    query("{}", { status: 200 }, { queried: { at: "/id" } }),
    step("POST", target("fresh"), { status: 204 }),
    get("fresh", other),
    query("{}", { status: 200, body: { at: { "/id": { not: "{{queried}}" } } } }),
  ]),
  shows("CACHE-009", "a condition that the stored response meets is 304", [
    get("fresh", { status: 200 }, {}, { tag: { header: "etag" } }),
    get("fresh", { status: 304 }, { headers: { "if-none-match": "{{tag}}" } }),
    get("fresh", { status: 200 }, { headers: { "if-none-match": '"other"' } }),
  ]),
  shows("CACHE-010", "a range gets its part of the stored response", [
    get("fresh", { status: 200 }, {}, id),
    get(
      "fresh",
      {
        status: 206,
        headers: { "content-range": { matches: "^[Bb][Yy][Tt][Ee][Ss] 1-4/\\d+$" } },
        body: { matches: '^"id"$' },
      },
      { headers: { range: "bytes=1-4" } },
    ),
  ]),
  shows("CACHE-011", "each response says whether it was stored", [
    get("fresh", missed),
    get("fresh", hit),
    get("fresh", hit, { headers: { "if-none-match": "*" } }),
    get("fresh", hit, { headers: { range: "bytes=1-4" } }),
    step("HEAD", target("fresh"), hit),
    query("{}", missed),
    query("{}", hit),
    get("private", missed),
  ]),
  shows(
    "CACHE-020",
    "a trace says where the response is from",
    ["miss", "hit"].flatMap((outcome) =>
      traced("GET", target("fresh"), { "/annotations/[name=cache]/value/outcome": { is: outcome } }, { mark: outcome }),
    ),
  ),
];
