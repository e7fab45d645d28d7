/** Unit tests of response-body.ts: which part of a Response's body is read, and which is left to send (CTX). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import type { StreamBody } from "./context.ts";
import { ResponseBody, withWholeBody } from "./response-body.ts";

const text = new TextDecoder();
const bytesOf = (value: string): Uint8Array => new TextEncoder().encode(value);

const streamOf = (body: BodyInit): StreamBody => new Response(body).body ?? assert.fail("it has no body");

/** A stream of these pieces, each after a delay. Also counts the pieces requested and notes a cancel. */
function slow(pieces: readonly (string | Error)[]) {
  const seen = { asked: 0, cancelled: 0 };
  const stream: StreamBody = {
    [Symbol.asyncIterator]: (): AsyncIterator<string, undefined> => ({
      next: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        const value = pieces[seen.asked];
        seen.asked += 1;
        if (value instanceof Error) throw value;
        return value === undefined ? { done: true, value } : { done: false, value };
      },
      return: () => {
        seen.cancelled += 1;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
  return { stream, seen };
}

/** The rest of a body, as it would be sent. */
async function rest(body: ResponseBody): Promise<string> {
  let all = "";
  for await (const piece of body) all += typeof piece === "string" ? piece : text.decode(piece);
  return all;
}

describe("ResponseBody", () => {
  const atOnce: Readonly<Record<string, readonly [body: BodyInit, whole: string]>> = {
    "a text": ["tëxt", "tëxt"],
    "an empty text": ["", ""],
    "bytes, more than are held of a stream": [new Uint8Array(100_000).fill(97), "a".repeat(100_000)],
    "a form": [new URLSearchParams("a=b"), "a=b"],
  };
  for (const [what, [body, whole]] of Object.entries(atOnce))
    test(`is whole when it was ${what}`, async () => {
      assert.equal(text.decode(await new ResponseBody(streamOf(body)).whole(undefined)), whole);
    });

  test("waits only for bodies that are announced to be short", async () => {
    const { stream, seen } = slow(["a", "", "bc"]);
    assert.equal(text.decode(await new ResponseBody(stream).whole(3)), "abc");
    assert.equal(seen.asked, 4);
    for (const promised of [undefined, 65_537]) {
      const body = new ResponseBody(slow(["a", "bc"]).stream);
      assert.equal(await body.whole(promised), undefined);
      assert.equal(await rest(body), "abc");
    }
  });

  test("stops at more bytes than were promised or than it may hold, and gives back the bytes it read", async () => {
    const longer = new ResponseBody(slow(["ab", "cd", "e"]).stream);
    assert.equal(await longer.whole(3), undefined);
    assert.equal(await rest(longer), "abcde");
    const asked: number[] = [];
    const endless = new ResponseBody(
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          asked.push(asked.length);
          if (asked.length > 200) controller.close();
          else controller.enqueue(new Uint8Array(10_000).fill(98));
        },
      }),
    );
    assert.equal(await endless.whole(undefined), undefined);
    assert.ok(asked.length < 20, `${asked.length}`);
    assert.equal((await rest(endless)).length, 2_000_000);
  });

  test("fails with its source, both while it is read and while it is sent", async () => {
    const error = new Error("it broke off");
    await assert.rejects(new ResponseBody(slow(["a", error]).stream).whole(2), error);
    const body = new ResponseBody(slow([error]).stream);
    assert.equal(await body.whole(undefined), undefined);
    await new Promise((resolve) => setImmediate(resolve)); // It has failed by now, and no consumer has asked.
    await assert.rejects(rest(body), error);
    const odd = new ResponseBody(new ReadableStream<never>({ start: (to) => to.enqueue(1 as never) }));
    await assert.rejects(odd.whole(undefined), { code: "RESPONSE_VALUE" });
  });

  test("cancels its source, also during a read", async () => {
    const { stream, seen } = slow(["a", "b"]);
    const body = new ResponseBody(stream);
    const reading = body.whole(2);
    await body[Symbol.asyncIterator]().return?.();
    await reading;
    assert.equal(seen.cancelled, 1);
  });
});

describe("withWholeBody", () => {
  const codings: Readonly<Record<string, (bytes: Uint8Array) => Uint8Array>> = {
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    "gzip, BR": brotliCompressSync,
  };
  for (const [coding, compress] of Object.entries(codings))
    for (const content of ['{"a":1}', `<!doctype html><p>${"ü".repeat(2_000)}`, "x", ""])
      test(`keeps ${coding} when the bytes have it, and drops it otherwise: ${content.slice(0, 9)}`, async () => {
        const headers = ["X-A", "1", "Content-Encoding", coding, "Content-Length", "3"];
        const read = async (bytes: Uint8Array): Promise<unknown> => {
          const body = new ResponseBody(streamOf(new Uint8Array(bytes)));
          const made = await withWholeBody({ status: 200, headers, body }, body);
          return made && [made.headers, made.body];
        };
        const coded = compress(bytesOf(content));
        assert.deepEqual(await read(coded), [headers, new Uint8Array(coded)]);
        assert.deepEqual(await read(bytesOf(content)), [["X-A", "1"], bytesOf(content)]);
      });

  test("keeps a coding that fetch does not decode", async () => {
    const body = new ResponseBody(streamOf("abc"));
    const headers = ["Content-Encoding", "aes128gcm"];
    assert.deepEqual((await withWholeBody({ status: 200, headers, body }, body))?.headers, headers);
  });

  test("drops a false coding of a stream and sends the stream in pieces", async () => {
    const { stream } = slow(["te", "xt", "!"]);
    const body = new ResponseBody(stream);
    const made = await withWholeBody({ status: 200, headers: ["Content-Encoding", "gzip"], body }, body);
    assert.deepEqual(made, { status: 200, headers: [], body });
    assert.equal(await rest(body), "text!");
  });

  test("reads nothing when another body has replaced it, or none is sent", async () => {
    const { stream, seen } = slow(["a"]);
    const body = new ResponseBody(stream);
    for (const recorded of [
      { status: 500, headers: [], body: "error" },
      { status: 304, headers: [], body },
    ])
      assert.equal(await withWholeBody(recorded, body), undefined);
    assert.equal(seen.asked, 0);
  });
});
