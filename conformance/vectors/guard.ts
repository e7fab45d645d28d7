/** The guard as data: which requests of a local client are accepted. Spec: guard.md (GUARD). */
import { asHtml, graphPath, page, requestsPath, searchPath, streamPath, whyPath } from "../kit/devtools.ts";
import { shows, step, type Expectation, type HeaderExpectation, type Step } from "./vector.ts";

type Headers = Readonly<Record<string, string>>;

const ask = (target: string, headers: Headers, expect: Expectation): Step =>
  step("GET", target, expect, { headers: { ...headers } });
const letIn = (target: string, all: readonly Headers[]): readonly Step[] =>
  all.map((headers) => ask(target, headers, { status: 200 }));
const rejected = (target: string, all: readonly Headers[]): readonly Step[] =>
  all.map((headers) => ask(target, headers, { status: 403 }));

const hosts = (...names: readonly string[]): readonly Headers[] => names.map((host) => ({ host }));
const origins = (...names: readonly string[]): readonly Headers[] =>
  names.map((origin) => ({ host: "localhost:8080", origin }));
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

/** A rejected request, and the words that its response must have. */
const reasons: readonly (readonly [Headers, readonly string[]])[] = [
  [{ host: "evil.test" }, ["Host", "allowedHosts"]],
  [{ origin: "http://evil.test" }, ["Origin"]],
  [{ "sec-fetch-site": "cross-site" }, ["Sec-Fetch-Site"]],
  [{ "x-forwarded-for": "127.0.0.1" }, ["orward", "allowRemote"]],
];

const noCors: Readonly<Record<string, HeaderExpectation>> = Object.fromEntries(
  ["allow-origin", "allow-methods", "allow-headers", "allow-credentials", "expose-headers", "max-age"].map((name) => [
    `access-control-${name}`,
    null,
  ]),
);

const everywhere: Readonly<Record<string, HeaderExpectation>> = {
  "cache-control": { names: "no-store" },
  "cross-origin-resource-policy": { is: "same-origin" },
  "x-content-type-options": { namesAre: ["nosniff"] },
  "x-frame-options": { namesAre: ["deny"] },
  "referrer-policy": { is: "no-referrer" },
};
const isProtected: Expectation = { headers: { ...everywhere } };

/** The vectors of this chapter. */
export const guard = [
  shows(
    "GUARD-002",
    "a local client is local, whatever its headers say, and gets the reason",
    [{ forwarded: "for=203.0.113.9" }, { "x-forwarded-for": "203.0.113.9" }, { "x-real-ip": "203.0.113.9" }].map(
      (headers) => step("GET", `${graphPath}?claims`, { status: 403, body: { has: " " } }, { headers }),
    ),
  ),
  shows("GUARD-004", "local Hosts are let in, and no other", [
    ...letIn(
      graphPath,
      hosts(
        "localhost",
        "LocalHost:1",
        "app.localhost",
        "a.b.localhost:8080",
        "127.0.0.1",
        "127.255.0.9:65535",
        "[::1]",
        "[::1]:80",
      ),
    ),
    ...rejected(
      graphPath,
      hosts(
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
      ),
    ),
  ]),
  shows("GUARD-006", "no Origin but its own is let in", [
    ...letIn(graphPath, origins("http://localhost:8080", "https://localhost:8080")),
    ...rejected(
      graphPath,
      origins(
        "null",
        "http://evil.test",
        "http://localhost",
        "http://localhost:8081",
        "http://localhost:8080.evil.test",
        "ftp://localhost:8080",
      ),
    ),
  ]),
  shows("GUARD-007", "no other site's fetch is let in", [
    ...letIn(graphPath, sites("same-origin", "none")),
    ...rejected(graphPath, [...sites("same-site", "cross-site"), navigation]),
  ]),
  shows("GUARD-007", "another site may link to the page, and neither frame nor fetch it", [
    ...letIn(page, [navigation]),
    ...rejected(page, [
      { ...navigation, "sec-fetch-dest": "iframe" },
      { ...navigation, "sec-fetch-mode": "no-cors" },
    ]),
  ]),
  shows("GUARD-008", "what came through a proxy is rejected", [
    ...letIn(graphPath, [{ "x-forwarder": "is another header" }]),
    ...rejected(graphPath, forwarding),
  ]),
  shows(
    "GUARD-009",
    "a local client learns why it is rejected, and what would help",
    reasons.map(([headers, words]) =>
      ask(`${graphPath}?why`, headers, {
        status: 403,
        headers: { "content-type": { mediaType: "text/plain" } },
        body: [{ lacks: "{{token}}" }, ...words.map((has) => ({ has }))],
      }),
    ),
  ),
  shows("GUARD-010", "no response has a CORS header, to an origin that the application allows neither", [
    ask(graphPath, { host: "localhost", origin: "http://localhost" }, { status: 200, headers: noCors }),
    ask(graphPath, { origin: "https://app.example" }, { status: 403, headers: noCors }),
    step(
      "OPTIONS",
      graphPath,
      { headers: noCors },
      { headers: { origin: "https://app.example", "access-control-request-method": "GET" } },
    ),
  ]),
  shows(
    "GUARD-011",
    "the response to a body over the limit is protected",
    [
      step("POST", `${page}/v1/traces`, isProtected, {
        headers: { "content-type": "application/json" },
        body: '"{{x*1048576}}"',
      }),
    ],
    { features: ["otlp"] },
  ),
  shows("GUARD-011", "every response is protected, whatever its status", [
    step(
      "GET",
      page,
      { status: 200, ...isProtected },
      { headers: { ...asHtml } },
      { save: { tag: { header: "etag" } } },
    ),
    ask(page, { "if-none-match": "{{tag}}" }, { status: 304, ...isProtected }),
    ...[requestsPath, streamPath].map((target) => step("HEAD", target, isProtected)),
    ask(graphPath, { host: "evil.test" }, isProtected),
    step("OPTIONS", graphPath, isProtected, { headers: { host: "evil.test" } }),
    ask(page, { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" }, isProtected),
    ask(`${page}/unknown`, {}, isProtected),
    step("POST", whyPath, { ...isProtected, status: 415 }, { headers: { "content-type": "text/plain" }, body: "{}" }),
    ask(`${searchPath}?q=beam:y`, {}, isProtected),
    ...["DELETE", "OPTIONS", "PATCH", "POST", "PUT", "QUERY"].map((method) => step(method, graphPath, isProtected)),
  ]),
  shows(
    "GUARD-013",
    "the page is isolated from its openers",
    ["GET", "HEAD"].map((method) =>
      step(
        method,
        page,
        { headers: { "cross-origin-opener-policy": { is: "same-origin" } } },
        method === "GET" ? { headers: { ...asHtml } } : {},
      ),
    ),
  ),
];
