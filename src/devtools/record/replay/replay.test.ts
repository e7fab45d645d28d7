/**
 * Replays through a running application: which code runs, which does not, and what ends a replay.
 *
 * Spec: spec/replay.md
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Beans, type Context, ConflictError, Framework, HttpError, Interface } from "framework";
import { Devtools, type DevtoolsOptions, type ReplayPlan, type ReplayProblem, type Trace } from "../../index.ts";
import type { Json } from "../../run/shapes.ts";
import type { RecordedCall } from "./flaws.ts";
import { Replay, ReplayEnded } from "./replay.ts";
import { Reviver, SeenErrors } from "../../capture/revive.ts";

interface Shop {
  price(item: string): Promise<unknown>;
  both(ctx: Context): Promise<unknown>;
}
interface Prices {
  read(item: string, options?: object): unknown;
  later(item: string): Promise<unknown>;
  write(item: string, price: number): Promise<void>;
  take(value: unknown): string;
  self(): unknown;
  subscribe(listener: () => void): string;
}
interface Clock {
  now(): Date;
}
const Shop = Interface<Shop>("ShopService");
const Prices = Interface<Prices>("PriceRepository");
const Clock = Interface<Clock>("Clock");
class Ledger {
  readonly lines: string[] = [];
}

class Money {
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  get cents(): number {
    return this.#cents;
  }
}
class SoldOutError extends Error {
  override readonly name = "SoldOutError";
  readonly item: string;
  constructor(item: string) {
    super(`no ${item} is left`);
    this.item = item;
  }
}

/** The application's real effects, to be changed between a run and its replay. */
class World {
  calls: string[] = [];
  /** The calls of the code between. */
  asks: ((prices: Prices, clock: Clock) => unknown) | undefined;
  /** The result of the repository. */
  results: (item: string) => unknown = () => undefined;
  background: ((prices: Prices) => void) | undefined;
}

/** A running application with devtools. */
class Subject {
  readonly world = new World();
  readonly devtools: Devtools;
  readonly app: Framework;

  constructor(options: DevtoolsOptions = {}) {
    const { world } = this;
    this.devtools = Devtools.create({ name: "subject", ...options } as DevtoolsOptions<readonly []>);
    const beans = Beans.builder()
      .bind(Ledger, () => new Ledger())
      .bind(Clock, () => ({ now: () => (world.calls.push("now"), new Date(0)) }))
      .bind(Prices, (b) => pricesOf(world, b.get(Ledger)))
      .bind(Shop, (b) => shopOf(world, b.get(Prices), b.get(Clock)))
      .instrument(this.devtools.recorder())
      .start();
    this.app = Framework.create({ host: "127.0.0.1", logger: { warn: () => undefined, error: () => undefined } });
    this.app.beans(beans);
    this.app.onError(SoldOutError, (error, ctx) => ctx.status(410).json({ gone: error.item }));
    this.app.get("/prices/{item}", (ctx) => ctx.get(Shop).price(ctx.pathParam("item")));
    this.app.get("/swallow/{item}", async (ctx) => {
      const price = await ctx
        .get(Shop)
        .price(ctx.pathParam("item"))
        .catch(() => "none");
      return {
        price,
        more: await ctx
          .get(Prices)
          .later("more")
          .catch(() => "none"),
      };
    });
    this.app.get("/behind/{item}", async (ctx) => {
      this.devtools.trace("behind", () => world.background?.(ctx.get(Prices)));
      return { price: await ctx.get(Prices).later("a") };
    });
    this.app.get("/secret/{item}", (ctx) => ({
      shown: String(ctx.get(Prices).read("a", { password: ctx.pathParam("item") })),
    }));
    this.devtools.install(this.app, beans);
  }

  async ask(
    path: string,
    headers: Record<string, string> = {},
    method = "GET",
  ): Promise<{ status: number; text: string; type: string; caching: string | null }> {
    const response = await fetch(this.app.url + path, { method, headers });
    const [type, caching] = ["content-type", "cache-control"].map((name) => response.headers.get(name));
    return { status: response.status, text: await response.text(), type: type ?? "", caching: caching ?? null };
  }

  async traces(): Promise<readonly Trace[]> {
    return JSON.parse((await this.ask("/framework/dev/api/requests")).text) as Trace[];
  }

  /** The run of a request. */
  async run(path: string): Promise<Trace> {
    await this.ask(path);
    return this.newest();
  }

  async newest(): Promise<Trace> {
    const [trace] = await this.traces();
    assert.ok(trace);
    return trace;
  }

  async plan({ instance, sequence }: Trace): Promise<ReplayPlan> {
    return JSON.parse((await this.ask(`/framework/dev/api/replays/${instance}.${sequence}`)).text) as ReplayPlan;
  }

