/**
 * Leaves are under the call they belong to, bounded, redacted, and without effect on the application.
 */
import assert from "node:assert/strict";
import { channel, tracingChannel } from "node:diagnostics_channel";
import { once, setMaxListeners } from "node:events";
import { describe, it, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Beans, type Context, Framework } from "framework";
import { Devtools, type DevtoolsOptions, type Leaf, type LeafChannel, step, type Trace } from "../../index.ts";
import { plainSnapshots } from "../../capture/plain-snapshots.testkit.ts";
import { beginRecording, type Frame, type Recorder, type Recording } from "../recorder.ts";
import { noRedaction } from "../../capture/redact.ts";
import { Leaves } from "./leaves.ts";
import { type Store, Watched } from "./watched.testkit.ts";

const plain: LeafChannel = {
  channel: "test.plain",
  kind: "sql",
  describe: (message: { text: string; values?: unknown[]; ms?: number }) => ({
    statement: message.text,
    parameters: message.values,
    durationMs: message.ms,
  }),
};

/** The leaves of a run with this work, without their times. */
async function leavesOf(
  work: (ctx: Context, store: Store) => unknown,
  options: DevtoolsOptions = {},
): Promise<readonly Omit<Leaf, "startUs" | "durationUs">[]> {
  const { leaves } = await new Watched(options, work).trace();
  return leaves.map(({ startUs: _, durationUs: __, ...leaf }) => leaf);
}

const none = { parentId: null, error: null };
const sqlOf = (statement: string, more: object = {}): object => ({
  kind: "sql",
  name: statement.split(" ")[0]?.toUpperCase(),
  detail: { system: "", statement, parameters: [], rows: null, ...more },
});

describe("Devtools option channels", () => {
  it("a plain channel's message is an ended leaf with the given duration", async () => {
    const { leaves } = await new Watched({ channels: [plain] }, async () => {
      await setImmediate();
      channel(plain.channel).publish({ text: "select 1", values: [7, { a: "b" }] });
      channel(plain.channel).publish({ text: "select 2", ms: 0.002 });
    }).trace();
    const [first, second] = leaves;
    assert.deepEqual(
      [first, second].map((leaf) => ({ ...leaf, startUs: 0 })),
      [
        { id: 0, ...none, ...sqlOf("select 1", { parameters: [7, { a: "b" }] }), startUs: 0, durationUs: 0 },
        { id: 1, ...none, ...sqlOf("select 2"), startUs: 0, durationUs: 2 },
      ],
    );
  });

  it("a tracing channel's is one from its start to its end, by promise, callback or synchronously", async () => {
    const traced = tracingChannel<unknown, { text: string; result?: unknown }>("test.traced");
    const leaves = await leavesOf(
      async () => {
        await traced.tracePromise(async () => ["row"], { text: "select promise" });
        traced.traceSync(() => ["row", "row"], { text: "select sync" });
        const late = (done: (error: null, rows: string[]) => void): void =>
          void setImmediate(done).then((call) => call(null, []));
        await new Promise<void>((resolve) => {
          traced.traceCallback(late, 0, { text: "select callback" }, null, () => resolve());
        });
        const failing = traced.tracePromise(() => Promise.reject(new RangeError("no")), { text: "select failing" });
        await failing.catch(() => undefined);
      },
      {
        channels: [
          {
            channel: "test.traced",
            kind: "sql",
            describe: ({ text, result }: { text: string; result?: unknown[] }) => ({ statement: text, rows: result }),
          },
        ],
      },
    );
    assert.deepEqual(leaves, [
      { id: 0, ...none, ...sqlOf("select promise", { rows: 1, result: ["row"] }) },
      { id: 1, ...none, ...sqlOf("select sync", { rows: 2, result: ["row", "row"] }) },
      { id: 2, ...none, ...sqlOf("select callback", { rows: 0, result: [] }) },
      { id: 3, parentId: null, ...sqlOf("select failing"), error: { name: "RangeError", message: "no" } },
    ]);
  });

  it("has a leaf of each kind", async () => {
    const described: Readonly<Record<string, object>> = {
      http: {
        method: "GET",
        url: "http://ada:pw@a.test/x?token=t0psecret",
        status: 204,
        requestHeaders: { Accept: "a" },
      },
      cache: { system: "redis", command: "get", key: "k", args: [1], hit: true },
      log: { level: "warn", message: "m", fields: { a: 1 } },
      message: { system: "kafka", operation: "send", destination: "t", body: { a: 1 } },
      span: { name: "own", attributes: { a: 1 } },
    };
    const channels = Object.keys(described).map((kind) => ({
      channel: `test.${kind}`,
      kind: kind as "span",
      describe: (message: object) => message,
    }));
    const leaves = await leavesOf(
      () => Object.entries(described).forEach(([kind, message]) => channel(`test.${kind}`).publish(message)),
      { channels },
    );
    const http = { method: "GET", url: "http://[redacted]@a.test/x?token=[redacted]", status: 204 };
    assert.deepEqual(
      leaves.map(({ kind, name, detail }) => [kind, name, detail]),
      [
        ["http", "GET a.test", { ...http, requestHeaders: { accept: ["a"] }, responseHeaders: {}, run: null }],
        ["cache", "GET", { system: "redis", command: "GET", key: "k", args: [1], hit: true }],
        ["log", "warn", { level: "warn", message: "m", fields: { a: 1 } }],
        ["message", "send", { system: "kafka", operation: "send", destination: "t", body: { a: 1 } }],
        ["span", "own", { attributes: { a: 1 }, status: "UNSET", spanId: null, parentSpanId: null }],
      ],
    );
  });
});

