/**
 * Outgoing requests of an application, by both clients of Node, to a real server.
 */
import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import type { HttpDetail } from "../../index.ts";
import { headerPairs } from "./header-list.ts";
import { Watched } from "./watched.testkit.ts";

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

/** The shown leaves of a route's outgoing requests. */
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
    it("is a leaf with method, URL, status and headers, secrets hidden", async () => {
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

    it("that fails has its error and no status", async () => {
      const [cut] = await sent(() => send("/cut").catch(() => undefined));
      assert.ok(cut !== undefined);
      assert.deepEqual([cut[1].status, typeof cut[2]], [null, "string"]);
    });
  });

describe("fetch", () => {
  it("that is redirected is a leaf for each request", async () => {
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

/** The first and last message of a client for one request. */
interface Published {
  readonly begins: string;
  /** The member with the response. */
  readonly responds: string;
  readonly ends: string;
  readonly fails: string;
  readonly request: () => object;
}

const published: Readonly<Record<string, Published>> = {
  undici: {
    begins: "undici:request:create",
    responds: "undici:request:headers",
    ends: "undici:request:trailers",
    fails: "undici:request:error",
    request: () => ({ origin: "http://127.0.0.1:9", path: "/p", method: "PUT", headers: ["a", "1"] }),
  },
  "node:http": {
    begins: "http.client.request.start",
    responds: "http.client.response.finish",
    ends: "http.client.response.finish",
    fails: "http.client.request.error",
    request: () => ({
      protocol: "http:",
      host: "127.0.0.1:9",
      path: "/p",
      method: "PUT",
      getHeader: () => undefined,
      getHeaders: () => ({ a: "1" }),
    }),
  },
};

const publish = (name: string, message: unknown): void => channel(name).publish(message);
const faultsOf = ({ lines }: Watched): readonly string[] => lines.filter((line) => line.includes("could not be shown"));

for (const [client, { begins, responds, ends, fails, request }] of Object.entries(published))
  describe(`what ${client} publishes`, () => {
    it("is a leaf with the run that its response names", async () => {
      const one = request();
      const headers = ["X-Framework-Run", "b-1.7;at=/framework/dev"];
      const watched = new Watched({}, () => {
        publish(begins, { request: one });
        publish(responds, { request: one, response: { statusCode: 202, headers, rawHeaders: headers } });
        publish(ends, { request: one });
        publish(fails, { request: one, error: new Error("of an end that came before") });
      });
      const { leaves } = await watched.trace();
      assert.deepEqual(
        leaves.map(({ name, detail, error }) => [name, detail, error]),
        [
          [
            "PUT 127.0.0.1:9",
            {
              method: "PUT",
              url: "http://127.0.0.1:9/p",
              status: 202,
              requestHeaders: { a: ["1"] },
              responseHeaders: { "x-framework-run": ["b-1.7;at=/framework/dev"] },
              run: { origin: "http://127.0.0.1:9", id: "b-1.7" },
            },
            null,
          ],
        ],
      );
      assert.deepEqual(faultsOf(watched), []);
    });

    it("is a leaf with its error, and an empty one without a response", async () => {
      const [failed, bare] = [request(), request()];
      const watched = new Watched({}, () => {
        publish(begins, { request: failed });
        publish(fails, { request: failed, error: new RangeError("cut") });
        publish(begins, { request: bare });
        publish(responds, { request: bare });
        publish(ends, { request: bare });
      });
      const { leaves } = await watched.trace();
      assert.deepEqual(
        leaves.map(({ error, durationUs, detail }) => {
          assert.ok("status" in detail && "responseHeaders" in detail && "run" in detail);
          return [error, durationUs === null, detail.status, detail.responseHeaders, detail.run];
        }),
        [
          [{ name: "RangeError", message: "cut" }, false, null, {}, null],
          [null, false, null, {}, null],
        ],
      );
      assert.deepEqual(faultsOf(watched), []);
    });

    it("is ignored without a request or a recorded run", async () => {
      const watched = new Watched({}, () => {
        for (const name of new Set([begins, responds, ends, fails]))
          for (const message of [undefined, {}, { request: undefined }, { request: null }, { request: "/p" }])
            publish(name, message);
      });
      assert.deepEqual((await watched.trace()).leaves, []);
      const outside = request();
      for (const name of [begins, responds, ends, fails]) publish(name, { request: outside });
      assert.deepEqual(faultsOf(watched), []);
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

  it("leaves out values that are not headers, and takes 100 at most", () => {
    assert.deepEqual(headerPairs(["a", {}, "", "x", 7]), []);
    assert.deepEqual(headerPairs([]), []);
    assert.equal(headerPairs(Array.from({ length: 400 }, () => "a")).length, 100);
  });
});
