import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, test } from "node:test";
import { LineSink, type SinkStream, stdoutSink } from "./log-sink.ts";

/** A stream that keeps its input, with a state set by the test. */
class KeptStream implements SinkStream {
  writableLength = 0;
  destroyed = false;
  readonly writes: string[] = [];
  readonly encodings: unknown[] = [];
  readonly listeners: ((error: Error) => void)[] = [];
  write(text: string, encoding: "latin1"): boolean {
    this.writes.push(text);
    this.encodings.push(encoding);
    return true;
  }
  on(event: "error", listener: (error: Error) => void): this {
    if (event === "error") this.listeners.push(listener);
    return this;
  }
}

const text = (record: string): string => record;

describe("LineSink", () => {
  test("writes lines as one batch when flushed, and nothing without lines", () => {
    const stream = new KeptStream();
    const sink = new LineSink(stream, text);
    sink.write("one", 3);
    sink.write("two", 3);
    assert.deepEqual(stream.writes, []);
    sink.flush();
    sink.flush();
    assert.deepEqual([stream.writes, stream.encodings, sink.dropped], [["one\ntwo\n"], ["latin1"], 0]);
  });

  test("writes at 16 KiB without waiting", () => {
    const stream = new KeptStream();
    const sink = new LineSink(stream, text);
    const line = "x".repeat(1023);
    for (let count = 0; count < 16; count += 1) sink.write(line, 1024);
    assert.deepEqual(
      stream.writes.map((text) => text.length),
      [16_384],
    );
  });

  test("writes after 100 ms, on a timer that keeps no process alive", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const stream = new KeptStream();
    const sink = new LineSink(stream, text);
    sink.write("one", 3);
    t.mock.timers.tick(99);
    assert.deepEqual(stream.writes, []);
    t.mock.timers.tick(1);
    assert.deepEqual(stream.writes, ["one\n"]);
  });

  test("waits 100 ms for each batch, independent of an earlier timer", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const stream = new KeptStream();
    const sink = new LineSink(stream, text);
    const step = (ms: number, line?: string): string[] => {
      t.mock.timers.tick(ms);
      if (line !== undefined) sink.write(line, 1);
      return stream.writes.splice(0);
    };
    assert.deepEqual(
      [step(0, "a"), step(50, "b"), step(10, "b"), step(40), step(40, "c"), step(99), step(1)],
      [[], [], [], ["a\nb\nb\n"], [], [], ["c\n"]],
    );
    sink.write("d", 1);
    assert.deepEqual(step(50), []);
    sink.flush();
    assert.deepEqual([step(0, "e"), step(99), step(1)], [["d\n"], [], ["e\n"]]);
  });

  test("counts the characters of each batch separately", () => {
    const stream = new KeptStream();
    const sink = new LineSink(stream, text);
    for (const line of ["a", "b", "c", "d"]) sink.write(line, 8_192);
    assert.deepEqual(stream.writes, ["a\nb\n", "c\nd\n"]);
  });

  test("keeps no process alive while lines wait", () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((one) => one === "Timeout").length;
    const before = timers();
    const sink = new LineSink(new KeptStream(), text);
    sink.write("one", 3);
    const during = timers();
    sink.flush();
    assert.equal(during, before);
  });

  for (const [name, timer] of Object.entries({
    "a number": 7,
    null: null,
    "an object without unref": {},
    "an object with an unref that is not a function": { unref: true },
  }))
    test(`collects lines when a timer is ${name}`, (t) => {
      t.mock.method(globalThis, "setTimeout", () => timer);
      const stream = new KeptStream();
      const sink = new LineSink(stream, text);
      sink.write("one", 3);
      sink.write("two", 3);
      t.mock.restoreAll();
      sink.flush();
      assert.deepEqual(stream.writes, ["one\ntwo\n"]);
    });

  test("writes when the stream is exactly 1 MiB behind", () => {
    const stream = new KeptStream();
    const sink = new LineSink(stream, text);
    stream.writableLength = 1_048_576;
    sink.write("one", 3);
    sink.flush();
    assert.deepEqual([stream.writes, sink.dropped], [["one\n"], 0]);
  });

  test("counts lines as lost when the stream fails while it takes them", () => {
    const stream = new KeptStream();
    const sink = new LineSink(stream, text);
    stream.write = () => {
      stream.listeners.forEach((listener) => listener(new Error("write EPIPE")));
      return false;
    };
    sink.write("one", 3);
    sink.flush();
    assert.equal(sink.dropped, 1);
  });

  test("counts lines as lost, once, when the stream reports it after the write", () => {
    for (const [isBroken, error] of [
      [false, undefined],
      [false, new Error("write EPIPE")],
      [true, new Error("write EPIPE")],
    ] as const) {
      const stream = new KeptStream();
      const sink = new LineSink(stream, text);
      const taken: ((error?: Error) => void)[] = [];
      stream.write = (_text: string, _encoding: "latin1", done?: (error?: Error) => void) => {
        if (isBroken) stream.listeners.forEach((listener) => listener(error));
        return taken.push(done ?? assert.fail("nobody hears of it")) > 0;
      };
      sink.write("one", 3);
      sink.write("two", 3);
      sink.flush();
      taken.forEach((done) => done(error));
      assert.equal(sink.dropped, error === undefined ? 0 : 2);
    }
  });

  for (const [name, spoil] of Object.entries({
    "is destroyed": (stream: KeptStream) => void (stream.destroyed = true),
    "has failed (EPIPE)": (stream: KeptStream) =>
      stream.listeners.forEach((listener) => listener(new Error("write EPIPE"))),
    "is more than 1 MiB behind": (stream: KeptStream) => void (stream.writableLength = 1_048_577),
    throws: (stream: KeptStream) =>
      void (stream.write = () => {
        throw new Error("closed");
      }),
  } satisfies Record<string, (stream: KeptStream) => void>)) {
    test(`drops and counts lines when the stream ${name}`, () => {
      const stream = new KeptStream();
      const sink = new LineSink(stream, text);
      spoil(stream);
      sink.write("one", 3);
      sink.write("two", 3);
      sink.flush();
      assert.deepEqual([stream.writes, sink.dropped], [[], 2]);
    });
  }

  test("continues writing when the stream has caught up", () => {
    const stream = new KeptStream();
    const sink = new LineSink(stream, text);
    stream.writableLength = 2_000_000;
    sink.write("lost", 4);
    sink.flush();
    stream.writableLength = 0;
    sink.write("kept", 4);
    sink.flush();
    assert.deepEqual([stream.writes, sink.dropped], [["kept\n"], 1]);
  });
});

