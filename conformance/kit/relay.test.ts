/** Tests relays: one without changes passes everything unchanged, and another one makes only its changes. */
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { breaks, breaksStream, editHeader, type Mutant } from "./mutant.ts";
import { Probe } from "./probe.ts";

const listener: RequestListener = (request, response) => {
  if (request.url === "/events") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": hello\n\nretry: 5\n\n");
    for (const n of [1, 2, 3]) response.write(`event: tick\nid: ${n}\ndata: ${n}\ndata: more\n\n`);
    return void response.end();
  }
  if (request.url === "/large") return void response.end("x".repeat(2_000_000));
  response.setHeader("Set-Cookie", ["a=1", "b=2"]);
  request.resume().on("end", () => response.end(`${request.method} ${request.url}`));
};

describe("a probe with a relay", () => {
  const server = createServer(listener);
  before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  after(() => server.close());

  async function through<T>(mutant: Mutant, use: (probe: Probe) => Promise<T>): Promise<T> {
    const upstream = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const probe = new Probe(upstream, { timeoutMs: 2_000, relay: mutant });
    try {
      return await use(probe);
    } finally {
      probe.close();
    }
  }

  const nothing = breaks("nothing", [], (exchange) => exchange);
  const pipelined =
    "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhiHEAD /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

  it("passes pipelined requests and their responses unchanged", async () => {
    const { responses, ended } = await through(nothing, (probe) => probe.raw(pipelined));
    const seen = responses.map((response) => [response.status, response.text, response.all("set-cookie")]);
    const cookies = ["a=1", "b=2"];
    assert.deepEqual(
      [seen, ended],
      [
        [
          [200, "POST /a", cookies],
          [200, "", cookies],
        ],
        "closed",
      ],
    );
  });

  it("keeps the beginning of a large body, and passes on the whole", async () => {
    await through(nothing, async (probe) => {
      const { text } = await probe.send("GET", "/large");
      assert.deepEqual([text.length, probe.exchanges[0]?.body], [2_000_000, `${"x".repeat(100)}… (2000000 bytes)`]);
    });
  });

  it("rewrites only the response of one request", async () => {
    const mutant = breaks("one", [], (exchange) =>
      exchange.sent.path === "/a" && exchange.sent.body === "hi"
        ? editHeader({ ...exchange, status: 418, body: "rewritten" }, "Set-Cookie", undefined)
        : exchange,
    );
    const { responses } = await through(mutant, (probe) => probe.raw(pipelined));
    assert.deepEqual(
      responses.map(({ status, text }) => [status, text]),
      [
        [418, "rewritten"],
        [200, ""],
      ],
    );
  });

  it("cuts a response in the middle of its body, or before it", async () => {
    const truncate = breaks("truncate", [], (exchange) => ({ ...exchange, cut: "truncate" }));
    await assert.rejects(
      through(truncate, (probe) => probe.send("GET", "/a")),
      /Violation/,
    );
    const close = breaks("close", [], (exchange) => ({ ...exchange, cut: "close" }));
    await assert.rejects(
      through(close, (probe) => probe.send("GET", "/a")),
      /Violation/,
    );
  });

  it("delays a response, and gives up if that takes too long", async () => {
    const late = breaks("late", [], (exchange) => ({ ...exchange, delayMs: 2_500 }));
    await assert.rejects(
      through(late, (probe) => probe.send("GET", "/a")),
      /no whole response within 2000 ms/,
    );
  });

  const streamed = (mutant: Mutant) =>
    through(mutant, async (probe) => {
      const stream = await probe.stream("/events");
      await stream.ended();
      return stream.items.map(({ kind, id, data }) => (kind === "event" ? `${id}=${data}` : `${kind} ${data}`));
    });

  it("passes a stream item by item", async () => {
    assert.deepEqual(await streamed(nothing), ["comment hello", "retry 5", "1=1\nmore", "2=2\nmore", "3=3\nmore"]);
  });

  it("changes, drops, repeats and delays items of a stream", async () => {
    const mutant = breaksStream("stream", [], ({ item }) => {
      if (item.kind !== "event") return [];
      if (item.id === "2") return [item, item];
      return item.id === "3" ? [{ ...item, data: "changed", delayMs: 20 }] : [item];
    });
    assert.deepEqual(await streamed(mutant), ["1=1\nmore", "2=2\nmore", "2=2\nmore", "3=changed"]);
  });
});
