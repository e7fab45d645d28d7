/** Node's streams as exchanges use them: bodies up to their limit, and responses that were sent or lost. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { describe, it } from "node:test";
import { ClientGoneError, ContentTooLargeError } from "../internal/errors.ts";
import { awaitDelivery, contentLength, isReset, readBody, sinkOver, streamBody } from "./node-streams.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => (settled = true));
  await turn();
  return settled;
}

/** A body in pieces, which ends, breaks off or just stops. */
function bodyOf(pieces: readonly string[], end: "ends" | "breaks off" | "stops" = "ends"): Readable {
  const left = pieces.map((piece) => Buffer.from(piece));
  return new Readable({
    read() {
      const piece = left.shift();
      if (piece !== undefined) this.push(piece);
      else if (end === "ends") this.push(null);
      else if (end === "breaks off") this.destroy();
    },
  });
}

/** A target that takes a piece on request. */
class Slow extends Writable {
  readonly taken: string[] = [];
  readonly #waiting: (() => void)[] = [];
  constructor() {
    super({ highWaterMark: 4 });
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#waiting.push(() => {
      this.taken.push(chunk.toString());
      done();
    });
  }
  async take(): Promise<void> {
    this.#waiting.shift()?.();
    await turn();
  }
}

const sound = (): { destroyed: boolean; errored?: Error | null } => ({ destroyed: false });

describe("contentLength", () => {
  it("ERR-011: is the bytes of the body, or undefined when the status has no body or the length is unknown", () => {
    const cases: readonly (readonly [...Parameters<typeof contentLength>, number | undefined])[] = [
      ["GET", 200, "ä", 2],
      ["HEAD", 200, new Uint8Array(3), 3],
      ["GET", 404, undefined, 0],
      ["HEAD", 404, undefined, undefined],
      ["GET", 205, "x", 1],
      ["GET", 204, "x", undefined],
      ["GET", 304, "x", undefined],
    ];
    for (const [method, status, body, length] of cases) assert.equal(contentLength(method, status, body), length);
  });
});

describe("readBody", () => {
  it("ERR-011: accepts exactly as many bytes as the limit", async () => {
    for (const pieces of [["123456"], ["123", "456"], ["12", "34", "56"]]) {
      assert.equal(Buffer.from(await readBody(bodyOf(pieces), 6)).toString(), "123456");
      const source = bodyOf(pieces, "stops");
      await assert.rejects(readBody(source, 5), ContentTooLargeError);
      assert.deepEqual([source.isPaused(), source.listenerCount("data")], [true, 0]);
    }
    assert.equal((await readBody(bodyOf([]), 0)).length, 0);
  });

  it("reports that the client has left when it breaks off, and when it had left before", async () => {
    await assert.rejects(readBody(bodyOf(["1"], "breaks off"), 6), ClientGoneError);
    const failing = bodyOf(["1"], "stops");
    const read = readBody(failing, 6);
    failing.destroy(new Error("reset"));
    await assert.rejects(read, ClientGoneError);
    const gone = bodyOf([]);
    gone.destroy();
    await new Promise((resolve) => gone.once("close", resolve));
    await assert.rejects(readBody(gone, 6), ClientGoneError);
  });

  it("reports that other code has read it, and is empty after its end", async () => {
    const read = bodyOf(["1"]);
    read.read();
    const message = "the body was read already, by code that has req itself: what it kept is there, e.g. in req.body";
    await assert.rejects(readBody(read, 6), { code: "BODY_READ", message });
    assert.throws(() => streamBody(read, 6), { code: "BODY_READ", message });
    const over = Object.defineProperty(new Readable(), "readableEnded", { value: true });
    assert.equal((await readBody(over, 6)).length, 0);
    assert.equal(await new Response(streamBody(over, 6)).text(), "");
  });
});

describe("sinkOver", () => {
  it("waits while its target is full, and knows when everything is out", async () => {
    const target = new Slow();
    const ends: string[] = [];
    const sink = sinkOver(target, sound(), () => void ends.push("ended"));
    assert.equal(await isSettled(sink.drained()), true);
    assert.deepEqual([sink.write("ab"), sink.bufferedBytes, sink.isOut], [true, 2, false]);
    await sink.drained();
    assert.deepEqual([sink.write("cd"), sink.bufferedBytes], [false, 4]);
    let isDrained = false;
    void sink.drained().then(() => (isDrained = true));
    await target.take();
    assert.deepEqual([isDrained, sink.isOut], [false, false]);
    await target.take();
    assert.deepEqual([isDrained, sink.isOut, target.taken, ends], [true, true, ["ab", "cd"], []]);
    assert.equal(await isSettled(sink.drained()), true);
    sink.end();
    await turn();
    assert.deepEqual([ends, target.writableEnded], [["ended"], true]);
  });

  it("blocks nothing after its target is closed, or is released", async () => {
    const target = new Slow();
    const sink = sinkOver(target, sound(), () => undefined);
    sink.write("abcd");
    const waits = sink.drained();
    target.destroy(new Error("reset"));
    await Promise.all([waits, sink.drained()]);
    const other = new Slow();
    const released = sinkOver(other, sound(), () => undefined);
    released.write("abcd");
    const waiting = released.drained();
    released.release();
    await waiting;
    released.write("efgh");
    await released.drained();
  });

  it("LOG-014: has not sent bytes that are reported as written after its connection was cut or reset", async () => {
    for (const end of [{ destroyed: true }, { destroyed: false, errored: new Error("reset") }]) {
      const target = new Slow();
      const connection = sound();
      const sink = sinkOver(target, connection, () => undefined);
      sink.write("a");
      Object.assign(connection, end);
      await target.take();
      assert.equal(sink.isOut, false);
    }
    const failing = new Slow();
    const sink = sinkOver(failing, sound(), () => undefined);
    sink.write("a");
    failing.destroy(new Error("reset"));
    await turn();
    assert.equal(sink.isOut, false);
  });
});

