/** What a client gets when something goes wrong. Spec: errors.md (ERR). */
import { deflateSync, gzipSync } from "node:zlib";
import type { Static } from "typebox";
import { Problem } from "../../spec/errors.ts";
import { SubjectLookup } from "../../spec/subject.ts";
import { HttpResponse } from "../kit/response.ts";
import { proves } from "../kit/case.ts";
import { announced, everyResponse } from "../kit/every-response.ts";
import type { Probe, SendOptions } from "../kit/probe.ts";
import { wasClosed } from "../kit/violation.ts";

/** The status of a POST of each body to /echo. */
async function echoed(probe: Probe, bodies: Readonly<Record<string, string | Buffer>>, type = "application/json") {
  const found: Record<string, number> = {};
  for (const [name, body] of Object.entries(bodies)) {
    found[name] = (
      await probe.send("POST", "/echo", { headers: type === "" ? {} : { "content-type": type }, body })
    ).status;
  }
  return found;
}

/** A JSON body in that coding. */
const coded = (coding: string, body: string | Buffer): SendOptions => ({
  headers: { "content-type": "application/json", "content-encoding": coding },
  body,
});

const all = (names: Readonly<Record<string, unknown>>, status: number): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.keys(names).map((name) => [name, status]));

/** A connection that was cut before the head, as a cut response. One that stays open too long is none. */
function asCut(error: unknown): { readonly response: HttpResponse; readonly whole: boolean } {
  if (wasClosed(error)) return { response: new HttpResponse(200, [], Buffer.alloc(0)), whole: false };
  throw error;
}

/** What a problem says that has no issues. */
const membersOf = ({ type, title, status, detail, code }: Static<typeof Problem>) => [
  type,
  title,
  status,
  detail,
  code,
];

