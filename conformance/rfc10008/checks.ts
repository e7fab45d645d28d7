/**
 * The demands of RFC 10008 and its referenced documents on a resource that accepts QUERY, one check each.
 *
 * A check returns a sentence about the error, `undefined` if there is none, or `lacking(…)` if the resource does not have what
 * the check needs. A fact in the RFC without a key word of RFC 2119 ("needs to fail") is a SHOULD here.
 */
import { parseList } from "../kit/structured-list.ts";
import type { HttpResponse } from "../kit/response.ts";
import type { Resource } from "./resource.ts";

/** Why a check does not apply. */
export interface Lacking {
  readonly lacking: string;
}

/** One demand. */
export interface QueryCheck {
  readonly id: string;
  readonly level: "MUST" | "SHOULD" | "MAY";
  /** The section that contains it. */
  readonly source: string;
  readonly sentence: string;
  readonly run: (resource: Resource) => Promise<string | Lacking | undefined>;
}

const lacking = (what: string): Lacking => ({ lacking: what });
const isSuccess = ({ status }: HttpResponse): boolean => status >= 200 && status < 300;
const isClientError = ({ status }: HttpResponse): boolean => status >= 400 && status < 500;
const unless = (holds: boolean, sentence: string): string | undefined => (holds ? undefined : sentence);
const same = (one: HttpResponse, other: HttpResponse): boolean =>
  one.status === other.status && one.bytes.equals(other.bytes);

/** The header fields in which a resource can advertise the types that it accepts. */
async function advertised(resource: Resource): Promise<readonly (readonly [where: string, field: string])[]> {
  const responses = {
    QUERY: await resource.query(),
    "a QUERY of another type": await resource.query({ "content-type": "application/x-unheard-of" }),
    OPTIONS: await resource.send("OPTIONS"),
    HEAD: await resource.send("HEAD"),
    GET: await resource.send("GET"),
  };
  return Object.entries(responses).flatMap(([where, response]) => {
    const field = response.header("accept-query");
    return field === undefined ? [] : [[where, field] as const];
  });
}

/** The media ranges that include a type: itself, its top-level type, any. */
const rangesOf = (type: string): readonly string[] => {
  const plain = (type.split(";")[0] ?? "").trim().toLowerCase();
  return [plain, plain.replace(/\/.*/, "/*"), "*/*"];
};

