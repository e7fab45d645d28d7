/** The request's span, as reported by the subject. Spec: tracing.md (SPAN). */
import { proves } from "../kit/case.ts";
import { logsOf, sendTagged, spanOf, spansOf } from "../kit/evidence.ts";
import type { Probe, SendOptions, Span } from "../kit/probe.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentId = "b7ad6b7169203331";
const traceparent = `00-${traceId}-${parentId}-01`;

const headers = (given: Readonly<Record<string, string | readonly string[]>>): SendOptions => ({ headers: given });

/** Did the span join the trace of its request, as the child of that parent? */
const joined = (span: Span): boolean => span.traceId === traceId && span.parentSpanId === parentId;

/** For each value of `traceparent`, sent to `/users/<name>-<position>`: did the span join its trace? */
async function joins(probe: Probe, name: string, values: readonly string[]): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  for (const [at, value] of values.entries()) {
    const span = await spanOf(probe, "GET", `/users/${name}-${at}`, headers({ traceparent: value }));
    seen.push([value, joined(span)]);
  }
  return seen;
}

const tracestateOf = async (probe: Probe, target: string, tracestate: string): Promise<string | null> =>
  (await spanOf(probe, "GET", target, headers({ traceparent, tracestate }))).traceState;

/** Values of `tracestate` that are malformed or have too many members. */
const noTracestates = [
  "a=1,b",
  "A=1",
  "a=1,b=\u00e9",
  "a=1,b==2",
  Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(","),
];

/** The spans of requests with a malformed, a repeated and a valid `traceparent`, each with a `tracestate`. */
async function unsound(probe: Probe): Promise<readonly Span[]> {
  const given = { malformed: "00-malformed", repeated: [traceparent, traceparent], sound: traceparent };
  const spans: Span[] = [];
  for (const [name, value] of Object.entries(given))
    spans.push(await spanOf(probe, "GET", `/users/${name}`, headers({ traceparent: value, tracestate: "a=1" })));
  return spans;
}

/** The spans of a GET of each target, in order. */
async function spansOfEach(probe: Probe, targets: readonly string[]): Promise<readonly Span[]> {
  const tag = probe.token();
  for (const target of targets) await sendTagged(probe, tag, "GET", target);
  return spansOf(probe, tag, targets.length);
}