describe("a fault of a description", () => {
  const getter = {
    get statement(): string {
      throw new TypeError("a getter");
    },
  };
  const described: Readonly<Record<string, () => unknown>> = {
    throws: () => {
      throw new Error("broken");
    },
    "has a getter that throws": () => getter,
    "is a text": () => "select 1",
    "is null": () => null,
    "is a list": () => [1],
    "has members of other types": () => ({ statement: 7, parameters: "x", rows: -1, name: {}, durationMs: "long" }),
    "is a promise": () => Promise.resolve({ statement: "select 1" }),
    "is a promise that rejects": async () => {
      throw new Error("late");
    },
  };
  for (const [name, says] of Object.entries(described))
    it(`one that ${name} does not reach the application, and is reported once at most`, async () => {
      const watched = new Watched(
        { channels: [{ channel: "test.faulty", kind: "sql", describe: says as LeafChannel["describe"] as never }] },
        () => {
          channel("test.faulty").publish({});
          channel("test.faulty").publish({});
        },
      );
      for (const leaf of [...(await watched.trace()).leaves, ...(await watched.trace()).leaves])
        assert.deepEqual(leaf.detail, { system: "", statement: "", parameters: [], rows: null });
      const told = watched.lines.filter((line) => line.includes("test.faulty"));
      const expected = /throws|rejects/.test(name) ? 1 : 0;
      assert.equal(told.length, expected, String(told));
      if (expected === 1)
        assert.match(told[0] ?? "", /^devtools: what test\.faulty publishes could not be shown: \w*Error: /);
    });

  it("known channels accept any message", async () => {
    const hostile = new Proxy({}, { get: () => assert.fail("a trap") });
    const names = ["undici:request:create", "undici:request:headers", "http.client.request.start", "sqlite.db.query"];
    const traced = ["mysql2:query", "node-redis:command", "ioredis:command", "pino_asJson", "framework.step"];
    names.push(...traced.flatMap((name) => ["start", "end", "asyncStart"].map((at) => `tracing:${name}:${at}`)));
    const messages: readonly unknown[] = [
      undefined,
      null,
      7,
      "x",
      [],
      {},
      hostile,
      { request: hostile },
      { request: {} },
    ];
    const watched = new Watched({}, () => {
      for (const name of names) for (const message of messages) channel(name).publish(message);
    });
    const { status } = await watched.trace();
    assert.equal(status, 200);
    assert.ok(watched.lines.some((line) => line.includes("http.client.request.start publishes could not be shown")));
    await setImmediate(); // a subscriber's error would end this test
  });
});

