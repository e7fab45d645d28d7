/** Unit tests of sse.ts: framing that cannot be broken, back-pressure, closing (STREAM). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Sink } from "./exchange.ts";
import { formatEvent, SseBatch, SseStream, type SseEvent } from "./sse.ts";

/** A client's reading of a stream, by the rules of WHATWG HTML §9.2.6. */
function read(text: string): { event: string; data: string; id: string; retry: number | undefined }[] {
  const events: { event: string; data: string; id: string; retry: number | undefined }[] = [];
  let event = "";
  let data: string[] = [];
  let id = "";
  let retry: number | undefined;
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line === "") {
      if (data.length > 0) events.push({ event, data: data.join("\n"), id, retry });
      event = "";
      data = [];
      continue;
    }
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^\d+$/.test(value)) retry = Number(value);
  }
  return events;
}

describe("formatEvent", () => {
  test("writes the fields in order and ends with an empty line", () => {
    assert.equal(
      formatEvent({ event: "trace", id: "7", retry: 1000, data: "a\nb" }),
      "event: trace\nid: 7\nretry: 1000\ndata: a\ndata: b\n\n",
    );
    assert.equal(formatEvent("plain"), "data: plain\n\n");
    assert.equal(formatEvent(""), "data: \n\n");
  });

  const retry = "retry is a whole number of milliseconds";
  const bad: Readonly<Record<string, readonly [event: SseEvent, sentence: string]>> = {
    "a line end in the name": [{ event: "a\nb", data: "" }, "an event's name cannot hold a line end"],
    "a carriage return in the name": [{ event: "a\rb", data: "" }, "an event's name cannot hold a line end"],
    "a carriage return in the id": [{ id: "a\rb", data: "" }, "an event's id cannot hold a line end or NUL"],
    "a line feed in the id": [{ id: "a\nb", data: "" }, "an event's id cannot hold a line end or NUL"],
    "NUL in the id": [{ id: "a\0", data: "" }, "an event's id cannot hold a line end or NUL"],
    "a fraction as retry": [{ retry: 1.5, data: "" }, retry],
    "a negative retry": [{ retry: -1, data: "" }, retry],
    "data that are no text": [
      { data: { a: 1 } } as unknown as SseEvent,
      "an event's data are of type object: text is allowed, e.g. of JSON.stringify()",
    ],
  };
  for (const [what, [event, message]] of Object.entries(bad))
    test(`rejects ${what}`, () => assert.throws(() => formatEvent(event), { name: "TypeError", message }));

  test("writes a retry of 0, also alone", () => {
    assert.equal(formatEvent({ retry: 0 }), "retry: 0\n\n");
  });

  test("is read back as exactly one event for any data", () => {
    const text = fc.string({ unit: fc.constantFrom("a", ":", " ", "\n", "\r", "é", "data: x", "event: y", "\0") });
    const name = fc.stringMatching(/^[a-z: ]{0,8}$/);
    fc.assert(
      fc.property(text, name, fc.stringMatching(/^[^\r\n\0]{1,8}$/), (data, event, id) => {
        assert.deepEqual(read(formatEvent({ event, id, data })), [
          { event, data: data.replaceAll(/\r\n|\r/g, "\n"), id, retry: undefined },
        ]);
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 3_000) },
    );
  });
});

interface Opened {
  readonly stream: SseStream;
  readonly written: string[];
  readonly told: { ended: number; closed: number };
  readonly client: AbortController;
  buffer(bytes: number): void;
}

function open(): Opened {
  const written: string[] = [];
  const told = { ended: 0, closed: 0 };
  const client = new AbortController();
  let buffered = 0;
  const sink: Sink = {
    write: (chunk) => (written.push(Buffer.from(chunk as string).toString()), buffered === 0),
    get bufferedBytes() {
      return buffered;
    },
    drained: () => Promise.resolve(),
    end: () => void (told.ended += 1),
  };
  const stream = new SseStream(sink, client.signal, "41", () => void (told.closed += 1));
  return { stream, written, told, client, buffer: (bytes) => void (buffered = bytes) };
}

describe("SseStream", () => {
  test("sends events and comments, and knows the client's last event id", async () => {
    const { stream, written } = open();
    assert.deepEqual([stream.lastEventId, stream.isOpen, stream.bufferedBytes], ["41", true, 0]);
    assert.deepEqual([stream.send("x"), stream.comment("a\r\nb")], [true, true]);
    assert.deepEqual(written, ["data: x\n\n", ": a\n: b\n\n"]);
    await stream.drained();
  });

  test("sends a batch in one write, to any number of streams", () => {
    const [one, other] = [open(), open()];
    const batch = new SseBatch([{ event: "a", id: "1", data: "é" }, "y"]);
    assert.deepEqual([one.stream.send(batch), other.stream.send(batch)], [true, true]);
    for (const { written } of [one, other]) assert.deepEqual(written, ["event: a\nid: 1\ndata: é\n\ndata: y\n\n"]);
    assert.throws(() => new SseBatch(["z", { id: "1\n2" }]), TypeError);
  });

  test("accepts no event for a client that has 4 MiB waiting", () => {
    const { stream, written, buffer } = open();
    buffer(4 * 1024 * 1024);
    assert.equal(stream.send("slow"), false);
    buffer(4 * 1024 * 1024 + 1);
    assert.equal(stream.send("lost"), false);
    assert.deepEqual(written, ["data: slow\n\n"]);
  });

  test("ends once, even if closed again, and accepts nothing after", async () => {
    const { stream, written, told } = open();
    stream.close();
    await stream[Symbol.asyncDispose]();
    assert.deepEqual([stream.send("x"), stream.isOpen, written, told], [false, false, [], { ended: 1, closed: 1 }]);
  });

  test("is closed when it is disposed", async () => {
    const { stream, told } = open();
    await stream[Symbol.asyncDispose]();
    assert.deepEqual([stream.isOpen, told], [false, { ended: 1, closed: 1 }]);
  });

  test("sends no end when the client has left", () => {
    const { stream, told, client } = open();
    client.abort();
    assert.deepEqual([stream.isOpen, stream.send("x")], [false, false]);
    stream.close();
    assert.deepEqual(told, { ended: 0, closed: 1 });
  });
});