const isMediaRange = (value: string): boolean =>
  /^(?:\*\/\*|[!#$%&'+.^_`|~\w-]+\/(?:\*|[!#$%&'+.^_`|~\w-]+))$/.test(value);

const content: readonly QueryCheck[] = [
  {
    id: "processed",
    level: "MUST",
    source: "RFC 10008 §2",
    sentence: "A query that the resource understands succeeds.",
    async run(resource) {
      const response = await resource.query();
      return unless(isSuccess(response), `it got ${response.status} ${response.text.slice(0, 120)}`);
    },
  },
  {
    id: "type-caseless",
    level: "MUST",
    source: "RFC 9110 §8.3.1",
    sentence: "The case of the media type makes no difference.",
    async run(resource) {
      const response = await resource.query({ "content-type": resource.options.type.toUpperCase() });
      return unless(isSuccess(response), `${resource.options.type.toUpperCase()} got ${response.status}`);
    },
  },
  {
    id: "in-pieces",
    level: "MUST",
    source: "RFC 9112 §6.1",
    sentence: "Content that does not announce its length is understood the same.",
    async run(resource) {
      if (!resource.speaksHttp1) return lacking("the suite speaks HTTP/2 to it");
      const [whole, pieces] = [await resource.query(), await resource.query({ "transfer-encoding": "chunked" })];
      // RFC 9112 §6.3: a server may reject content without a length with this status.
      if (pieces.status === 411) return lacking("it asks for the length of content (411)");
      return unless(whole.status === pieces.status, `${pieces.status} in pieces, ${whole.status} in one`);
    },
  },
  {
    id: "type-missing",
    level: "MUST",
    source: "RFC 10008 §2",
    sentence: "A query without Content-Type fails with a 4xx.",
    async run(resource) {
      const response = await resource.query({ "content-type": "" });
      return unless(isClientError(response), `it got ${response.status}`);
    },
  },
  {
    id: "type-malformed",
    level: "MUST",
    source: "RFC 10008 §2.1",
    sentence: "A query whose Content-Type is no media type fails with a 4xx.",
    async run(resource) {
      for (const type of ["nonsense", "text/", "/"]) {
        const response = await resource.query({ "content-type": type });
        if (!isClientError(response)) return `${JSON.stringify(type)} got ${response.status}`;
      }
      return undefined;
    },
  },
  {
    id: "type-unsupported",
    level: "SHOULD",
    source: "RFC 10008 §2.1",
    sentence: "A query of a type that the resource does not take gets 415, and is not taken for another type.",
    async run(resource) {
      const response = await resource.query({ "content-type": "application/x-unheard-of" });
      return unless(response.status === 415, `it got ${response.status}`);
    },
  },
  {
    id: "content-inconsistent",
    level: "MUST",
    source: "RFC 10008 §2.1",
    sentence: "Content that is not what its type says fails with a 4xx.",
    async run(resource) {
      const { badBody } = resource.options;
      if (badBody === undefined) return lacking("no --bad-body");
      const response = await resource.query({}, badBody);
      return unless(isClientError(response), `it got ${response.status}`);
    },
  },
  {
    id: "not-acceptable",
    level: "MAY",
    source: "RFC 10008 §2.1",
    sentence: "A query for a type of result that the resource does not make gets 406.",
    async run(resource) {
      const response = await resource.query({ accept: "application/x-unheard-of" });
      return unless(response.status === 406, `it got ${response.status}`);
    },
  },
];

const repetition: readonly QueryCheck[] = [
  {
    id: "idempotent",
    level: "SHOULD",
    source: "RFC 10008 §2",
    sentence: "The same query twice has the same result.",
    async run(resource) {
      const [first, second] = [await resource.query(), await resource.query()];
      return unless(
        same(first, second),
        `${first.status} ${first.text.slice(0, 80)}, then ${second.text.slice(0, 80)}`,
      );
    },
  },
  {
    id: "keyed-by-content",
    level: "MUST",
    source: "RFC 10008 §2.7",
    sentence: "A query is not given the result of one with other content, whatever lies between.",
    async run(resource) {
      const { otherBody } = resource.options;
      if (otherBody === undefined) return lacking("no --other-body");
      const responses = [await resource.query(), await resource.query({}, otherBody), await resource.query()];
      const [first, other, again] = responses as [HttpResponse, HttpResponse, HttpResponse];
      if (other.bytes.equals(first.bytes)) return `both contents have the result ${first.text.slice(0, 120)}`;
      // Another check, a SHOULD, tests that the same query has the same result twice.
      return unless(!again.bytes.equals(other.bytes), "the first query has the result of the second after it");
    },
  },
  {
    id: "apart-from-get",
    level: "MUST",
    source: "RFC 10008 §2.7",
    sentence: "A GET is not given the result of a query to the same URI.",
    async run(resource) {
      const before = await resource.send("GET");
      const { text } = await resource.query();
      const after = await resource.send("GET");
      if (same(before, after)) return undefined;
      return unless(after.text !== text, "a GET after a query has the result of the query");
    },
  },
];

const conditions: readonly QueryCheck[] = [
  {
    id: "if-none-match",
    level: "SHOULD",
    source: "RFC 10008 §2.6",
    sentence: "A query with the entity tag of its result gets 304, the tag, and no content.",
    async run(resource) {
      const etag = (await resource.query()).header("etag");
      if (etag === undefined) return lacking("no ETag in its responses");
      const response = await resource.query({ "if-none-match": etag });
      if (response.status !== 304) return `it got ${response.status}`;
      return unless(response.text === "" && response.header("etag") === etag, "the 304 has content or another tag");
    },
  },
  {
    id: "if-none-match-other-content",
    level: "MUST",
    source: "RFC 10008 §2.6",
    sentence: "A query with the entity tag of another query's result does not get 304.",
    async run(resource) {
      const { otherBody } = resource.options;
      if (otherBody === undefined) return lacking("no --other-body");
      const etag = (await resource.query()).header("etag");
      if (etag === undefined) return lacking("no ETag in its responses");
      const { status } = await resource.query({ "if-none-match": etag }, otherBody);
      return unless(status !== 304, "the other query got 304");
    },
  },
  {
    id: "if-modified-since",
    level: "SHOULD",
    source: "RFC 10008 §2.6",
    sentence: "A query with the Last-Modified of its result gets 304.",
    async run(resource) {
      const modified = (await resource.query()).header("last-modified");
      if (modified === undefined) return lacking("no Last-Modified in its responses");
      const { status } = await resource.query({ "if-modified-since": modified });
      return unless(status === 304, `it got ${status}`);
    },
  },
  {
    id: "condition-after-checks",
    level: "MUST",
    source: "RFC 9110 §13.2.1",
    sentence: "A condition does not make a query that fails anything else.",
    async run(resource) {
      const [plain, conditional] = [
        await resource.query({ "content-type": "" }),
        await resource.query({ "content-type": "", "if-none-match": "*" }),
      ];
      if (isSuccess(plain)) return lacking("a query without Content-Type succeeds");
      return unless(plain.status === conditional.status, `${plain.status}, and with a condition ${conditional.status}`);
    },
  },
];

const discovery: readonly QueryCheck[] = [
  {
    id: "accept-query",
    level: "MAY",
    source: "RFC 10008 §3",
    sentence: "A resource says in Accept-Query what it takes.",
    async run(resource) {
      return unless((await advertised(resource)).length > 0, "no response has Accept-Query");
    },
  },
  {
    id: "accept-query-form",
    level: "MUST",
    source: "RFC 10008 §3, RFC 9651 §3.1",
    sentence: "Accept-Query is a structured list of media ranges, tokens or strings.",
    async run(resource) {
      const found = await advertised(resource);
      if (found.length === 0) return lacking("no Accept-Query in its responses");
      const broken = found.find(([, field]) => parseList(field)?.every(({ value }) => isMediaRange(value)) !== true);
      return broken === undefined ? undefined : `that of ${broken[0]} is ${JSON.stringify(broken[1])}`;
    },
  },
  {
    id: "accept-query-true",
    level: "SHOULD",
    source: "RFC 10008 §3",
    sentence: "Accept-Query names the type that is taken, everywhere where it is sent.",
    async run(resource) {
      const found = await advertised(resource);
      if (found.length === 0) return lacking("no Accept-Query in its responses");
      const ranges = rangesOf(resource.options.type);
      const silent = found.find(([, field]) => {
        const values = parseList(field)?.map(({ value }) => value.toLowerCase()) ?? [];
        return !values.some((value) => ranges.includes(value));
      });
      return silent === undefined ? undefined : `that of ${silent[0]} is ${JSON.stringify(silent[1])}`;
    },
  },
  {
    id: "allow",
    level: "SHOULD",
    source: "RFC 10008 App. A.2",
    sentence: "The response to OPTIONS lists QUERY in Allow.",
    async run(resource) {
      const response = await resource.send("OPTIONS");
      const allow = response.list("allow");
      return unless(allow.includes("QUERY"), `${response.status}, Allow: ${allow.join(", ") || "none"}`);
    },
  },
  {
    id: "405-allow",
    level: "MUST",
    source: "RFC 9110 §15.5.6",
    sentence: "A 405 of the resource lists QUERY in Allow.",
    async run(resource) {
      const response = await resource.send("GET");
      if (response.status !== 405) return lacking("GET is no method that it rejects with 405");
      return unless(response.list("allow").includes("QUERY"), `Allow: ${response.header("allow") ?? "none"}`);
    },
  },
];

const elsewhere: readonly QueryCheck[] = [
  {
    id: "preflight",
    level: "MUST",
    source: "RFC 10008 §4, Fetch: CORS-preflight fetch",
    sentence: "A preflight for QUERY and Content-Type from the allowed origin is granted.",
    async run(resource) {
      const { origin } = resource.options;
      if (origin === undefined) return lacking("no --origin");
      const asked = { "access-control-request-method": "QUERY", "access-control-request-headers": "content-type" };
      const response = await resource.send("OPTIONS", { headers: { origin, ...asked } });
      const [methods, headers] = ["methods", "headers"].map((what) => response.list(`access-control-allow-${what}`));
      const caseless = (headers ?? []).map((name) => name.toLowerCase());
      const allowed = response.header("access-control-allow-origin") ?? "none";
      const granted = [
        isSuccess(response),
        [origin, "*"].includes(allowed),
        ["QUERY", "*"].some((name) => methods?.includes(name)),
        ["content-type", "*"].some((name) => caseless.includes(name)),
      ];
      const seen = `${response.status}, origin ${allowed}, methods ${methods?.join(" ")}, headers ${caseless.join(" ")}`;
      return unless(granted.every(Boolean), seen);
    },
  },
  {
    id: "cross-origin",
    level: "MUST",
    source: "Fetch: CORS check",
    sentence: "The query of a page of the allowed origin, and its rejection, name that origin.",
    async run(resource) {
      const { origin } = resource.options;
      if (origin === undefined) return lacking("no --origin");
      const responses = [await resource.query({ origin }), await resource.query({ origin, "content-type": "" })];
      const silent = responses.find((one) => ![origin, "*"].includes(one.header("access-control-allow-origin") ?? ""));
      return silent === undefined ? undefined : `the ${silent.status} names no origin`;
    },
  },
  {
    id: "content-location",
    level: "SHOULD",
    source: "RFC 10008 §2.3",
    sentence: "A GET of Content-Location gives the result.",
    async run(resource) {
      return fetched(resource, "content-location");
    },
  },
  {
    id: "location",
    level: "SHOULD",
    source: "RFC 10008 §2.4",
    sentence: "A GET of the Location of a success repeats the query.",
    async run(resource) {
      return fetched(resource, "location");
    },
  },
  {
    id: "redirected",
    level: "MUST",
    source: "RFC 10008 §2.5",
    sentence: "A redirection leads to the result: by QUERY with the content for 301, 302, 307 and 308, by GET for 303.",
    async run(resource) {
      const { moved } = resource.options;
      if (moved === undefined) return lacking("no --moved");
      const response = await resource.queryAt(moved);
      const target = resource.targetOf(response.header("location") ?? "");
      if (![301, 302, 303, 307, 308].includes(response.status) || target === undefined)
        return `it got ${response.status}, Location: ${response.header("location") ?? "none"}`;
      const [direct, followed] = [
        await resource.query(),
        response.status === 303 ? await resource.send("GET", {}, target) : await resource.queryAt(target),
      ];
      if (same(direct, followed)) return undefined;
      if (isSuccess(followed) && !same(direct, await resource.query())) return lacking("its results differ each time");
      return `${response.status} to ${target}, which gives ${followed.status}`;
    },
  },
];

async function fetched(resource: Resource, name: string): Promise<string | Lacking | undefined> {
  const result = await resource.query();
  const reference = result.header(name);
  if (reference === undefined) return lacking(`no ${name} in its responses`);
  const target = resource.targetOf(reference);
  if (target === undefined) return lacking(`${reference} is on another server`);
  const found = await resource.send("GET", {}, target);
  return unless(same(result, found), `${target} gives ${found.status} ${found.text.slice(0, 80)}`);
}

/** Every check, in the order of the RFC. */
export const queryChecks: readonly QueryCheck[] = [
  ...content,
  ...repetition,
  ...conditions,
  ...discovery,
  ...elsewhere,
];