  /** The response to the replay of a run; its real calls are in `world.calls`. */
  async replay(trace: Trace, beans = "PriceRepository", headers: Record<string, string> = {}, path = trace.path) {
    this.world.calls = [];
    return this.ask(path, { "X-Framework-Replay": `${trace.instance}.${trace.sequence};beans=${beans}`, ...headers });
  }
}

function pricesOf(world: World, ledger: Ledger): Prices {
  const prices: Prices = {
    read(item) {
      world.calls.push(`read ${item}`);
      return world.results(item);
    },
    async later(item) {
      world.calls.push(`later ${item}`);
      // Timers of one length fire in their order, but timers of two lengths may not on a busy machine.
      for (let turn = 0; turn < (item === "slow" ? 15 : 1); turn += 1) await new Promise((done) => setTimeout(done, 1));
      return world.results(item);
    },
    async write(item, price) {
      world.calls.push(`write ${item}`);
      ledger.lines.push(`${item} ${price}`);
    },
    take: () => (world.calls.push("take"), "taken"),
    self: () => prices,
    subscribe: () => "subscribed",
  };
  return prices;
}

const shopOf = (world: World, prices: Prices, clock: Clock): Shop => ({
  price: async (item) => ({ price: await (world.asks?.(prices, clock) ?? prices.later(item)) }),
  both: async () => undefined,
});

const problemIn = (text: string): ReplayProblem => JSON.parse(text) as ReplayProblem;

let subject: Subject;
before(async () => {
  subject = new Subject();
  await subject.app.start(0);
});
after(() => subject.app.stop());

/** Records a run of `asks`, then replays it. */
async function recordedThenReplayed(asks: World["asks"], results: World["results"] = () => 7, item = "x") {
  Object.assign(subject.world, { asks, results });
  const trace = await subject.run(`/prices/${item}`);
  const first = subject.world.calls;
  subject.world.results = () => "of another day";
  const response = await subject.replay(trace);
  return { trace, first, response, calls: subject.world.calls };
}

