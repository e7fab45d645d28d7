/** Unit tests of tunnel.ts: the stream of an extended CONNECT as an HTTP/1.1 upgrade library sees it (WS). */
import assert from "node:assert/strict";
import type { ServerHttp2Stream } from "node:http2";
import { Duplex } from "node:stream";
import { describe, it } from "node:test";
import { tunnelOver } from "./tunnel.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An HTTP/2 stream that records its calls, and accepts writes when told to. */
function streamOf({ closed = false, destroyed = false, highWaterMark = 16_384 } = {}) {
  const calls: unknown[][] = [];
  const taking: (() => void)[] = [];
  let isClosed = closed;
  const duplex = new Duplex({
    autoDestroy: false,
    emitClose: false,
    highWaterMark,
    read: () => undefined,
    write: (chunk, _encoding, done) => (calls.push(["data", String(chunk)]), taking.push(done)),
    writev: (chunks, done) => (calls.push(["data", ...chunks.map(({ chunk }) => String(chunk))]), taking.push(done)),
    final: (done) => (calls.push(["end"]), done()),
  });
  Object.defineProperty(duplex, "closed", { get: () => isClosed });
  if (destroyed) duplex.destroy();
  const stream = Object.assign(duplex, {
    respond: (head: object) => calls.push(["head", { ...head }]),
    close(code: number) {
      isClosed = true;
      calls.push(["close", code]);
    },
  });
  const take = async (): Promise<void> => {
    taking.shift()?.();
    await turn();
  };
  return { stream, calls, take, tunnel: tunnelOver(stream as unknown as ServerHttp2Stream) };
}

const head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\nX-A:  1 \r\n\r\n";
const sent = ["head", { ":status": 200, "x-a": "1" }];

describe("what is written to a tunnel", () => {
  it("is the head of HTTP/1.1 first, split anywhere, and bytes from then on", async () => {
    for (let at = 1; at < head.length; at += 1) {
      const { tunnel, calls, take } = streamOf();
      tunnel.write(head.slice(0, at));
      await turn();
      assert.deepEqual(calls, [], `${at} bytes`);
      tunnel.write(`${head.slice(at)}first`);
      await turn();
      await take();
      tunnel.write("next");
      await turn();
      assert.deepEqual(calls, [sent, ["data", "first"], ["data", "next"]], `${at} bytes`);
    }
    const { tunnel, calls } = streamOf();
    tunnel.write(head);
    await turn();
    assert.deepEqual(calls, [sent]);
  });

  it("is the rejecting status with its fields", async () => {
    const { tunnel, calls } = streamOf();
    tunnel.end("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/html\r\nX-B: a: b\r\n\r\nno");
    await turn();
    const rejected = { ":status": 400, "content-type": "text/html", "x-b": "a: b" };
    assert.deepEqual(calls, [
      ["head", rejected],
      ["data", "no"],
    ]);
  });

  it("waits until its client takes it, and combines several pieces", async () => {
    const { tunnel, calls, take } = streamOf();
    let written = 0;
    tunnel.write(head);
    await turn();
    tunnel.cork();
    for (const chunk of ["a", "b", "c"]) tunnel.write(chunk, () => (written += 1));
    tunnel.uncork();
    await turn();
    assert.deepEqual([calls.slice(1), written], [[["data", "a", "b", "c"]], 0]);
    await take();
    assert.equal(written, 3);
    tunnel.end();
    await turn();
    assert.deepEqual(calls.at(-1), ["end"]);
  });

  it("is an error when the client has left before the head is whole", async () => {
    const { stream, tunnel, calls } = streamOf();
    const failed = new Promise<Error>((resolve) => tunnel.once("error", resolve));
    tunnel.write(head.slice(0, 9));
    stream.close(8);
    tunnel.write(head.slice(9));
    assert.deepEqual([(await failed).message, calls], ["the client has left", [["close", 8]]]);
  });
});

describe("what is read from a tunnel", () => {
  it("is the client's data, which waits while there is no reader", async () => {
    const { stream, tunnel } = streamOf({ highWaterMark: 400_000 });
    const large = Buffer.alloc(200_000, "x");
    stream.push(large);
    await turn();
    assert.equal(stream.isPaused(), true);
    stream.push("after");
    const pieces: Buffer[] = [];
    tunnel.on("data", (piece: Buffer) => pieces.push(piece));
    stream.push(null);
    await new Promise((resolve) => tunnel.once("end", resolve));
    assert.equal(Buffer.concat(pieces).toString(), `${large.toString()}after`);
  });

  it("ends with its stream, which is reset unless it ended on both sides", async () => {
    const { stream, tunnel, calls } = streamOf();
    tunnel.on("error", () => undefined);
    tunnel.destroy();
    await turn();
    assert.deepEqual([calls, stream.readableFlowing], [[["close", 8]], true]);
    const half = streamOf();
    half.tunnel.end(head);
    await turn();
    half.tunnel.destroy();
    await turn();
    assert.deepEqual(half.calls.slice(1), [["end"], ["close", 8]]);
    const left = streamOf();
    left.stream.emit("close");
    await turn();
    assert.equal(left.tunnel.destroyed, true);
    left.stream.emit("data", Buffer.from("late"));
    left.stream.emit("end");
    assert.equal(left.stream.isPaused(), false);
    for (const before of [{ closed: true }, { destroyed: true }]) assert.equal(streamOf(before).tunnel.destroyed, true);
  });

  it("is not reset when both sides have ended", async () => {
    const { stream, tunnel, calls } = streamOf();
    tunnel.write(head);
    tunnel.resume();
    stream.push(null);
    tunnel.end();
    await new Promise((resolve) => tunnel.once("close", resolve));
    stream.emit("close");
    assert.deepEqual(calls, [sent, ["end"]]);
  });
});