describe("where leaves belong", () => {
  it("1,000 concurrent requests have each its own leaves, under its own calls", async () => {
    const seen: Trace[] = [];
    const gates = Array.from({ length: 10 }, () => new AbortController());
    setMaxListeners(0, ...gates.map(({ signal }) => signal));
    const waiting: number[] = [];
    const watched = new Watched({ channels: [plain] }, async (ctx, store) => {
      const id = ctx.pathParam("id");
      const run = (at: number) => (): Promise<void> =>
        step("sql", "wait", async (note) => {
          waiting.push(at);
          const gate = gates[Number(id) % gates.length]?.signal;
          if (gate?.aborted === false) await once(gate, "abort");
          channel(plain.channel).publish({ text: `inner ${id}-${at}` });
          await setImmediate();
          note({ statement: `outer ${id}-${at}` });
        });
      await Promise.all([0, 1, 2].map((at) => store.load(run(at))));
    });
    const requests = Array.from({ length: 1_000 }, (_, id) => watched.app.fetch(new Request(`http://localhost/${id}`)));
    while (waiting.length < 3_000) await setImmediate();
    for (const [at, gate] of gates.entries()) {
      gate.abort();
      await Promise.all(requests.filter((_, id) => id % gates.length === at));
      seen.push(...(await watched.traces()));
    }
    assert.equal(seen.length, 1_000);
    for (const { request, calls, leaves } of seen) {
      const id = request.pathParams["id"];
      const expected = [0, 1, 2].flatMap((at) => [`${at} inner ${id}-${at}`, `${at} outer ${id}-${at}`]);
      const shown = leaves.map((leaf) => `${leaf.parentId} ${leaf.kind === "sql" ? leaf.detail.statement : leaf.kind}`);
      assert.deepEqual([calls.length, shown.toSorted()], [3, expected]);
    }
  });

  it("leaves over the bound, and those begun after the end, are only counted", async () => {
    let late = (): void => undefined;
    const watched = new Watched({ channels: [plain], limits: { leavesPerTrace: 2 } }, () => {
      const publish = (): void => channel(plain.channel).publish({ text: "select 1" });
      for (let n = 0; n < 5; n++) publish();
      late = watched.devtools.bind(publish);
    });
    const { leaves, droppedLeaves } = await watched.trace();
    assert.deepEqual([leaves.length, droppedLeaves], [2, 3]);
    late();
    assert.equal((await watched.traces())[0]?.droppedLeaves, 4);
  });

  it("a leaf without an end has no duration, and its later end changes nothing", async () => {
    let finish = (): void => undefined;
    const watched = new Watched({}, () => {
      void step("cache", "slow", () => new Promise<void>((resolve) => (finish = resolve)));
    });
    const before = (await watched.trace()).leaves;
    assert.deepEqual(
      before.map(({ name, durationUs, error }) => [name, durationUs, error]),
      [["slow", null, null]],
    );
    finish();
    await setImmediate();
    assert.deepEqual((await watched.traces())[0]?.leaves, before);
  });

  it("keeps little of a line of 10 MB, and only the size of bytes among the parameters of a statement", async () => {
    const long = "x".repeat(10_000_000);
    const bytes = new Uint8Array(10_000_000);
    const leaves = await leavesOf(
      (ctx) => {
        ctx.log.info(long, { long, bytes });
        channel(plain.channel).publish({ text: `insert '${long}'`, values: [bytes, Buffer.from("ab"), bytes.buffer] });
      },
      { channels: [plain] },
    );
    const [line, statement] = leaves;
    const kept = JSON.parse(JSON.stringify([line?.detail, statement?.detail])) as readonly [
      { readonly fields: { readonly bytes: object } },
      { readonly parameters: readonly object[] },
    ];
    assert.deepEqual(kept[0].fields.bytes, { $bytes: 10_000_000 });
    assert.deepEqual(kept[1].parameters, [{ $bytes: 10_000_000 }, { $bytes: 2 }, { $bytes: 10_000_000 }]);
    assert.ok(JSON.stringify(leaves).length < 50_000);
  });

  it("keeps leaves within the memory of their trace, and drops their payload with the others'", async () => {
    const watched = new Watched({ channels: [plain], limits: { ringBytes: 1 } }, () => {
      for (let n = 0; n < 400; n++)
        channel(plain.channel).publish({ text: `select '${"x".repeat(9_000)}${n}'`, values: [n] });
    });
    const { leaves } = await watched.trace();
    assert.equal(leaves.length, 400);
    assert.ok(JSON.stringify(leaves).length < 200_000);
    assert.deepEqual(leaves[0]?.kind === "sql" && leaves[0].detail.parameters, [{ $evicted: true }]);
  });

  it("hides secrets that are known from elsewhere in the trace", async () => {
    const [leaf] = await leavesOf(
      (ctx) => {
        channel(plain.channel).publish({ text: "select 'hunter2-long'", values: ["hunter2-long", 12345678] });
        ctx.log.info("login", { password: "hunter2-long", pin: 12345678 });
      },
      { channels: [plain] },
    );
    assert.deepEqual(leaf?.detail, {
      system: "",
      statement: "select '[redacted]'",
      rows: null,
      parameters: ["[redacted]", "[redacted]"],
    });
  });
});