describe("a replay", () => {
  it("REPLAY-001: returns recorded results from chosen beans, and runs all other code", async () => {
    const { trace, first, response, calls } = await recordedThenReplayed(async (prices, clock) => {
      await prices.write("a", 1);
      return [clock.now().getTime(), await prices.later("a"), prices.read("b")];
    });
    assert.deepEqual(first, ["write a", "now", "later a", "read b"]);
    assert.deepEqual([response.status, response.text], [200, '{"price":[0,7,7]}']);
    assert.deepEqual(calls, ["now"]);
    const again = await subject.newest();
    const { instance, sequence } = trace;
    assert.deepEqual(again.replayOf, { instance, sequence, beans: ["PriceRepository"], notes: [], ended: null });
    const calledIn = (run: Trace): unknown =>
      run.calls.map(({ bean, method, args, result }) => [bean, method, args, result]);
    assert.deepEqual(calledIn(again), calledIn(trace));
    assert.equal(trace.replayOf, undefined);
  });

  it("matches calls by their arguments, and calls with the same by their order", async () => {
    let count = 0;
    const { response, calls } = await recordedThenReplayed(
      async (prices) => [
        ...(await Promise.all(["slow", "b", "b", "c"].map((item) => prices.later(item)))),
        prices.read("b"),
      ],
      (item) => `${item}${(count += 1)}`,
    );
    const { price } = JSON.parse(response.text) as { price: string[] };
    assert.deepEqual(price, ["slow4", "b1", "b2", "c3", "b5"]);
    assert.deepEqual(calls, []);
  });

  it("matches equal arguments in any order of keys", async () => {
    let isFirst = true;
    const { response } = await recordedThenReplayed((prices) => {
      const options = isFirst ? { a: 1, b: { c: 2, d: 3 } } : { b: { d: 3, c: 2 }, a: 1 };
      isFirst = false;
      return prices.read("a", options);
    });
    assert.deepEqual(response.text, '{"price":7}');
  });

  it("returns a promise for a promise, and settles them in the recorded order", async () => {
    const { response } = await recordedThenReplayed(
      async (prices) => {
        const both = [prices.later("slow"), prices.later("b")];
        const first = await Promise.race(both);
        await Promise.all(both);
        return first;
      },
      (item) => item,
    );
    assert.equal(response.text, '{"price":"b"}');
    const kinds = await recordedThenReplayed(async (prices) => {
      const [now, later] = [prices.read("a"), prices.later("a")];
      return [now instanceof Promise, later instanceof Promise, await later];
    });
    assert.equal(kinds.response.text, '{"price":[false,true,7]}');
  });

  it("makes values that JSON lacks again, separately for each call", async () => {
    const value = {
      date: new Date(5),
      big: 7n,
      minus: -0,
      nothing: undefined,
      map: new Map<unknown, unknown>([["a", new Set([1, NaN])]]),
      url: new URL("https://example.test/a?b"),
      $price: "own",
      list: [Infinity, [null]],
    };
    const seen: unknown[] = [];
    await recordedThenReplayed(
      (prices) => {
        const [one, two] = [prices.read("a"), prices.read("a")];
        seen.push(one, two, one === two);
        return 1;
      },
      () => value,
    );
    assert.deepEqual(seen.slice(3), [value, value, false]);
  });

  it("returns the bean itself if the bean returned itself", async () => {
    const { response } = await recordedThenReplayed((prices) => prices.self() === prices);
    assert.equal(response.text, '{"price":true}');
  });

  it("throws errors again, those of the language, the framework and the application", async () => {
    const thrown: unknown[] = [];
    const errors = [
      new RangeError("out of it"),
      Object.assign(new Error("of the machine"), { code: "ENOENT", errno: -2 }),
      new ConflictError("taken", { code: "taken", headers: { "X-Why": "so" } }),
      new HttpError(418, "short"),
      new SoldOutError("tea"),
      Object.assign(new TypeError("of another name"), { name: "Odd" }),
      new (class NamelessError extends Error {})("its name is Error"),
      "a text",
    ];
    for (const error of errors) {
      const { calls } = await recordedThenReplayed(
        async (prices) => {
          try {
            prices.read("a");
          } catch (caught) {
            thrown.push(caught);
          }
        },
        () => {
          throw error;
        },
      );
      assert.deepEqual(calls, []);
      const again = thrown.at(-1);
      assert.deepEqual(again, error);
      assert.equal(String(again), String(error));
      if (typeof again === "object" && again !== null) {
        assert.equal(Object.getPrototypeOf(again), Object.getPrototypeOf(error));
        assert.notEqual(again, error);
      }
    }
    assert.equal(thrown.length, 2 * errors.length);
  });

  it("responds like the run to an error that a handler recognises by its class", async () => {
    const { trace, response } = await recordedThenReplayed(
      (prices) => prices.later("a"),
      () => {
        throw new SoldOutError("tea");
      },
    );
    assert.deepEqual([trace.status, response.status, response.text], [410, 410, '{"gone":"tea"}']);
  });

  const ends: Readonly<Record<string, readonly [first: World["asks"], then: World["asks"], reason: string]>> = {
    "a call that was not recorded": [
      (prices) => prices.later("a"),
      async (prices) => [await prices.later("a"), await prices.write("a", 2)],
      "the recording has no call of PriceRepository.write()",
    ],
    "other arguments": [
      (prices) => prices.read("a", { page: [1, 2] }),
      (prices) => prices.read("a", { page: [1, 3] }),
      "no call of PriceRepository.read() was recorded with these arguments: args[1].page[1] was 2, and is 3",
    ],
    "one call too many": [
      (prices) => prices.read("a"),
      (prices) => [prices.read("a"), prices.read("a")],
      "the recording has one call of PriceRepository.read() with these arguments, and this is one more",
    ],
    "arguments that cannot be told apart": [
      (prices) => prices.read("a"),
      (prices) => prices.subscribe(() => undefined),
      "PriceRepository.subscribe() cannot be looked up: args[0] is a function",
    ],
  };
  for (const [name, [first, then, reason]] of Object.entries(ends))
    it(`REPLAY-006: ends at ${name}, with a problem that names the call and why`, async () => {
      Object.assign(subject.world, { asks: first, results: () => 7 });
      const trace = await subject.run("/prices/x");
      subject.world.asks = then;
      const response = await subject.replay(trace);
      const [, method = ""] = /PriceRepository\.(\w+)/.exec(reason) ?? [];
      assert.deepEqual(problemIn(response.text), {
        type: "about:blank",
        title: "Conflict",
        status: 409,
        detail: `the replay has ended: ${reason}`,
        replay: { bean: "PriceRepository", method },
      });
      assert.deepEqual([response.status, response.type, subject.world.calls], [409, "application/problem+json", []]);
      assert.equal(response.caching, "no-store");
      const { status, replayOf } = await subject.newest();
      assert.deepEqual([status, replayOf?.ended], [409, { bean: "PriceRepository", method, reason }]);
    });

  it("stays ended, and calls no bean, when the application swallows the error", async () => {
    Object.assign(subject.world, { asks: undefined, results: () => 7 });
    const trace = await subject.run("/swallow/x");
    subject.world.asks = async (prices, clock) => prices.later("other").catch(() => clock.now().getTime());
    const response = await subject.replay(trace);
    assert.deepEqual([response.status, subject.world.calls], [409, []]);
    assert.match(problemIn(response.text).detail, /args\[0\] was "x", and is "other"$/);
    const { calls } = await subject.newest();
    assert.deepEqual(
      calls.map(({ bean, method, error }) => [bean, method, error?.name]),
      [
        ["ShopService", "price", "ReplayEnded"],
        ["PriceRepository", "later", "ReplayEnded"],
        ["Clock", "now", "ReplayEnded"],
        ["PriceRepository", "later", "ReplayEnded"],
      ],
    );
  });

  it("rejects a promise that is not awaited yet without ending the process", async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", listener);
    try {
      const { response } = await recordedThenReplayed(
        async (prices) => {
          const late = prices.later("slow");
          for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
          return late.catch((error: unknown) => String(error));
        },
        () => {
          throw new RangeError("late");
        },
      );
      assert.equal(response.text, '{"price":"RangeError: late"}');
      const ended = await recordedThenReplayed((prices, clock) => {
        if (clock.now().getTime() === 0 && subject.world.results("") === 7) return prices.later("a");
        void prices.later("b");
        return 1;
      });
      assert.deepEqual([ended.response.status, unhandled], [409, []]);
    } finally {
      process.off("unhandledRejection", listener);
    }
  });

  it("calls no chosen bean after the request either", async () => {
    Object.assign(subject.world, { results: () => 7, background: (prices: Prices) => prices.read("behind") });
    const trace = await subject.run("/behind/x").then(async () => {
      const traces = await subject.traces();
      return traces.find(({ path }) => path === "/behind/x");
    });
    assert.ok(trace);
    await subject.replay(trace);
    assert.deepEqual(subject.world.calls, []);
    const behind = (await subject.traces()).find(({ kind }) => kind === "trace");
    assert.equal(behind?.replayOf?.ended?.reason, "the recording has no call of PriceRepository.read()");
  });

  const lost: Readonly<Record<string, readonly [value: unknown, why: RegExp]>> = {
    cut: ["x".repeat(20_000), /result is cut$/],
    "cut within": [{ rows: Array.from({ length: 101 }, (_, at) => at) }, /result\.rows\[100\] is cut$/],
    redacted: [{ user: { password: "hunter2-hunter2" } }, /result\.user\.password is redacted$/],
    bytes: [new Uint8Array(3), /result is bytes, which are not kept$/],
    "a function": [() => 1, /result is a function$/],
    "a stream": [new ReadableStream(), /result is a stream$/],
    "private fields": [new Money(5), /result is an instance of Money, which keeps data in private fields$/],
    "an instance": [new Ledger(), /result is an instance of Ledger: Devtools\.create\(\{ revive: \[\[Ledger, /],
    "an error as a value": [new Error("x"), /result is an error that was not thrown$/],
    circular: [circle(), /result\.me refers to what is around it$/],
  };
  for (const [name, [value, why]] of Object.entries(lost))
    it(`is rejected before anything runs if a result cannot be made again: ${name}`, async () => {
      const { trace, response, calls } = await recordedThenReplayed(
        (prices, clock) => (clock.now(), prices.read("a"), 1),
        () => value,
      );
      const { status, detail } = problemIn(response.text);
      assert.deepEqual([response.status, status, calls], [409, 409, []]);
      assert.match(detail, /^PriceRepository\.read\(\) cannot be replayed: /);
      assert.match(detail, why);
      const { beans } = await subject.plan(trace);
      assert.equal(beans.find(({ bean }) => bean === "PriceRepository")?.refusal, detail);
    });

  it("is rejected if an error cannot be made again", async () => {
    class Odd extends Error {
      readonly #why = "private";
      get why(): string {
        return this.#why;
      }
    }
    const wide = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`f${at}`, at]));
    const same = { SoldOutError: class SoldOutError extends Error {} };
    const reasons: unknown[] = [];
    for (const error of [
      Object.assign(new Error("wide"), wide),
      Object.assign(new Error("of bytes"), { body: new Uint8Array(1) }),
      new Error("of hunter2: password=hunter2hunter2"),
      new Odd("odd"),
      new same.SoldOutError("another of that name"),
    ]) {
      const { response } = await recordedThenReplayed(
        async (prices) => prices.later("a").catch(() => 1),
        () => {
          throw error;
        },
      );
      reasons.push(problemIn(response.text).detail.replace("PriceRepository.later() cannot be replayed: ", ""));
    }
    assert.deepEqual(reasons, [
      "its error is cut",
      "its error.body is bytes, which are not kept",
      "the message of its error is redacted",
      "its error is an instance of Odd, which keeps data in private fields",
      "its error is an instance of SoldOutError, and there are two classes of that name",
    ]);
  });

  it("is rejected if an argument is redacted, or a call had not returned", async () => {
    const secret = await subject.run("/secret/hunter2-hunter2");
    const first = problemIn((await subject.replay(secret)).text);
    assert.match(first.detail, /read\(\) cannot be replayed: args\[1\]\.password is redacted$/);
    const pending = await recordedThenReplayed(
      (prices) => (void prices.later("slow"), 1),
      () => 7,
    );
    assert.match(problemIn(pending.response.text).detail, /result had not returned when the request was over$/);
  });

  const rejected: Readonly<Record<string, readonly [value: string, status: number, detail: RegExp]>> = {
    "no run": ["x", 400, /is one line <instance>/],
    "no beans": ["RUN;beans=", 400, /is one line/],
    "a bean that is not encoded": ["RUN;beans=%zz", 400, /is one line/],
    "an empty bean": ["RUN;beans=A,,B", 400, /is one line/],
    "more than that": ["RUN;beans=A;all=yes", 400, /is one line/],
    "a run that is not kept": ["00000000-aaaa.7;beans=PriceRepository", 409, /^the run 00000000-aaaa\.7 is not kept$/],
    "a bean that is not there": ["RUN;beans=Prices%20of%20yore", 409, /^there is no bean Prices of yore here$/],
    "a bean that is not recorded": ["RUN;beans=Ledger", 409, /^the calls of Ledger are not recorded here$/],
  };
  for (const [name, [value, status, detail]] of Object.entries(rejected))
    it(`REPLAY-010: rejects ${name}, and nothing runs`, async () => {
      Object.assign(subject.world, { asks: undefined, results: () => 7 });
      const { instance, sequence } = await subject.run("/prices/x");
      subject.world.calls = [];
      const header = value.replace("RUN", `${instance}.${sequence}`);
      const response = await subject.ask("/prices/x", { "X-Framework-Replay": header });
      const problem = problemIn(response.text);
      assert.deepEqual([response.status, problem.status, subject.world.calls], [status, status, []]);
      assert.deepEqual([problem.title, response.caching], [status === 400 ? "Bad Request" : "Conflict", "no-store"]);
      assert.deepEqual([response.type, problem.replay], ["application/problem+json", { bean: null, method: null }]);
      assert.match(problem.detail, detail);
    });

  it("REPLAY-010: rejects the run of another request, and of work outside of requests", async () => {
    Object.assign(subject.world, { asks: undefined, results: () => 7, background: () => undefined });
    const trace = await subject.run("/prices/x");
    const other = await subject.replay(trace, "PriceRepository", {}, "/prices/y");
    assert.equal(problemIn(other.text).detail, "the run is of GET /prices/x, and this is GET /prices/y");
    subject.world.calls = [];
    const header = { "X-Framework-Replay": `${trace.instance}.${trace.sequence};beans=PriceRepository` };
    const posted = await subject.ask("/prices/x", header, "POST");
    assert.equal(problemIn(posted.text).detail, "the run is of GET /prices/x, and this is POST /prices/x");
    assert.deepEqual([posted.status, subject.world.calls], [409, []]);
    await subject.run("/behind/x");
    const work = (await subject.traces()).find(({ kind }) => kind === "trace");
    assert.ok(work);
    const beside = await subject.replay(work, "PriceRepository", {}, "/prices/x");
    assert.equal(problemIn(beside.text).detail, "the run is no request: nobody can send it again");
  });

  it("REPLAY-011: is guarded like devtools", async () => {
    Object.assign(subject.world, { asks: undefined, results: () => 7 });
    const trace = await subject.run("/prices/x");
    for (const headers of [
      { "X-Forwarded-For": "10.0.0.1" },
      { Origin: "https://evil.example" },
      { "Sec-Fetch-Site": "cross-site" },
    ]) {
      const response = await subject.replay(trace, "PriceRepository", headers as Record<string, string>);
      assert.deepEqual([response.status, subject.world.calls], [403, []]);
      assert.match(response.text, /^Devtools rejected the request: /);
    }
  });

  it("does nothing for a client that devtools do not serve", async () => {
    Object.assign(subject.world, { asks: undefined, results: () => 7 });
    const { instance, sequence } = await subject.run("/prices/x");
    subject.world.calls = [];
    const headers = { "X-Framework-Replay": `${instance}.${sequence};beans=PriceRepository` };
    const response = await subject.app.fetch(new Request(`${subject.app.url}/prices/x`, { headers }));
    assert.deepEqual([await response.json(), subject.world.calls], [{ price: 7 }, ["later x"]]);
    const { replayOf } = await subject.newest();
    assert.equal(replayOf, undefined);
  });

  it("does nothing if devtools are off", async () => {
    const { instance, sequence } = await subject.run("/prices/x");
    process.env["FRAMEWORK_DEVTOOLS"] = "false";
    const off = new Subject();
    delete process.env["FRAMEWORK_DEVTOOLS"];
    off.world.results = () => 8;
    await off.app.start(0);
    try {
      for (const value of [`${instance}.${sequence};beans=PriceRepository`, "x"]) {
        const { status, text } = await off.ask("/prices/x", { "X-Framework-Replay": value });
        assert.deepEqual([status, text], [200, '{"price":8}']);
      }
      assert.deepEqual(off.world.calls, ["later x", "later x"]);
    } finally {
      await off.app.stop();
    }
  });

  it("REPLAY-013: plans repositories and beans without calls of others as the defaults", async () => {
    Object.assign(subject.world, { asks: (p: Prices, clock: Clock) => (clock.now(), p.later("a")), results: () => 7 });
    const trace = await subject.run("/prices/x");
    const { instance, sequence } = trace;
    assert.deepEqual(await subject.plan(trace), {
      instance,
      sequence,
      notes: [],
      refusal: null,
      testRefusal: null,
      ticket: null,
      beans: [
        { bean: "ShopService", calls: 1, isDefault: false, refusal: null },
        { bean: "Clock", calls: 1, isDefault: true, refusal: null },
        { bean: "PriceRepository", calls: 1, isDefault: true, refusal: null },
      ],
    });
    const none = await subject.ask(`/framework/dev/api/replays/${instance}.${sequence + 999}`);
    assert.deepEqual([none.status, none.type], [404, "application/problem+json"]);
  });

  it("shows class and own data of an error, and nothing for a plain one", async () => {
    const shown: unknown[] = [];
    for (const error of [
      new TypeError("plain"),
      Object.assign(new Error("of the machine"), { code: "ENOENT", password: "hunter2hunter2" }),
      new SoldOutError("tea"),
      new HttpError(418, "short", { code: "teapot" }),
      "a text",
    ]) {
      const results = (): never => {
        throw error;
      };
      Object.assign(subject.world, { asks: async (p: Prices) => p.later("a").catch(() => 1), results });
      const { calls } = await subject.run("/prices/x");
      shown.push(calls.find(({ method }) => method === "later")?.error?.fields);
    }
    assert.deepEqual(shown, [
      undefined,
      { code: "ENOENT", password: "[redacted]" },
      { $class: "SoldOutError", name: "SoldOutError", item: "tea" },
      {
        $class: "HttpError",
        $from: "framework",
        name: "HttpError",
        status: 418,
        headers: {},
        code: "teapot",
        issues: { $undefined: true },
        moreIssues: { $undefined: true },
      },
      undefined,
    ]);
  });

  it("runs concurrently with others, each with a separate recording", async () => {
    Object.assign(subject.world, { asks: undefined, results: (item: string) => `first ${item}` });
    const a = await subject.run("/prices/x");
    subject.world.results = (item) => `second ${item}`;
    const b = await subject.run("/prices/x");
    subject.world.results = () => "of another day";
    const texts = await Promise.all(Array.from({ length: 20 }, (_, at) => subject.replay(at % 2 === 0 ? a : b)));
    const expected = Array.from({ length: 20 }, (_, at) => `{"price":"${at % 2 === 0 ? "first" : "second"} x"}`);
    assert.deepEqual(
      texts.map(({ text }) => text),
      expected,
    );
  });
});

