/** The guard, by HTTP: which requests of a local client are let in. Spec: guard.md (GUARD). */
import { saidOf, type HttpResponse } from "../kit/response.ts";
import { proves } from "../kit/case.ts";
import { directives, hashSources } from "../kit/content-policy.ts";
import { asHtml, graphPath, page, requestsPath, searchPath, streamPath } from "../kit/devtools.ts";
import type { Probe, SendOptions } from "../kit/probe.ts";

type Headers = NonNullable<SendOptions["headers"]>;

/** What a request with each of these headers came to. */
async function table<T>(
  probe: Probe,
  target: string,
  rows: readonly Headers[],
  read: (response: HttpResponse) => T,
): Promise<readonly (readonly [Headers, T])[]> {
  const results: (readonly [Headers, T])[] = [];
  for (const headers of rows) results.push([headers, read(await probe.send("GET", target, { headers }))]);
  return results;
}

/** What becomes of a request that no HTTP client would send. A closed connection counts as rejected; silence does not. */
async function rawFate(probe: Probe, target: string, lines: string): Promise<"let in" | "rejected" | "left waiting"> {
  const request = `GET ${target} HTTP/1.1\r\n${lines}Connection: close\r\n\r\n`;
  const { responses, ended } = await probe.raw(request, { responses: 1 });
  if (ended === "timeout") return "left waiting";
  return responses.some(letIn) ? "let in" : "rejected";
}

const letIn = ({ status }: HttpResponse): boolean => status === 200;
const verdicts = (yes: readonly Headers[], no: readonly Headers[]): readonly (readonly [Headers, boolean])[] => [
  ...yes.map((headers) => [headers, true] as const),
  ...no.map((headers) => [headers, false] as const),
];
const hosts = (...names: readonly string[]): readonly Headers[] => names.map((host) => ({ host }));

const localHosts = hosts(
  "localhost",
  "LocalHost:1",
  "app.localhost",
  "a.b.localhost:8080",
  "127.0.0.1",
  "127.255.0.9:65535",
  "[::1]",
  "[::1]:80",
);
const foreignHosts = hosts(
  "evil.test",
  "localhost.evil.test",
  "evillocalhost",
  "127.0.0.1.evil.test",
  "127.1",
  "2130706433",
  "0.0.0.0",
  "10.0.0.1",
  "[::]",
  "[::ffff:127.0.0.1]",
);

const origins = (...names: readonly string[]): readonly Headers[] =>
  names.map((origin) => ({ host: "localhost:8080", origin }));
const ownOrigins = origins("http://localhost:8080", "https://localhost:8080");
const foreignOrigins = origins(
  "null",
  "http://evil.test",
  "http://localhost",
  "http://localhost:8081",
  "http://localhost:8080.evil.test",
  "ftp://localhost:8080",
);

const sites = (...names: readonly string[]): readonly Headers[] => names.map((name) => ({ "sec-fetch-site": name }));
const navigation = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

const forwarding: readonly Headers[] = [
  { forwarded: "for=127.0.0.1" },
  { "x-forwarded-for": "127.0.0.1" },
  { "x-forwarded-host": "localhost" },
  { "x-forwarded-proto": "http" },
  { "x-forwarded-port": "8080" },
  { via: "1.1 proxy" },
  { "x-real-ip": "127.0.0.1" },
  { "cf-connecting-ip": "127.0.0.1" },
];

/** A rejected request, what its response must name, and the option that it must name, if one helps. */
const reasons: readonly (readonly [Headers, RegExp])[] = [
  [{ host: "evil.test" }, /\bHost\b[\s\S]*\ballowedHosts\b/],
  [{ origin: "http://evil.test" }, /\bOrigin\b/],
  [{ "sec-fetch-site": "cross-site" }, /\bSec-Fetch-Site\b/],
  [{ "x-forwarded-for": "127.0.0.1" }, /forward[\s\S]*\ballowRemote\b/i],
];

const everywhere = {
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "deny",
  "referrer-policy": "no-referrer",
} as const;