describe("awaitDelivery", () => {
  const told = (connection = sound()): { target: Slow; ends: unknown[]; lose: () => void } => {
    const target = new Slow();
    const ends: unknown[] = [];
    target.on("error", () => undefined);
    target.write("abcd");
    target.end("efg");
    return { target, ends, lose: awaitDelivery(target, 10, (...end) => void ends.push(end), connection) };
  };

  it("LOG-014: reports once that everything is out", async () => {
    const { target, ends, lose } = told();
    assert.deepEqual(ends, []);
    for (let n = 0; n < 3; n += 1) await target.take();
    target.destroy();
    await turn();
    lose();
    assert.deepEqual(ends, [[10, false]]);
  });

  it("LOG-014: reports how much was out when the connection ended before", async () => {
    const closed = told();
    await closed.target.take();
    closed.target.destroy();
    await turn();
    const left = told();
    left.lose();
    left.lose();
    const cut = told({ destroyed: true });
    for (let n = 0; n < 3; n += 1) await cut.target.take();
    const reset = told({ destroyed: false, errored: new Error("reset") });
    for (let n = 0; n < 3; n += 1) await reset.target.take();
    assert.deepEqual(
      [closed.ends, left.ends, cut.ends, reset.ends],
      [[[7, true]], [[3, true]], [[10, true]], [[10, true]]],
    );
    const less: unknown[] = [];
    const target = new Slow();
    target.write("abcd");
    awaitDelivery(target, 1, (...end) => void less.push(end), sound())();
    assert.deepEqual(
      [less, isReset({ destroyed: true, errored: null }), isReset(sound())],
      [[[0, true]], false, false],
    );
  });
});

describe("streamBody", () => {
  it("ERR-011: accepts as many bytes as the limit, and errors past it and when it breaks off", async () => {
    assert.equal(await new Response(streamBody(bodyOf(["123", "456"]), 6)).text(), "123456");
    await assert.rejects(new Response(streamBody(bodyOf(["123", "456"]), 5)).text(), ContentTooLargeError);
    await assert.rejects(new Response(streamBody(bodyOf(["1"], "breaks off"), 6)).text(), ClientGoneError);
    const failing = bodyOf(["1"], "stops");
    const read = new Response(streamBody(failing, 6)).text();
    failing.destroy(new Error("reset"));
    await assert.rejects(read, ClientGoneError);
  });

  it("reads one piece ahead of its reader, also when the source has ended", async () => {
    const source = bodyOf(["1", "2", "3", "4"]);
    const reader = streamBody(source, 4).getReader();
    const ahead = async (): Promise<number> => {
      await turn();
      return source.readableLength;
    };
    assert.deepEqual([await ahead(), source.isPaused()], [3, true]);
    await reader.read();
    assert.deepEqual([await ahead(), source.isPaused()], [2, true]);
    const texts: string[] = [];
    for (let { value } = await reader.read(); value !== undefined; { value } = await reader.read())
      texts.push(Buffer.from(value).toString());
    assert.deepEqual(texts, ["2", "3", "4"]);
  });

  it("reads one piece ahead of a reader that was there before the first, too", async () => {
    const source = new Readable({ read: () => undefined });
    const reader = streamBody(source, 4).getReader();
    const first = reader.read();
    for (const piece of ["1", "2", "3"]) {
      source.push(piece);
      await turn();
    }
    assert.equal(Buffer.from((await first).value ?? []).toString(), "1");
    assert.deepEqual([source.readableLength, source.isPaused()], [1, true]);
  });

  it("leaves bytes past the limit, or for a reader that has left, in the source, and resuming drops them", async () => {
    const tooLong = bodyOf(["12", "34", "5"]);
    await assert.rejects(new Response(streamBody(tooLong, 3)).text(), ContentTooLargeError);
    const left = bodyOf(["1", "2", "3"]);
    await streamBody(left, 3).cancel();
    for (const source of [tooLong, left]) {
      assert.equal(source.isPaused(), true);
      source.resume();
      await once(source, "close");
    }
  });

  it("errors when it has broken off before a read", { timeout: 5_000 }, async () => {
    const gone = bodyOf(["1"]).destroy();
    await once(gone, "close");
    await assert.rejects(new Response(streamBody(gone, 6)).text(), ClientGoneError);
  });

  it("gives plain bytes with a separate buffer, and copies only those that share one", async () => {
    const shared = Buffer.from("secret of another body").subarray(10);
    const own = Buffer.from(new ArrayBuffer(3));
    const pieces: Uint8Array[] = [];
    for await (const piece of streamBody(Readable.from([shared, own]), 100)) pieces.push(piece);
    assert.deepEqual(
      pieces.map((piece) => [piece.constructor, Buffer.from(piece.buffer).toString()]),
      [
        [Uint8Array, "another body"],
        [Uint8Array, "\0\0\0"],
      ],
    );
    assert.equal(pieces[1]?.buffer, own.buffer);
  });
});