describe("Leaves", () => {
  /** Leaves of a recording with a clock that only the test moves. */
  function subject(t: TestContext): {
    leaves: Leaves;
    recording: Recording;
    lines: string[];
    at: (ms: number) => void;
    place: { frame: Frame | undefined };
  } {
    let now = 6;
    t.mock.method(performance, "now", () => now);
    const recording = beginRecording(1, 10_000);
    const place = { frame: { recording, id: 3, depth: 0 } as Frame | undefined };
    const recorder = { where: () => place.frame, quietly: (run: () => void) => run() } as unknown as Recorder;
    const snapshots = plainSnapshots(noRedaction);
    const leaves = new Leaves({ recorder, snapshots, redactor: noRedaction, maxLeaves: 2 });
    const lines: string[] = [];
    leaves.tellBy((line) => lines.push(line));
    return { leaves, recording, lines, at: (ms) => void (now = ms), place };
  }
  const nothing = (): object => ({});

  it("takes 240 bytes of its trace, and lasts from its start to its first end", (t) => {
    const { leaves, recording, lines, at } = subject(t);
    const open = leaves.begin("test", "sql", nothing) ?? assert.fail();
    assert.deepEqual([recording.budget, open.leaf.name, open.leaf.startUs, open.leaf.parentId], [9_760, "", 5_000, 3]);
    at(8);
    leaves.end(open);
    at(10);
    leaves.end(open, () => ({ statement: "select 1" }));
    assert.deepEqual([open.leaf.durationUs, open.leaf.name, lines], [2_000, "", []]);
  });

  it("calls no description after its recording has ended", (t) => {
    const { leaves, recording } = subject(t);
    const open = leaves.begin("test", "span", nothing) ?? assert.fail();
    recording.calls = undefined;
    const asked: string[] = [];
    leaves.note(open, () => asked.push("note"));
    leaves.become(open, "sql", () => asked.push("become"));
    leaves.end(open, () => asked.push("end"));
    assert.deepEqual([asked, open.leaf.kind, open.leaf.durationUs], [[], "span", null]);
  });

  it("keeps an error until there is another one, and ignores a value that is not a description", (t) => {
    const { leaves, lines } = subject(t);
    const open = leaves.begin("test", "sql", () => ({ error: new RangeError("no") })) ?? assert.fail();
    assert.deepEqual(open.leaf.error, { name: "RangeError", message: "no" });
    for (const given of [{}, null, "text", [1]]) leaves.note(open, () => given);
    assert.deepEqual([open.leaf.error, lines], [{ name: "RangeError", message: "no" }, []]);
    leaves.note(open, () => ({ error: new TypeError("other") }));
    assert.equal(open.leaf.error?.message, "other");
  });

  it("is named by its kind's parts when they are known, and keeps its name until then", (t) => {
    const { leaves, lines } = subject(t);
    const open = leaves.begin("test", "span", () => ({ name: "own" })) ?? assert.fail();
    const names: string[] = [];
    const note = (given: object): unknown => (leaves.note(open, () => given), names.push(open.leaf.name));
    note({});
    leaves.become(open, "sql", nothing);
    for (const given of [{}, { rows: 1 }, { statement: "insert" }, { statement: "select" }, { rows: 2 }]) note(given);
    assert.deepEqual([names, lines], [["own", "own", "own", "INSERT", "SELECT", "SELECT"], []]);
  });

  it("does not begin without a description, and reports each failing source once", (t) => {
    const { leaves, recording, lines } = subject(t);
    const thrown = new Error("no");
    const fails = (): never => {
      throw thrown;
    };
    leaves.fault("fault", thrown);
    assert.equal(
      leaves.begin("test", "sql", () => null),
      undefined,
    );
    assert.deepEqual([recording.leaves, recording.dropped.leaves], [undefined, 0]);
    const open = leaves.begin("getter", "sql", nothing) ?? assert.fail();
    for (let n = 0; n < 2; n += 1)
      leaves.note(open, () => ({
        ...nothing(),
        get statement() {
          return fails();
        },
      }));
    assert.deepEqual([leaves.attempt("attempt", () => 7), leaves.attempt("attempt", fails)], [7, undefined]);
    assert.deepEqual(
      lines,
      ["fault", "getter", "attempt"].map((one) => `devtools: what ${one} publishes could not be shown: Error: no`),
    );
  });

  it("has the given milliseconds as its duration, and none if the value is not a valid number", (t) => {
    const { recording, lines, ...rest } = subject(t);
    for (const [durationMs, startUs, durationUs] of [
      [2, 3_000, 2_000],
      [7, 0, 5_000],
      ...[-1, Number.NaN, Infinity, "2", null].map((one) => [one, 5_000, 0] as const),
    ] as const) {
      recording.leaves = [];
      rest.leaves.add("test", "span", () => ({ durationMs }));
      const leaf = recording.leaves[0];
      assert.deepEqual([leaf?.startUs, leaf?.durationUs], [startUs, durationUs], String(durationMs));
    }
    assert.deepEqual(lines, []);
  });

  it("becomes a leaf of another kind, with a name of that kind", (t) => {
    const { leaves } = subject(t);
    const open = leaves.begin("test", "span", () => ({ name: "own" })) ?? assert.fail();
    leaves.become(open, "sql", () => ({ statement: "select 1" }));
    const { kind, name, detail } = open.leaf;
    assert.deepEqual([kind, name], ["sql", "SELECT"]);
    assert.deepEqual(detail, { system: "", statement: "select 1", parameters: [], rows: null });
  });

  it("begins and adds nothing outside of a recording, and names the source of a ctx.log line that fails", (t) => {
    const { leaves, recording, lines, place } = subject(t);
    const frame = place.frame;
    place.frame = undefined;
    assert.equal(leaves.begin("test", "span", nothing), undefined);
    leaves.add("test", "span", nothing);
    leaves.lineOfContext(nothing, undefined)();
    assert.deepEqual([recording.leaves, lines], [undefined, []]);
    const fails = (): never => {
      throw new Error("");
    };
    leaves.lineOfContext(fails, frame)();
    assert.deepEqual(lines, ["devtools: what ctx.log publishes could not be shown: Error"]);
  });
});