/** The cases of this chapter. */
export const errors = [
  proves("ERR-001", "makes of every error a problem that repeats the status", async (probe) => {
    const responses = [
      await probe.send("GET", `/${probe.token()}`),
      await probe.send("DELETE", "/users/1"),
      await probe.send("GET", "/slow/never"),
      await probe.send("POST", "/echo", { body: "x", headers: { "content-type": "text/plain" } }),
      await probe.send("POST", "/orders", { json: {} }),
      await probe.send("GET", "/fail/418"),
      await probe.send("GET", "/boom"),
    ];
    const seen = responses.map((response) => [response.status, response.type, probe.json(Problem, response).status]);
    const statuses = [404, 405, 400, 415, 422, 418, 500];
    probe.equal(
      "status, type, and status in the body",
      seen,
      statuses.map((status) => [status, "application/problem+json", status]),
    );
  }),

  proves("ERR-001", "makes a problem of every error, whatever the status and the method", async (probe) => {
    const responses = [...(await everyResponse(probe))].filter(([name]) => !name.includes("/health"));
    // HEAD aside, and what has no body.
    const failed = responses.filter(([, { status, bytes }]) => status >= 400 && bytes.length > 0);
    const others = failed.filter(([, { type }]) => type !== "application/problem+json").map(([name]) => name);
    probe.equal("how many fail, at least, and those of another type", [failed.length >= 10, others], [true, []]);
  }),

  proves("ERR-030", "calls an error by the name of its status", async (probe) => {
    const seen: unknown[] = [];
    for (const target of ["/nowhere", "/slow/never", "/fail/402", "/fail/418", "/fail/503", "/boom"]) {
      const { type, title } = probe.json(Problem, await probe.send("GET", target));
      seen.push([type, title]);
    }
    const titles = ["Not Found", "Bad Request", "Payment Required", "I'm a Teapot", "Service Unavailable"];
    const expected = [...titles, "Internal Server Error"].map((title) => ["about:blank", title]);
    probe.equal("type and title", seen, expected);
  }),

  proves("ERR-002", "makes of an unexpected error a 500 without its message", async (probe) => {
    const { status, text } = await probe.send("GET", "/boom");
    probe.equal("status, and whether the message shows", [status, text.includes("secret")], [500, false]);
  }),

  proves("ERR-004", "makes of an HttpError a response with its status, message and headers", async (probe) => {
    const seen: unknown[] = [];
    for (const status of [400, 402, 404, 418, 500, 503]) {
      const response = await probe.send("GET", `/fail/${status}`);
      seen.push([response.status, probe.json(Problem, response).detail, response.header("x-failed")]);
    }
    const expected = [400, 402, 404, 418, 500, 503].map((status) => [
      status,
      `failed with ${status} as asked`,
      String(status),
    ]);
    probe.equal("status, detail and X-Failed", seen, expected);
  }),

  proves("ERR-007", "rejects malformed JSON, invalid UTF-8 and an empty body with 400", async (probe) => {
    const bodies = {
      "half an object": '{"a":',
      "two values": "1 2",
      "a trailing comma": "[1,]",
      "invalid UTF-8": Buffer.from([0x22, 0xc3, 0x28, 0x22]),
      nothing: "",
    };
    probe.equal("the statuses", await echoed(probe, bodies), all(bodies, 400));
  }),

  proves("ERR-008", "rejects keys that reach for a prototype with 400", async (probe) => {
    const bodies = {
      "at the top": '{"__proto__":{"admin":true}}',
      "deep down": '{"a":[{"__proto__":1}]}',
      "under constructor": '{"constructor":{"prototype":{"admin":true}}}',
      escaped: '{"__pro\\u0074o__":1}',
    };
    const innocent = { "constructor alone": '{"constructor":"Ferrari"}', "as a value": '["__proto__"]' };
    const found = { ...(await echoed(probe, bodies)), ...(await echoed(probe, innocent)) };
    probe.equal("the statuses", found, { ...all(bodies, 400), ...all(innocent, 200) });
  }),

  proves("ERR-009", "rejects a body that is not JSON with 415", async (probe) => {
    const body = { "{}": "{}" };
    const found = [
      await echoed(probe, body, "text/plain"),
      await echoed(probe, body, "application/x-www-form-urlencoded"),
      await echoed(probe, body, ""),
      await echoed(probe, body, "application/merge-patch+json"),
    ];
    probe.equal(
      "the statuses",
      found.map((statuses) => statuses["{}"]),
      [415, 415, 415, 200],
    );
  }),

  proves("ERR-032", "rejects a body in another charset than UTF-8 with 415", async (probe) => {
    const body = { charset: '{"charset":1}' };
    const types = ["utf-16", '"UTF-16"', "utf-8", '"UTF-8"'].map((name) => `application/json; charset=${name}`);
    const found: (number | undefined)[] = [];
    for (const type of types) found.push((await echoed(probe, body, type))["charset"]);
    probe.equal("the statuses", found, [415, 415, 200, 200]);
  }),

  proves("ERR-010", "rejects a body that does not fit its type with 422 and the issues", async (probe) => {
    const response = await probe.send("POST", "/orders", { json: { item: 1 } });
    const problem = probe.json(Problem, response);
    const issues = (problem as { readonly errors?: unknown }).errors;
    probe.equal(
      "status, and whether there are issues",
      [response.status, Array.isArray(issues) && issues.length > 0],
      [422, true],
    );
  }),

  proves("ERR-011", "rejects a body over the limit with 413, as soon as its length is known", async (probe) => {
    const over = await announced(probe, 1_048_577);
    const within = await probe.send("POST", "/echo", { json: "x".repeat(1_048_574) });
    probe.equal("the statuses over and at the limit", [over?.status, within.status], [413, 200]);
  }),

  proves("ERR-011", "rejects a body that grows over the limit without announcing it with 413", async (probe) => {
    const headers = { "transfer-encoding": "chunked", "content-type": "application/json" };
    const plain = { "content-type": "application/json" };
    const body = JSON.stringify("x".repeat(1_048_576));
    const { status } = await probe.send("POST", "/echo", { headers: probe.speaksHttp1 ? headers : plain, body });
    probe.equal("the status", status, 413);
  }),

  proves("ERR-023", "reads a body in gzip and in deflate as it was before", async (probe) => {
    const coders = { gzip: gzipSync, "x-gzip": gzipSync, Deflate: deflateSync, identity: (body: string) => body };
    const seen: Record<string, unknown> = {};
    for (const [coding, code] of Object.entries(coders)) {
      const response = await probe.send("POST", "/echo", coded(coding, code(JSON.stringify({ coding }))));
      seen[coding] = [response.status, response.text.replaceAll(/\s/g, "")];
    }
    const asText = await probe.send("QUERY", "/lookup", coded("gzip", gzipSync('"as text"')));
    const { text } = probe.json(SubjectLookup, asText);
    const expected = Object.keys(coders).map((coding) => [coding, [200, JSON.stringify({ coding })]]);
    probe.equal("status and body", { ...seen, text }, { ...Object.fromEntries(expected), text: '"as text"' });
  }),

  proves("ERR-024", "rejects a body that is over the limit once it is decoded with 413", async (probe) => {
    const sized = (length: number): Promise<HttpResponse> =>
      probe.send("POST", "/echo", coded("gzip", gzipSync(JSON.stringify("x".repeat(length)))));
    const [within, over, bomb] = [await sized(1_048_574), await sized(1_048_575), await sized(16_777_216)];
    probe.equal("the statuses at and over the limit", [within.status, over.status, bomb.status], [200, 413, 413]);
  }),

  proves("ERR-025", "rejects a coded body that is damaged with 400", async (probe) => {
    const whole = gzipSync('{"damaged":true}');
    const bodies = {
      "all but its last byte": whole.subarray(0, -1),
      "half of it": whole.subarray(0, whole.length >> 1),
      "other bytes": Buffer.from('{"damaged":true}'),
      "something behind it": Buffer.concat([whole, Buffer.from("more")]),
    };
    const seen: Record<string, number> = {};
    for (const [what, body] of Object.entries(bodies))
      seen[what] = (await probe.send("POST", "/echo", coded("gzip", body))).status;
    const asItIs = await probe.send("POST", "/echo", coded("gzip", whole));
    probe.equal("the statuses", { ...seen, whole: asItIs.status }, { ...all(bodies, 400), whole: 200 });
  }),

  proves("ERR-026", "rejects two Content-Types that differ with 400, and takes the same one twice", async (probe) => {
    const lines = (...types: readonly string[]): string => types.map((type) => `Content-Type: ${type}\r\n`).join("");
    const seen: unknown[] = [];
    for (const types of [
      lines("application/json", "text/plain"),
      lines("text/plain", "application/json"),
      lines("application/json", "application/json"),
    ]) {
      const head = `POST /echo HTTP/1.1\r\nHost: ${probe.base.host}\r\nConnection: close\r\n${types}`;
      const { responses } = await probe.raw(`${head}Content-Length: 7\r\n\r\n{"t":1}`, { responses: 1 });
      seen.push(responses[0]?.status);
    }
    probe.equal("the statuses", seen, [400, 400, 200]);
  }),

  proves("ERR-027", "rejects a coding that is not decoded with 415, and lists those that are", async (probe) => {
    const seen: unknown[] = [];
    for (const coding of ["compress", "gzip, gzip", "nothing-of-the-kind"]) {
      const response = await probe.send("POST", "/echo", coded(coding, '{"a":1}'));
      const listed = response.set("accept-encoding");
      seen.push([response.status, listed.includes("gzip"), listed.includes("deflate"), listed.includes("compress")]);
    }
    const rejected = [415, true, true, false];
    probe.equal("status, and whether gzip, deflate and compress are listed", seen, [rejected, rejected, rejected]);
  }),

  proves("ERR-012", "rejects a target over its limit with 414", async (probe) => {
    const over = await probe.send("GET", `/users/${"x".repeat(9_000)}`);
    const within = await probe.send("GET", `/users/${"x".repeat(8_000)}`);
    probe.equal("the statuses over and within the limit", [over.status, within.status], [414, 200]);
  }),

  proves("ERR-012", "rejects a head over its limits with 431", async (probe) => {
    const many = Object.fromEntries(Array.from({ length: 110 }, (_, at) => [`x-${at}`, "1"]));
    const large = await probe.send("GET", "/users/1", { headers: { "x-large": "x".repeat(20_000) } });
    const numerous = await probe.send("GET", "/users/1", { headers: many });
    const innocent = await probe.send("GET", "/users/1", { headers: { "x-large": "x".repeat(8_000) } });
    probe.equal("the statuses", [large.status, numerous.status, innocent.status], [431, 431, 200]);
  }),

  proves("ERR-013", "cuts the connection when an error comes after the head", async (probe) => {
    const witness = await probe.sendToEnd("GET", "/events/2");
    // A platform that gathers the first bytes may not have sent the head yet: then the connection is cut before it.
    const { response, whole } = await probe.sendToEnd("GET", "/cut").catch(asCut);
    const seen = [witness.response.status, witness.whole, response.status, whole];
    probe.equal("of another stream and this one, the status and whether it came whole", seen, [200, true, 200, false]);
  }),

  proves("ERR-021", "makes the same of an HttpError that is returned as of one that is thrown", async (probe) => {
    const returned = await probe.send("GET", "/returns/error");
    const thrown = await probe.send("GET", "/fail/409");
    const seen = [returned, thrown].map((response) => [
      response.status,
      response.type,
      membersOf(probe.json(Problem, response)),
    ]);
    const problem = (detail: string) => ["about:blank", "Conflict", 409, detail, undefined];
    probe.equal("status, type and problem", seen, [
      [409, "application/problem+json", problem("returned as asked")],
      [409, "application/problem+json", problem("failed with 409 as asked")],
    ]);
  }),
];
