/**
 * Requests that an application sends, by both clients of Node, to a real server.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import type { HttpDetail } from "../../index.ts";
import { headerPairs } from "./header-list.ts";
import { Watched } from "./watched.test.ts";

let server: Server;
let origin: string;

before(async () => {
  server = createServer((request, response) => {
    if (request.url === "/cut") return void request.socket.destroy();
    if (request.url === "/moved") return void response.writeHead(302, { location: "/there" }).end();
    response.setHeader("Set-Cookie", ["a=secret-cookie-1", "b=2"]);
    response.writeHead(request.url === "/missing" ? 404 : 200, { "X-Answer": "42" }).end("body");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => void server.close());

const byFetch = async (path: string, headers: Record<string, string> = {}): Promise<void> =>
  void (await (await fetch(origin + path, { headers })).text());

async function byHttp(path: string, headers: Record<string, string> = {}): Promise<void> {
  const [response] = (await once(get(origin + path, { headers }), "response")) as [IncomingMessage];
  await response.resume().toArray();
}

/** What the requests that a route sends are shown as. */
async function sent(
  work: () => Promise<unknown>,
): Promise<readonly (readonly [string, HttpDetail, string | undefined])[]> {
  const { leaves, durationUs } = await new Watched({}, (_, store) => store.load(work)).trace();
  return leaves.map((leaf) => {
    assert.ok(leaf.kind === "http" && leaf.parentId === 0);
    assert.ok(leaf.durationUs !== null && leaf.startUs + leaf.durationUs <= durationUs);
    return [leaf.name, leaf.detail, leaf.error?.name];
  });
}

for (const [client, send] of Object.entries({ fetch: byFetch, "node:http": byHttp }))
  describe(client, () => {
    it("LEAF-017: is a leaf with method, URL, status and headers, secrets hidden", async () => {
      const [one, two] = await sent(async () => {
        await send("/path?access_token=t0p-secret&q=1", { authorization: "Bearer abcdefgh", "x-a": "b" });
        await send("/missing");
      });
      assert.ok(one !== undefined && two !== undefined);
      const [name, { method, url, status, requestHeaders, responseHeaders, run }] = one;
      assert.deepEqual(
        [name, method, url, status, run],
        [`GET ${origin.slice(7)}`, "GET", `${origin}/path?access_token=[redacted]&q=1`, 200, null],
      );
      assert.deepEqual([requestHeaders["authorization"], requestHeaders["x-a"]], [["[redacted]"], ["b"]]);
      assert.deepEqual(
        [responseHeaders["x-answer"], responseHeaders["set-cookie"]],
        [["42"], ["[redacted]", "[redacted]"]],
      );
      assert.equal(two[1].status, 404);
    });

    it("LEAF-017: that fails has its error and no status", async () => {
      const [cut] = await sent(() => send("/cut").catch(() => undefined));
      assert.ok(cut !== undefined);
      assert.deepEqual([cut[1].status, typeof cut[2]], [null, "string"]);
    });
  });

describe("fetch", () => {
  it("LEAF-017: that is redirected is a leaf for each request", async () => {
    const shown = await sent(() => byFetch("/moved"));
    assert.deepEqual(
      shown.map(([, { url, status }]) => [url.slice(origin.length), status]),
      [
        ["/moved", 302],
        ["/there", 200],
      ],
    );
  });
});

describe("headerPairs", () => {
  const forms: Readonly<Record<string, Parameters<typeof headerPairs>[0]>> = {
    "an object": { a: "1", b: ["2", "3"], c: undefined },
    pairs: [
      ["a", "1"],
      ["b", "2"],
      ["b", "3"],
    ],
    "a flat list": ["a", "1", "b", ["2", "3"]],
    "a flat list of bytes": ["a", "1", "b", "2", "b", "3"].map((text) => Buffer.from(text)),
    "the text of a head": "a: 1\r\nb:2\r\nb: 3\r\n",
  };
  for (const [name, list] of Object.entries(forms))
    it(`reads ${name}`, () => {
      assert.deepEqual(headerPairs(list), [
        ["a", "1"],
        ["b", "2"],
        ["b", "3"],
      ]);
    });

  it("leaves out what is no header, and takes 100 at most", () => {
    assert.deepEqual(headerPairs(["a", {}, "", "x", 7]), []);
    assert.deepEqual(headerPairs([]), []);
    assert.equal(headerPairs(Array.from({ length: 400 }, () => "a")).length, 100);
  });
});