/** The cases of this chapter. */
export const tracing = [
  proves("SPAN-001", "makes exactly one span for every request", async (probe) => {
    const tag = probe.token();
    const targets = ["/users/1", "/boom", `/${tag}`, "/events/2", "/health"];
    for (const target of targets) await sendTagged(probe, tag, "GET", target);
    const spans = await spansOf(probe, tag, targets.length);
    const paths = spans.map(({ attributes }) => String(attributes["url.path"])).toSorted();
    const ids = new Set(spans.map(({ spanId }) => spanId)).size;
    const kinds = new Set(spans.map(({ kind }) => kind));
    probe.equal(
      "how many ids there are, the kinds, and the paths",
      [ids, [...kinds], paths],
      [targets.length, ["SERVER"], targets.toSorted()],
    );
  }),

  proves("SPAN-002", "is named by method and pattern, or by the method alone", async (probe) => {
    const spans = [
      await spanOf(probe, "GET", "/users/42"),
      await spanOf(probe, "QUERY", "/api/search", { json: {} }),
      await spanOf(probe, "GET", `/${probe.token()}`),
    ];
    probe.equal(
      "the names",
      spans.map(({ name }) => name),
      ["GET /users/{id}", "QUERY /api/search", "GET"],
    );
  }),

  proves("SPAN-003", "has method, path, route and status", async (probe) => {
    const tag = probe.token();
    await sendTagged(probe, tag, "GET", "/users/a%20b?c=d");
    await sendTagged(probe, tag, "POST", "/nowhere");
    await sendTagged(probe, tag, "GET", "/files/x/y");
    const seen = (await spansOf(probe, tag, 3)).map(({ attributes }) => [
      attributes["http.request.method"],
      attributes["url.path"],
      attributes["http.route"],
      attributes["http.response.status_code"],
    ]);
    const expected = [
      ["GET", "/users/a%20b", "/users/{id}", 200],
      ["POST", "/nowhere", undefined, 404],
      ["GET", "/files/x/y", "/files/*path", 200],
    ];
    probe.equal("method, path, route and status", seen, expected);
  }),

  proves("SPAN-004", "has the scheme, and the server's name and port", async (probe) => {
    const { attributes } = await spanOf(probe, "GET", "/users/1");
    const seen = [attributes["url.scheme"], attributes["server.address"], attributes["server.port"]];
    const { protocol, hostname, port } = probe.base;
    const scheme = protocol.slice(0, -1);
    probe.equal("scheme, address and port", seen, [scheme, hostname, Number(port || (scheme === "https" ? 443 : 80))]);
  }),

  proves(
    "SPAN-004",
    "has the client's address and the HTTP version",
    async (probe) => {
      const tag = probe.token();
      await sendTagged(probe, tag, "GET", "/users/1");
      const [[span], [line]] = [await spansOf(probe, tag, 1), await logsOf(probe, tag, 1)];
      const {
        "network.protocol.version": version,
        "client.address": client,
        "user_agent.original": agent,
      } = span?.attributes ?? {};
      const seen = [version, client ?? null, agent];
      const versions = probe.speaksHttp1 ? "1.1" : "2";
      probe.equal("version, address and user agent", seen, [versions, line?.remoteAddress ?? null, tag]);
    },
    { features: ["access-log"] },
  ),

  proves("SPAN-005", "distinguishes an unknown method from a known one", async (probe) => {
    const tag = probe.token();
    for (const method of ["PROPFIND", "MKCOL"]) await sendTagged(probe, tag, method, "/users/1");
    await sendTagged(probe, tag, "QUERY", "/lookup", { body: "x", headers: { "content-type": "text/plain" } });
    const seen = (await spansOf(probe, tag, 3)).map(({ name, attributes }) => [
      name.split(" ")[0],
      attributes["http.request.method"],
      attributes["http.request.method_original"],
    ]);
    const expected = [
      ["HTTP", "_OTHER", "PROPFIND"],
      ["HTTP", "_OTHER", "MKCOL"],
      ["QUERY", "QUERY", undefined],
    ];
    probe.equal("name, method and original method", seen, expected);
  }),

  proves("SPAN-004", "has no user agent if the request has none", async (probe) => {
    const path = `/users/${probe.token()}`;
    await probe.send("GET", path);
    const span = await probe.eventually(
      "its span",
      async () => (await probe.spans((attributes) => attributes["url.path"] === path))[0],
    );
    probe.equal("the user agent", span.attributes["user_agent.original"], undefined);
  }),

  proves("SPAN-006", "has no query, no other header and no body", async (probe) => {
    const secret = "a-secret-of-the-client";
    const span = await spanOf(probe, "POST", `/echo?key=${secret}`, {
      headers: { authorization: `Bearer ${secret}`, cookie: `a=${secret}`, "x-secret": secret },
      json: { secret },
    });
    const seen = [span.attributes["url.path"], JSON.stringify(span).includes(secret)];
    probe.equal("the path, and whether the secret is there", seen, ["/echo", false]);
  }),

  proves("SPAN-007", "joins the trace of a valid traceparent", async (probe) => {
    const spans = [
      await spanOf(probe, "GET", "/users/1", headers({ traceparent })),
      await spanOf(probe, "GET", "/boom", headers({ traceparent: traceparent.replace(/1$/, "0") })),
    ];
    const seen = spans.map((span) => [span.traceId, span.parentSpanId]);
    probe.equal("trace and parent", seen, [
      [traceId, parentId],
      [traceId, parentId],
    ]);
  }),

  proves("SPAN-030", "begins a trace for each request without one", async (probe) => {
    const spans = [];
    for (const target of ["/users/1", "/users/2", "/boom"]) spans.push(await spanOf(probe, "GET", target));
    const traces = new Set(spans.map((span) => span.traceId)).size;
    const parents = spans.map(({ parentSpanId, traceState }) => [parentSpanId, traceState]);
    probe.equal(
      "how many traces there are, parents and tracestates",
      [traces, parents],
      [3, spans.map(() => [null, null])],
    );
  }),

  proves("SPAN-008", "accepts a traceparent of version 00 only in its exact form", async (probe) => {
    const rejected = [
      `${traceparent}-x`,
      traceparent.slice(0, 54),
      traceparent.toUpperCase(),
      traceparent.replace(traceId, "0".repeat(32)),
      traceparent.replace(parentId, "0".repeat(16)),
      traceparent.replace("f", "g"),
      traceparent.replaceAll("-", "_"),
    ];
    const expected = [...rejected.map((value) => [value, false]), [traceparent, true]];
    probe.equal("which were joined", await joins(probe, "version-00", [...rejected, traceparent]), expected);
  }),

  proves("SPAN-009", "uses the first 55 characters of a later version", async (probe) => {
    const later = `cc${traceparent.slice(2)}`;
    const values = [later, `${later}-what`, `${later}what`, `ff${traceparent.slice(2)}`];
    probe.equal("which were joined", await joins(probe, "later-version", values), [
      [values[0], true],
      [values[1], true],
      [values[2], false],
      [values[3], false],
    ]);
  }),

  proves("SPAN-010", "begins a new trace on a malformed or repeated traceparent", async (probe) => {
    const seen = (await unsound(probe)).map((span) => [joined(span), span.parentSpanId !== null]);
    probe.equal("whether joined, and whether a child", seen, [
      [false, false],
      [false, false],
      [true, true],
    ]);
  }),

  proves("SPAN-035", "drops the tracestate of a malformed or repeated traceparent", async (probe) => {
    const seen = (await unsound(probe)).map(({ traceState }) => traceState);
    probe.equal("tracestate", seen, [null, null, "a=1"]);
  }),

  proves("SPAN-011", "drops a malformed tracestate as a whole", async (probe) => {
    const seen: unknown[] = [];
    const kept = ["a=1", Array.from({ length: 32 }, (_, at) => `m${at}=1`).join(",")];
    for (const [at, tracestate] of [...noTracestates, ...kept].entries())
      seen.push([tracestate, await tracestateOf(probe, `/users/tracestate-${at}`, tracestate)]);
    probe.equal("tracestate", seen, [...noTracestates.map((one) => [one, null]), ...kept.map((one) => [one, one])]);
  }),

  proves("SPAN-036", "keeps the traceparent if the tracestate is dropped", async (probe) => {
    const seen: unknown[] = [];
    for (const [at, tracestate] of noTracestates.entries()) {
      const span = await spanOf(probe, "GET", `/users/kept-${at}`, headers({ traceparent, tracestate }));
      seen.push([tracestate, joined(span)]);
    }
    probe.equal(
      "whether joined",
      seen,
      noTracestates.map((one) => [one, true]),
    );
  }),

  proves("SPAN-022", "keeps the first of two members of tracestate with one key", async (probe) => {
    const span = await spanOf(probe, "GET", "/users/twice", headers({ traceparent, tracestate: "a=1,b=2,a=3" }));
    probe.equal("tracestate, and whether joined", [span.traceState, joined(span)], ["a=1,b=2", true]);
  }),

  proves("SPAN-012", "passes on 512 characters of tracestate, whole members only, long ones last", async (probe) => {
    const long = `long=${"x".repeat(200)}`;
    const wide = Array.from({ length: 10 }, (_, at) => `w${at}=${"y".repeat(50)}`);
    const atLimit = `limit=${"z".repeat(122)}`;
    const seen = [
      await tracestateOf(probe, "/users/limit", [atLimit, ...wide].join(",")),
      await tracestateOf(probe, "/users/long", [long, ...wide.slice(0, 7)].join(",")),
      await tracestateOf(probe, "/users/wide", wide.join(",")),
      await tracestateOf(probe, "/users/short", "a=1,b=2"),
    ];
    const expected = [[atLimit, ...wide.slice(0, 7)], wide.slice(0, 7), wide.slice(0, 9), ["a=1", "b=2"]];
    const texts = expected.map((members) => members.join(","));
    probe.equal("what is passed on", seen, texts);
  }),

  proves("SPAN-031", "has the type of the error", async (probe) => {
    const types = (await spansOfEach(probe, ["/users/1", "/boom", "/fail/503"])).map(
      ({ attributes }) => typeof attributes["error.type"],
    );
    probe.equal("the types", types, ["undefined", "string", "string"]);
  }),

  proves("SPAN-013", "has the status error after a 5xx", async (probe) => {
    const [sound, boom, fail] = await spansOfEach(probe, ["/users/1", "/boom", "/fail/503"]);
    probe.equal("the statuses", [sound?.status, boom?.status, fail?.status], ["UNSET", "ERROR", "ERROR"]);
  }),

  proves("SPAN-032", "has the exception that caused a 5xx", async (probe) => {
    const spans = await spansOfEach(probe, ["/users/1", "/boom", "/fail/503"]);
    const messages = spans.map(({ exceptions }) => exceptions.map(({ message }) => message));
    probe.equal("the messages", messages, [[], ["a secret of the server"], ["failed with 503 as asked"]]);
  }),

  proves("SPAN-034", "has exceptions with a type and a message", async (probe) => {
    const exceptions = (await spansOfEach(probe, ["/boom", "/fail/503"])).flatMap((span) => span.exceptions);
    const named = exceptions.map(({ type, message }) => type.length > 0 && type !== message);
    probe.equal("whether each has one", named, [true, true]);
  }),

  proves("SPAN-014", "has the status unset below 500 and records nothing", async (probe) => {
    const tag = probe.token();
    for (const target of ["/boom", "/fail/404", "/users/1", `/${tag}`]) await sendTagged(probe, tag, "GET", target);
    const seen = (await spansOf(probe, tag, 4)).map(({ status, attributes, exceptions }) => [
      status,
      attributes["error.type"] === undefined,
      exceptions.length,
    ]);
    const unset = ["UNSET", true, 0];
    probe.equal("status, whether there is no error.type, and exceptions", seen, [
      ["ERROR", false, 1],
      unset,
      unset,
      unset,
    ]);
  }),

  proves(
    "SPAN-015",
    "has the status error after an abort, with the HTTP status only if a head was sent",
    async (probe) => {
      const tag = probe.token();
      const early = probe.begin("GET", "/slow/5000", headers({ "user-agent": tag }));
      await probe.underWay();
      early.leave();
      await spansOf(probe, tag, 1);
      const late = probe.begin("GET", "/events/1000000", headers({ "user-agent": tag }));
      await late.head();
      late.leave();
      const seen = (await spansOf(probe, tag, 2)).map(({ status, attributes }) => [
        status,
        attributes["error.type"],
        attributes["http.response.status_code"],
      ]);
      probe.equal("status, error.type and status code", seen, [
        ["ERROR", "aborted", undefined],
        ["ERROR", "aborted", 200],
      ]);
    },
  ),

  proves(
    "SPAN-017",
    "provides its trace id to the rest of the request",
    async (probe) => {
      const tag = probe.token();
      await sendTagged(probe, tag, "GET", "/users/1");
      const [[span], [line]] = [await spansOf(probe, tag, 1), await logsOf(probe, tag, 1)];
      probe.equal("the trace id in the log", line?.traceId, span?.traceId);
    },
    { features: ["access-log"] },
  ),
];