/** Runs `code` in a separate Node process, with `stdoutSink` in scope. */
function run(code: string): ReturnType<typeof spawn> {
  const module = JSON.stringify(new URL("./log-sink.js", import.meta.url).href);
  const source = `import { stdoutSink } from ${module};
    const before = process.listenerCount("exit");
    const text = (record) => record;
    const sink = stdoutSink(text);
    ${code}`;
  return spawn(process.execPath, ["--input-type=module", "-e", source], { stdio: ["ignore", "pipe", "pipe"] });
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  let text = "";
  for await (const chunk of stream ?? assert.fail("no stream")) text += String(chunk);
  return text;
}

describe("stdoutSink", () => {
  test("writes to standard output, and when the process exits", (t) => {
    const stream = new KeptStream();
    t.mock.getter(process, "stdout", () => stream);
    const before = process.listeners("exit");
    const format = (record: string): string => `<${record}>`;
    const sink = stdoutSink(format) ?? assert.fail("no sink");
    const [atExit = assert.fail("no listener"), ...others] = process
      .listeners("exit")
      .filter((one) => !before.includes(one));
    t.after(() => process.off("exit", atExit));
    sink.write("one", 3);
    atExit(0);
    assert.deepEqual([others, stream.listeners.length, stream.writes], [[], 1, ["<one>\n"]]);
    assert.equal(stdoutSink(format), sink);
  });

  for (const [name, stdout] of Object.entries({ undefined: undefined, null: null, "no stream": {} }))
    test(`is undefined when standard output is ${name}`, (t) => {
      t.mock.getter(process, "stdout", () => stdout);
      assert.equal(
        stdoutSink((record: string) => record),
        undefined,
      );
    });

  test("is undefined without a process", () => {
    const { process } = globalThis;
    globalThis.process = undefined as unknown as NodeJS.Process;
    try {
      assert.equal(
        stdoutSink((record: string) => record),
        undefined,
      );
    } finally {
      globalThis.process = process;
    }
  });

  test("writes the rest when the process exits, even by process.exit", async () => {
    const child = run(`sink.write("last words", 10); process.exit(3);`);
    const [text, [code]] = await Promise.all([textOf(child.stdout), once(child, "exit")]);
    assert.deepEqual([text, code], ["last words\n", 3]);
  });

  test("is shared by the process, with one listener of each kind", async () => {
    const child = run(`
      const same = Array.from({ length: 50 }, () => stdoutSink(text)).every((one) => one === sink);
      console.log(same, process.stdout.listenerCount("error"), process.listenerCount("exit") - before);`);
    const [text] = await Promise.all([textOf(child.stdout), once(child, "exit")]);
    assert.equal(text, "true 1 1\n");
  });

  test("outlives a reader that is gone, and counts the lost lines", async () => {
    const child = run(`
      const timer = setInterval(() => {
        sink.write("a line", 6);
        sink.flush();
        if (sink.dropped < 3) return;
        clearInterval(timer);
        process.stderr.write("survived");
      }, 5);`);
    child.stdout?.destroy();
    const [errors, [code]] = await Promise.all([textOf(child.stderr), once(child, "exit")]);
    assert.deepEqual([errors, code], ["survived", 0]);
  });

  test("counts every line, also those of the batch that found the reader gone", async () => {
    const child = run(`
      setTimeout(() => {
        for (let count = 0; count < 50; count += 1) sink.write("a line", 6);
        sink.flush();
        setTimeout(() => process.stderr.write(String(sink.dropped)), 50);
      }, 100);`);
    child.stdout?.destroy();
    const [errors] = await Promise.all([textOf(child.stderr), once(child, "exit")]);
    assert.equal(errors, "50");
  });

  test("drops instead of buffering without a reader, and stays at most 1 MiB and a batch behind", async () => {
    const child = run(`
      const line = "x".repeat(1000);
      for (let count = 0; count < 20000; count += 1) sink.write(line, 1024);
      process.stderr.write(JSON.stringify({ dropped: sink.dropped > 10000, behind: process.stdout.writableLength < 1_048_576 + 20_000 }));
      process.reallyExit(0);`);
    const [errors] = await Promise.all([textOf(child.stderr), once(child, "exit")]);
    assert.deepEqual(JSON.parse(errors), { dropped: true, behind: true });
  });
});