describe("step", () => {
  it("returns or throws the work's result, recorded or not", async () => {
    const thrown = new Error("thrown");
    const check = async (): Promise<void> => {
      assert.equal(
        step("span", "sync", () => 7),
        7,
      );
      assert.equal(await step("span", "async", async () => 8), 8);
      const fails = (): never => {
        throw thrown;
      };
      assert.throws(() => step("span", "throws", fails), thrown);
      await assert.rejects(async () => await step("span", "rejects", async () => fails()), thrown);
    };
    await check();
    const leaves = await leavesOf(check);
    const error = { name: "Error", message: "thrown" };
    assert.deepEqual(
      leaves.map((leaf) => [leaf.kind, leaf.name, leaf.error]),
      [
        ["span", "sync", null],
        ["span", "async", null],
        ["span", "throws", error],
        ["span", "rejects", error],
      ],
    );
  });

  it("adds the work's notes, under the call that made it, by devtools.step too", async () => {
    const watched = new Watched({}, (_, store) =>
      store.load(() =>
        watched.devtools.step("cache", "prices", (note) => {
          note({ command: "get", key: "prices" });
          note({ hit: false, key: "prices:1" });
        }),
      ),
    );
    const { leaves } = await watched.trace();
    assert.deepEqual(
      leaves.map(({ parentId, name, detail }) => [parentId, name, detail]),
      [[0, "prices", { system: "", command: "GET", key: "prices:1", args: [], hit: false }]],
    );
  });
});

describe("lines of ctx.log", () => {
  it("are leaves with the request's ids, also outside of its asynchronous code, and only once", async () => {
    let log = (): void => undefined;
    const watched = new Watched({ console: true }, async (ctx) => {
      ctx.log.info("paid", { order: 7 });
      await new Promise<void>((resolve) => {
        log = () => {
          ctx.log.warn("from outside");
          resolve();
        };
        waiting.push(log);
      });
    });
    const waiting: (() => void)[] = [];
    const traced = watched.trace();
    while (waiting.length === 0) await setImmediate();
    log();
    const { leaves } = await traced;
    assert.deepEqual(
      leaves.map(({ kind, detail }) => [kind, detail]),
      [
        ["log", { level: "info", message: "paid", fields: { order: 7 } }],
        ["log", { level: "warn", message: "from outside", fields: {} }],
      ],
    );
  });

  it("are not doubled by what the console or pino writes for them", async () => {
    const devtools = Devtools.create({ console: true });
    const app = Framework.create({
      logger: {
        info: (line) => channel("tracing:pino_asJson:start").publish(pinoMessage(line)),
        warn() {},
        error() {},
      },
    });
    app.get("/", (ctx) => {
      ctx.log.info("once");
      channel("tracing:pino_asJson:start").publish(pinoMessage("by pino alone"));
      return "";
    });
    const beans = Beans.builder().start();
    devtools.install(app.beans(beans), beans);
    await app.fetch(new Request("http://localhost/"));
    const request = new Request("http://localhost/framework/dev/api/requests", { headers: { host: "localhost" } });
    const [trace] = (await (await app.fetch(request, { peerAddress: "127.0.0.1" })).json()) as Trace[];
    const messages = trace?.leaves.map((leaf) => (leaf.kind === "log" ? [leaf.detail.level, leaf.detail.message] : []));
    assert.deepEqual(messages, [
      ["info", "once"],
      ["info", "by pino alone"],
    ]);
  });
});