/** The cases of this chapter. */
export const guard = [
  proves("GUARD-002", "takes a local client for local, whatever its headers say", async (probe) => {
    const claims = [
      { forwarded: "for=203.0.113.9" },
      { "x-forwarded-for": "203.0.113.9" },
      { "x-real-ip": "203.0.113.9" },
    ];
    const found = await table(probe, `${graphPath}?claims`, claims, ({ status, text }) => [status, text !== ""]);
    probe.equal(
      "the responses to a local client",
      found,
      claims.map((headers) => [headers, [403, true]]),
    );
  }),

  proves("GUARD-003", "rejects a request with no Host and one with two", async (probe) => {
    const host = "Host: localhost\r\n";
    const one = letIn(await probe.send("GET", graphPath, { headers: { host: "localhost" } }));
    const [none, two] = [await rawFate(probe, graphPath, ""), await rawFate(probe, graphPath, host + host)];
    probe.equal("which requests are let in", { one, none, two }, { one: true, none: "rejected", two: "rejected" });
  }),

  proves("GUARD-004", "lets in local Hosts and no other", async (probe) => {
    const found = await table(probe, graphPath, [...localHosts, ...foreignHosts], letIn);
    probe.equal("which requests are let in", found, verdicts(localHosts, foreignHosts));
  }),

  proves("GUARD-006", "lets in no Origin but its own", async (probe) => {
    const found = await table(probe, graphPath, [...ownOrigins, ...foreignOrigins], letIn);
    probe.equal("which requests are let in", found, verdicts(ownOrigins, foreignOrigins));
  }),

  proves("GUARD-007", "lets in no other site's fetch", async (probe) => {
    const [own, foreign] = [sites("same-origin", "none"), [...sites("same-site", "cross-site"), navigation]];
    const found = await table(probe, graphPath, [...own, ...foreign], letIn);
    probe.equal("which requests are let in", found, verdicts(own, foreign));
  }),

  proves("GUARD-007", "lets another site link to the page, and neither frame nor fetch it", async (probe) => {
    const foreign = [
      { ...navigation, "sec-fetch-dest": "iframe" },
      { ...navigation, "sec-fetch-mode": "no-cors" },
    ];
    const found = await table(probe, page, [navigation, ...foreign], letIn);
    probe.equal("which requests are let in", found, verdicts([navigation], foreign));
  }),

  proves("GUARD-008", "rejects what came through a proxy", async (probe) => {
    const direct: Headers = { "x-forwarder": "is another header" };
    const found = await table(probe, graphPath, [direct, ...forwarding], letIn);
    probe.equal("which requests are let in", found, verdicts([direct], forwarding));
  }),

  proves("GUARD-009", "tells a local client why it is rejected, and what would help", async (probe) => {
    const rows = reasons.map(([headers]) => headers);
    const found = await table(probe, `${graphPath}?why`, rows, (response) => {
      return { status: response.status, type: response.type, text: response.text };
    });
    const reasonsGiven = found.map(([, { status, type, text }], at) => [status, type, reasons[at]?.[1].test(text)]);
    probe.equal(
      "status, type, and whether the text says it",
      reasonsGiven,
      reasons.map(() => [403, "text/plain", true]),
    );
  }),

  proves(
    "GUARD-010",
    "responds without any CORS header, also to an origin that the application allows",
    async (probe) => {
      const allowed = { origin: "https://app.example" };
      const preflight = { ...allowed, "access-control-request-method": "GET" };
      const own = await probe.send("GET", graphPath, { headers: { host: "localhost", origin: "http://localhost" } });
      const foreign = await probe.send("GET", graphPath, { headers: allowed });
      const asked = await probe.send("OPTIONS", graphPath, { headers: preflight });
      const cors = [own, foreign, asked].map(({ headers }) =>
        headers.map(([name]) => name.toLowerCase()).filter((name) => name.startsWith("access-control-")),
      );
      probe.equal(
        "the own origin's status, and CORS headers",
        [own.status, foreign.status, cors],
        [200, 403, [[], [], []]],
      );
    },
  ),

  proves("GUARD-011", "protects every response, whatever its status", async (probe) => {
    const { response: stream } = await probe.stream(`${streamPath}?about=guard`);
    const known = (await probe.send("GET", page)).header("etag") ?? "";
    const responses: Record<string, HttpResponse> = {
      page: await probe.send("GET", page, { headers: asHtml }),
      "the page, unchanged": await probe.send("GET", page, { headers: { "if-none-match": known } }),
      requests: await probe.send("HEAD", requestsPath),
      stream,
      rejected: await probe.send("GET", graphPath, { headers: { host: "evil.test" } }),
      unknown: await probe.send("GET", `${page}/unknown`),
      "a query that is none": await probe.send("GET", `${searchPath}?q=beam:y`),
    };
    const methods = ["DELETE", "OPTIONS", "PATCH", "POST", "PUT", "QUERY"];
    for (const method of methods) responses[method] = await probe.send(method, graphPath);
    const headersOf = (response: HttpResponse): object => ({
      ...saidOf(response, Object.keys(everywhere)),
      "is stored": !response.set("cache-control").includes("no-store"),
    });
    const found = Object.entries(responses).map(([what, response]) => [what, headersOf(response)]);
    probe.equal(
      "the headers",
      found,
      Object.keys(responses).map((what) => [what, { ...everywhere, "is stored": false }]),
    );
  }),

  proves("GUARD-020", "rejects HTTP/1.0, which proxies speak and browsers do not", async (probe) => {
    for (const target of [page, graphPath]) {
      const request = `GET ${target} HTTP/1.0\r\nHost: localhost:8080\r\nUser-Agent: an old proxy\r\n\r\n`;
      const { responses } = await probe.raw(request, { responses: 1 });
      probe.equal(
        `what ${target} comes to`,
        responses.map(({ status }) => status),
        [403],
      );
    }
  }),

  proves("GUARD-012", "allows the page its own script and style and its own origin, nothing else", async (probe) => {
    const response = await probe.send("GET", page, { headers: asHtml });
    const policy = directives(response.header("content-security-policy") ?? "");
    const { "default-src": others, "script-src": script, "style-src": style, "connect-src": connect } = policy;
    probe.equal(
      "the policy",
      { others, script, style, connect },
      {
        others: ["'none'"],
        script: hashSources(response.text, "script"),
        style: hashSources(response.text, "style"),
        connect: ["'self'"],
      },
    );
  }),

  proves("GUARD-013", "isolates the page from its openers", async (probe) => {
    const responses = [await probe.send("GET", page, { headers: asHtml }), await probe.send("HEAD", page)];
    const policies = responses.map((response) => response.header("cross-origin-opener-policy"));
    probe.equal("the policies of GET and HEAD", policies, ["same-origin", "same-origin"]);
  }),
];
