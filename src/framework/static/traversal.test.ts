/** No spelling of a path reaches files next to the root, on any engine (STATIC-002). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { overHttp2 } from "../testing/clients.testkit.ts";
import { exchange } from "../testing/harness.testkit.ts";
import { Framework, NodeHttp2Engine, NodeHttpEngine } from "../index.ts";
import { StaticMiddleware } from "./index.ts";
import { fixture, SECRET, type Fixture } from "./fixture.testkit.ts";

const ups = [
  "..",
  "%2e%2e",
  "%2E%2E",
  ".%2e",
  "%2e.",
  "%252e%252e",
  "..%00",
  "%00..",
  "..;",
  "..%20",
  "..%09",
  "...",
  "....",
  "%c0%ae%c0%ae",
  "%e0%80%ae%e0%80%ae",
  "%uff0e%uff0e",
  "%ff0e%ff0e",
  "%EF%BC%8E%EF%BC%8E",
  "..%5c..",
  "....//",
  "..%01",
];
const slashes = [
  "/",
  "//",
  "%2f",
  "%2F",
  "\\",
  "%5c",
  "%5C",
  "%252f",
  "%c0%af",
  "%e2%88%95",
  "/./",
  "/%2e/",
  "\\/",
  "/;/",
];
const targets = ["secret.txt", "publicly/secret.txt", "public/.env"];
const whole = [
  "/.env",
  "/%2eenv",
  "/assets/../.env",
  "/assets/%2e%2e/.env",
  "/.git/config",
  "/link.txt",
  "/up/secret.txt",
  "/env.txt",
  "/up/publicly/secret.txt",
  "//secret.txt",
  "/..",
  "/%2e%2e",
  "/...",
  "/app.js/../../secret.txt",
  "/~/secret.txt",
  "/assets/.hidden",
  "/assets//.hidden",
  "/assets%2f.hidden",
  "/assets%5c.hidden",
  "/assets/%2ehidden",
  "/.%00env",
];

/** Every spelling: up, a separator, a target, under the root and under an existing folder. */
const spellings: readonly string[] = [
  ...whole,
  ...["", "/assets", "/inside"].flatMap((start) =>
    ups.flatMap((up) =>
      slashes.map(
        (slash, n) =>
          `${start}/${up}${slash}${start === "" ? "" : `${up}${slash}`}${targets[n % targets.length] ?? ""}`,
      ),
    ),
  ),
];

let files: Fixture;
before(() => {
  files = fixture();
});
after(() => files.remove());

const appOn = (engine?: NodeHttpEngine | NodeHttp2Engine): Framework =>
  Framework.create({
    ...(engine && { engine }),
    host: "127.0.0.1",
    logger: { warn: () => undefined, error: () => undefined },
  }).use(new StaticMiddleware({ root: files.root, precompressed: true, fallback: "index.html" }));

/** The responses that are more than a rejection: a spelling, its status and its body. */
type Reached = readonly (readonly [spelling: string, status: number, body: string])[];

/** None of them holds the secret. Any sent file is inside the root. */
function check(reached: Reached): void {
  assert.ok(reached.length >= 500, `${reached.length} spellings`);
  const bad = reached.filter(([, status, body]) => body.includes(SECRET) || ![400, 404].includes(status));
  assert.deepEqual(bad, []);
}

async function overOneSocket(port: number): Promise<Reached> {
  const head = (path: string, last: boolean): string =>
    `GET ${path} HTTP/1.1\r\nHost: h\r\n${last ? "Connection: close\r\n" : ""}\r\n`;
  const reached: (readonly [string, number, string])[] = [];
  for (let at = 0; at < spellings.length; at += 50) {
    const some = spellings.slice(at, at + 50);
    const bytes = Buffer.from(some.map((path, n) => head(path, n === some.length - 1)).join(""), "latin1");
    const responses = await exchange(port, bytes);
    assert.equal(responses.length, some.length);
    responses.forEach(({ status, body }, n) => void reached.push([some[n] ?? "", status, body]));
  }
  return reached;
}

describe("no spelling reaches files next to the root", () => {
  test("STATIC-002: over HTTP/1.1, with raw bytes", async () => {
    const app = await appOn(new NodeHttpEngine()).start(0);
    try {
      check(await overOneSocket(app.port));
      // The secret exists, and the same client would have seen it.
      const witness = await exchange(
        app.port,
        "GET /assets/digits.txt HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
      );
      assert.equal(witness[0]?.body, "0123456789");
    } finally {
      await app.stop({ graceMs: 0 });
    }
  });

  test("STATIC-002: in another server", async () => {
    const server = createServer(appOn().listener()).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      check(await overOneSocket((server.address() as AddressInfo).port));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test("STATIC-002: over HTTP/2", async () => {
    const app = await appOn(new NodeHttp2Engine()).start(0);
    const session = connectHttp2(app.url);
    try {
      const reached: (readonly [string, number, string])[] = [];
      for (let at = 0; at < spellings.length; at += 50) {
        const some = spellings.slice(at, at + 50);
        const all = await Promise.all(some.map((path) => overHttp2(session, { target: path })));
        all.forEach(({ status, body }, n) => void reached.push([some[n] ?? "", status === 0 ? 400 : status, body]));
      }
      check(reached);
    } finally {
      session.destroy();
      await app.stop({ graceMs: 0 });
    }
  });

  test("STATIC-002: by app.fetch, whose Request normalizes the path", async () => {
    const app = appOn();
    const reached: (readonly [string, number, string])[] = [];
    for (const path of spellings) {
      const response = await app.fetch(new Request(`http://h${path}`));
      reached.push([path, response.status, await response.text()]);
    }
    check(
      reached.map(([path, status, body]) => [path, body.includes("<h1>home") || body === "bytes" ? 404 : status, body]),
    );
  });
});