const pinoMessage = (line: string): object => ({
  instance: { levels: { labels: { 30: "info" } } },
  arguments: [{ a: 1 }, line, 30, ",time"],
});

describe("what is subscribed to", () => {
  const names = [
    "undici:request:create",
    "http.client.request.start",
    "sqlite.db.query",
    "console.log",
    plain.channel,
    ...["mysql2:query", "node-redis:command", "ioredis:command", "pino_asJson", "framework.step"].map(
      (name) => `tracing:${name}:start`,
    ),
  ];
  const heard = (): readonly string[] => names.filter((name) => channel(name).hasSubscribers);

  it("is empty before the first run, with leaves: false, and after stop", async () => {
    const before = heard();
    const off = new Watched({ leaves: false, channels: [plain] }, (ctx) => ctx.log.info("no leaf"));
    assert.deepEqual((await off.trace()).leaves, []);
    assert.deepEqual(heard(), before);
    const on = new Watched({ channels: [{ ...plain, channel: "test.alone" } as LeafChannel], console: false }, () => {
      channel("test.alone").publish({ text: "select 1" });
      globalThis.console.debug("LEAF-015");
    });
    const stopped = new Watched({ channels: [{ ...plain, channel: "test.alone" } as LeafChannel] });
    await stopped.app.stop();
    stopped.devtools.trace("late", () => undefined);
    assert.equal(channel("test.alone").hasSubscribers, false);
    assert.deepEqual([(await on.trace()).leaves.length, (await on.trace()).leaves.length], [1, 1]);
    assert.equal(channel("test.alone").hasSubscribers, true);
    const console = { log: globalThis.console.log };
    await on.app.stop();
    assert.deepEqual([channel("test.alone").hasSubscribers, console], [false, { log: globalThis.console.log }]);
    await on.trace();
    assert.equal(channel("test.alone").hasSubscribers, false);
  });

  it("is empty with devtools off", async () => {
    process.env["FRAMEWORK_DEVTOOLS"] = "false";
    try {
      const off = new Watched({ channels: [{ ...plain, channel: "test.off" } as LeafChannel] }, () =>
        assert.equal(
          step("span", "x", () => channel("test.off").hasSubscribers),
          false,
        ),
      );
      await off.app.fetch(new Request("http://localhost/7"));
      const processor = off.devtools.spanProcessor();
      processor.onStart({}, undefined);
      await processor.forceFlush();
    } finally {
      delete process.env["FRAMEWORK_DEVTOOLS"];
    }
  });
});

describe("Devtools options of leaves", () => {
  const wrong: readonly (readonly [options: object, sentence: RegExp])[] = [
    [{ leaves: 1 }, /^Devtools option leaves is 1; allowed is true or false$/],
    [{ console: "yes" }, /^Devtools option console is "yes"; allowed is true or false$/],
    [{ channels: {} }, /^Devtools option channels is .*; allowed is an array of \{ channel, kind, describe \}$/],
    [{ channels: [{ ...plain, channel: "" }] }, /channels\[0\]\.channel is ""; allowed is the name of a channel/],
    [
      { channels: [plain, { ...plain, kind: "sqll" }] },
      /channels\[1\]\.kind is "sqll"; allowed is sql, http, cache, log/,
    ],
    [{ channels: [{ ...plain, describe: 1 }] }, /channels\[0\]\.describe is 1; allowed is a function of a message/],
    [{ channels: [null] }, /channels\[0\]\.channel is undefined/],
  ];
  for (const [options, sentence] of wrong)
    it(`rejects ${JSON.stringify(options)} by name`, () => {
      assert.throws(
        () => Devtools.create(options as DevtoolsOptions),
        (error) => error instanceof RangeError && sentence.test(error.message),
      );
    });
});