function circle(): object {
  const value: Record<string, unknown> = {};
  value["me"] = value;
  return value;
}

describe("a replay elsewhere", () => {
  const folder = mkdtempSync(join(tmpdir(), "replay-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** A run in this file, of an application that has ended. */
  async function formerRun(history: string): Promise<Trace> {
    const former = new Subject({ history });
    former.world.results = () => 7;
    await former.app.start(0);
    const trace = await former.run("/prices/x");
    await former.app.stop();
    return trace;
  }

  it("is saved as a test, except if it cannot be made again or nothing is chosen", async () => {
    const saving = new Subject();
    saving.world.results = () => 7;
    await saving.app.start(0);
    try {
      const trace = await saving.run("/prices/x");
      const { instance, sequence } = trace;
      const path = `/framework/dev/api/replays/${instance}.${sequence}/test`;
      const file = await saving.ask(path);
      assert.deepEqual([file.status, file.type], [200, "text/plain; charset=utf-8"]);
      assert.match(file.text, /"beans": \[\n {4}"PriceRepository"\n {2}\]/);
      const { headers } = await fetch(saving.app.url + path);
      assert.equal(headers.get("content-disposition"), 'attachment; filename="get-prices-item-200.test.ts"');
      const rejections = async (run: Trace, search: string): Promise<unknown> => {
        const { status, text } = await saving.ask(
          `/framework/dev/api/replays/${run.instance}.${run.sequence}${search}`,
        );
        const { title, detail } = JSON.parse(text) as { title: string; detail?: string };
        return [status, title, detail];
      };
      const choose = [400, "Bad Request", "beans is a list of the graph's ids: A,B"];
      const cannot = "the run cannot be saved as a test:";
      const unknown = { instance: "none", sequence: 1 } as Trace;
      const another = await saving.run("/nowhere");
      saving.world.results = () => new Ledger();
      const odd = await saving.run("/prices/x");
      assert.deepEqual(await rejections(trace, "/test?beans="), choose);
      assert.deepEqual(await rejections(another, "/test"), choose);
      assert.deepEqual(await rejections(trace, "/test?beans=ShopService,100%25"), [
        409,
        "Conflict",
        `${cannot} there is no bean 100% here`,
      ]);
      assert.deepEqual(await rejections(odd, "/test"), [
        409,
        "Conflict",
        `${cannot} ${(await saving.plan(odd)).beans.at(-1)?.refusal}`,
      ]);
      for (const search of ["/tests", "/test/more"])
        assert.deepEqual(await rejections(trace, search), [404, "Not Found", undefined]);
      const notKept = [404, "Not Found", "no run of that instance and sequence is kept"];
      assert.deepEqual(await rejections(unknown, ""), notKept);
      assert.equal((await saving.ask("/framework/dev/api/aggregates")).status, 200);
    } finally {
      await saving.app.stop();
    }
  });

  it("of a run of an earlier process is marked as such, with whether the commit is known", async () => {
    const history = join(folder, "runs.jsonl");
    const trace = await formerRun(history);
    const later = new Subject({ history });
    await later.app.start(0);
    try {
      const response = await later.replay(trace);
      assert.deepEqual([response.text, later.world.calls], ['{"price":7}', []]);
      const { replayOf } = await later.newest();
      assert.equal(replayOf?.instance, trace.instance);
      assert.match(
        replayOf?.notes[0] ?? "",
        /^the run was recorded by a former process of the application, started at /,
      );
      assert.deepEqual((await later.plan(trace)).notes, replayOf?.notes);
    } finally {
      await later.app.stop();
    }
  });

  it("of an old run is saved with the commit, if that is known", async () => {
    const history = join(folder, "long-ago.jsonl");
    const trace = await formerRun(history);
    const lines = readFileSync(history, "utf8").trim().split("\n");
    const commit = "c0ffee".repeat(7);
    const old = lines.map((line): unknown => {
      const { session, ...rest } = JSON.parse(line) as { session?: object };
      return session === undefined ? rest : { ...rest, session: { ...session, commit } };
    });
    const written = (of: readonly unknown[]): string => of.map((line) => `${JSON.stringify(line)}\n`).join("");
    const comments: string[] = [];
    for (const text of [written(old), written(old.filter((line) => !("session" in (line as object))))]) {
      writeFileSync(history, text);
      const later = new Subject({ history });
      await later.app.start(0);
      try {
        const plan = await later.plan(trace);
        assert.deepEqual(
          plan.beans.map(({ bean }) => bean),
          ["ShopService", "PriceRepository"],
        );
        assert.deepEqual(
          plan.notes.filter((note) => note.includes("done again")),
          [],
        );
        const saved = await later.ask(`/framework/dev/api/replays/${trace.instance}.${trace.sequence}/test`);
        assert.equal(saved.status, 200, saved.text);
        comments.push(saved.text.split("\n")[1] ?? "");
      } finally {
        await later.app.stop();
      }
    }
    const ranAt = ` * GET /prices/x as it ran on ${new Date(trace.startedAt).toISOString()}`;
    assert.deepEqual(comments, [`${ranAt}, at commit c0ffeec0ff. Saved by devtools.`, `${ranAt}. Saved by devtools.`]);
  });

  it("REPLAY-011: requires the token, or the ticket that the plan gives to clients with the token", async () => {
    const secret = "a-secret-of-this-test";
    const guarded = new Subject({ token: secret });
    guarded.world.results = () => 7;
    await guarded.app.start(0);
    const headers = { "X-Framework-Dev-Token": secret };
    try {
      await guarded.ask("/prices/x");
      const [trace] = JSON.parse((await guarded.ask("/framework/dev/api/requests", headers)).text) as Trace[];
      assert.ok(trace);
      const planned = await guarded.ask(`/framework/dev/api/replays/${trace.instance}.${trace.sequence}`, headers);
      const { ticket } = JSON.parse(planned.text) as ReplayPlan;
      const statuses = [
        (await guarded.replay(trace)).status,
        (await guarded.replay(trace, "PriceRepository;ticket=another")).status,
        (await guarded.replay(trace, `PriceRepository;ticket=${ticket}`)).status,
        (await guarded.replay(trace, "PriceRepository", headers)).status,
      ];
      assert.deepEqual(statuses, [403, 403, 200, 200]);
    } finally {
      await guarded.app.stop();
    }
  });

  it("makes instances with the application's makers, and ends if one fails", async () => {
    const snapshot = [[Money, (money: Money) => ({ cents: money.cents })]] as unknown as DevtoolsOptions["snapshot"];
    const make = (shown: Readonly<Record<string, unknown>>): Money => {
      if (shown["cents"] === 13) throw new Error("an unlucky number");
      return new Money(Number(shown["cents"]));
    };
    const paying = new Subject({ snapshot, revive: [[Money, make]] });
    paying.world.asks = (prices) => (prices.read("a") as Money).cents;
    await paying.app.start(0);
    try {
      const results: unknown[] = [];
      for (const cents of [5, 13]) {
        paying.world.results = () => new Money(cents);
        const { status, text } = await paying.replay(await paying.run("/prices/x"));
        results.push([status, status === 200 ? text : problemIn(text).detail]);
      }
      assert.deepEqual(results, [
        [200, '{"price":5}'],
        [
          409,
          "the replay has ended: PriceRepository.read() cannot be replayed: what it came to could not be made: an unlucky number",
        ],
      ]);
    } finally {
      await paying.app.stop();
    }
  });

  it("REPLAY-010: rejects requests that are not recorded, since they would run for real", async () => {
    const ignoring = new Subject({ ignore: (ctx) => ctx.search === "?ignored" });
    await ignoring.app.start(0);
    try {
      const trace = await ignoring.run("/prices/x");
      const { status, text } = await ignoring.replay(trace, "PriceRepository", {}, "/prices/x?ignored");
      assert.deepEqual([status, ignoring.world.calls], [409, []]);
      assert.match(problemIn(text).detail, /^requests like this one are not recorded/);
    } finally {
      await ignoring.app.stop();
    }
  });
});

describe("Replay", () => {
  const recorded = (method: string, more: Partial<RecordedCall> = {}): RecordedCall => ({
    bean: "Stock",
    method,
    args: [],
    result: 7,
    error: null,
    async: false,
    endUs: 0,
    ...more,
  });
  const replayOf = (...calls: readonly RecordedCall[]): Replay =>
    new Replay(
      { instance: "i", sequence: 1, beans: ["Stock"], notes: [], calls },
      new Reviver(new Map(), new SeenErrors()),
    );
  const code = (): undefined => undefined;
  const called = (replay: Replay, method: string, args: readonly Json[] | undefined, own: () => unknown = code) =>
    replay.instead({ bean: "Stock", method, args, self: {}, code: own })?.();

  it("REPLAY-006: names why it ended, and the calls that were not made", () => {
    const replay = replayOf(recorded("find"), recorded("count"));
    assert.equal(called(replay, "find", []), 7);
    assert.deepEqual(replay.left, [recorded("count")]);
    const over = "it was called after the request was over, or when no more calls are kept";
    assert.throws(
      () => called(replay, "count", undefined),
      (error) => error instanceof ReplayEnded && error.message === `the replay has ended: ${over}`,
    );
    assert.deepEqual(replay.ended, { bean: "Stock", method: "count", reason: over });
  });

  it("ends at a call with a result that cannot be made again", () => {
    const replay = replayOf(recorded("find", { result: { $symbol: "s" } }));
    assert.throws(() => called(replay, "find", []), ReplayEnded);
    assert.equal(replay.ended?.reason, "Stock.find() cannot be replayed: result is a symbol");
  });

  it("rejects a promise for code that is or was asynchronous", async () => {
    for (const own of [async () => undefined, code]) {
      const replay = replayOf(recorded("find", { async: own === code }));
      const promise = called(replay, "find", [1], own);
      assert.ok(promise instanceof Promise);
      await assert.rejects(promise, ReplayEnded);
    }
    assert.throws(() => called(replayOf(recorded("find")), "find", [1]), ReplayEnded);
  });
});
