import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { describe, test } from "node:test";
import { z } from "zod";
import { Framework } from "../app/framework.ts";
import { Beans } from "../beans/beans.ts";
import { Interface } from "../beans/interface.ts";
import { currentLog } from "../middleware/log/log-scope.ts";
import { HealthMiddleware } from "../middleware/health/health.ts";
import { RequestIdMiddleware } from "../middleware/request-id/request-id.ts";
import type { JobObservation } from "../metrics/collector.ts";
import { appWith, manualApp, until, workOfApp } from "./app.testkit.ts";
import { job } from "./job.ts";
import { memoryWork } from "./memory.ts";
import { Work } from "./sender.ts";
import type { TakenJob, WorkDriver } from "./types.ts";
import { JobEngine } from "./engine.ts";
import { MemoryDriver } from "./memory-driver.ts";

const Invoice = job("send-invoice", {
  input: z.object({ order: z.string() }),
  attempts: 3,
  backoff: { kind: "exponential", delayMs: 1_000 },
});
const time = (text: string): number => Date.parse(text);

describe("app.job", () => {
  test("gets the input as its schema returns it, and the attempt", async () => {
    const Add = job("add", { input: z.object({ by: z.number().default(2) }) });
    const { app, jobs } = manualApp();
    const seen: unknown[] = [];
    app.job(Add, ({ by }, run) => seen.push([by, run.attempt, run.signal.aborted, run.requestId]));
    const id = await (await workOfApp(app)).send(Add, {});
    const ran = await jobs.run();
    assert.deepEqual(seen, [[2, 1, false, undefined]]);
    assert.deepEqual(
      ran.map(({ at: _, ...one }) => one),
      [{ job: "add", id, attempt: 1, outcome: "done", reason: "" }],
    );
  });

  test("calls the method of a bean", async () => {
    interface Invoices {
      send(input: { order: string }): Promise<void>;
    }
    const Invoices = Interface<Invoices>("Invoices");
    const sent: string[] = [];
    const { app, jobs } = manualApp();
    const beans = Beans.builder().bind(Invoices, () => ({ send: async ({ order }) => void sent.push(order) }));
    app.beans(beans).job(Invoice, [Invoices, "send"]);
    await (await workOfApp(app)).send(Invoice, { order: "7" });
    await jobs.run();
    assert.deepEqual(sent, ["7"]);
  });

  test("gives a bean to another one, and to a function", async () => {
    class Orders {
      readonly work: Work;
      constructor(work: Work) {
        this.work = work;
      }
    }
    const { app, jobs } = manualApp();
    const seen: unknown[] = [];
    app.beans(Beans.builder().bind(Orders, (b) => new Orders(b.get(Work))));
    app.job(Invoice, ({ order }, run) => seen.push([order, run.get(Orders) instanceof Orders]));
    await app.ready();
    await app.container?.get(Orders).work.send(Invoice, { order: "1" });
    await jobs.run();
    assert.deepEqual(seen, [["1", true]]);
  });

  test("uses the bean of a container that was started before the app", async () => {
    const jobs = memoryWork({ manual: true });
    const beans = Beans.builder().bindInstance(Work, jobs.work).start();
    const { app } = appWith(jobs);
    app.beans(beans).job(Invoice, () => undefined);
    await app.ready();
    await beans.get(Work).send(Invoice, { order: "1" });
    assert.deepEqual([(await jobs.run()).length, app.container?.get(Work) === beans.get(Work)], [1, true]);
  });

  const wrong: Record<string, [configure: (app: Framework) => unknown, message: RegExp]> = {
    "an app without an engine": [
      () => Framework.create().job(Invoice, () => undefined),
      /app\.job\(\) needs an engine: call app\.work/,
    ],
    "a second engine": [(app) => app.work(memoryWork()), /app\.work\(\) was called before/],
    "something else as an engine": [() => Framework.create().work({} as never), /app\.work got \{\}: memoryWork\(\)/],
    "something else as a job": [(app) => app.job({ ...Invoice }, () => undefined), /app\.job takes a job, which job\(/],
    "something else as a handler": [(app) => app.job(Invoice, 7 as never), /app\.job\(send-invoice\) takes a function/],
    "a second handler": [
      (app) => app.job(Invoice, () => undefined).job(Invoice, () => undefined),
      /a job of that name has a handler already/,
    ],
  };
  for (const [title, [configure, message]] of Object.entries(wrong))
    test(`throws on ${title}`, () => {
      const { app } = manualApp();
      assert.throws(() => configure(app), { code: "WORK_INVALID", message });
    });

  test("fails the start when its bean has no such method", async () => {
    class Invoices {
      readonly name = "invoices";
    }
    const { app } = manualApp();
    app.beans(Beans.builder().bind(Invoices, () => new Invoices())).job(Invoice, [Invoices, "send"] as never);
    await assert.rejects(app.ready(), { message: "Invoices has no method send, which a job is to call" });
  });
});

describe("job", () => {
  const wrong: Record<string, [make: () => unknown, message: RegExp]> = {
    "a name with a blank": [() => job("a b", { input: z.string() }), /a job has the name "a b": a letter, then/],
    "an unknown option": [
      () => job("a", { input: z.string(), retries: 1 } as never),
      /the job a has no option retries/,
    ],
    "an input that is no schema": [() => job("a", { input: 7 as never }), /the job a: its input is number/],
    "attempts below one": [() => job("a", { input: z.string(), attempts: 0 }), /attempts: 0; a whole number from 1/],
    "an unknown backoff": [
      () => job("a", { input: z.string(), backoff: "linear" as never }),
      /backoff: "linear"; "fixed" and/,
    ],
  };
  for (const [title, [make, message]] of Object.entries(wrong))
    test(`throws on ${title}`, () => assert.throws(make, { message }));
});

describe("work.send", () => {
  test("rejects an input that the schema rejects, with the issues, and keeps nothing", async () => {
    const { app, jobs } = manualApp();
    app.job(Invoice, () => undefined);
    const work = await workOfApp(app);
    await assert.rejects(
      work.send(Invoice, { order: 7 } as never),
      (error: { code: string; message: string; issues: object[] }) => {
        assert.equal(error.code, "WORK_INPUT");
        assert.match(
          error.message,
          /^the job send-invoice was not sent: its input does not fit its schema \(\/order: /,
        );
        assert.deepEqual(
          error.issues.map((issue) => Reflect.get(issue, "pointer")),
          ["/order"],
        );
        return true;
      },
    );
    assert.deepEqual(await jobs.run(), []);
  });

  test("takes a JSON Schema", async () => {
    const Sum = job("sum", {
      input: { type: "object", properties: { a: { type: "number" } }, required: ["a"] } as const,
    });
    const { app } = manualApp();
    const work = await workOfApp(app.job(Sum, () => undefined));
    await work.send(Sum, { a: 1 });
    await assert.rejects(work.send(Sum, { a: "1" } as never), { message: /\(\/a: no number\)$/ });
  });

  const inputs: Record<string, [input: unknown, message: RegExp]> = {
    "one that is no JSON": [{ order: 1n }, /its input has no JSON form \(Do not know how to serialize a BigInt\)/],
    "nothing at all": [undefined, /its input has no JSON form$/],
    "one that JSON changes into something else": [{ order: new Date(Number.NaN) }, /does not fit its schema/],
  };
  for (const [title, [input, message]] of Object.entries(inputs))
    test(`rejects ${title}`, async () => {
      const { app } = manualApp();
      await assert.rejects((await workOfApp(app)).send(Invoice, input as never), { code: "WORK_INPUT", message });
    });

  test("rejects a job that is larger than the limit", async () => {
    const { app } = manualApp({ maxBytes: 500 });
    const work = await workOfApp(app);
    await work.send(Invoice, { order: "a".repeat(300) });
    await assert.rejects(work.send(Invoice, { order: "a".repeat(500) }), {
      message: /bytes, and 500 are allowed; keep large/,
    });
  });

  test("sends one job for a key, and returns its id each time", async () => {
    const { app, jobs } = manualApp();
    app.job(Invoice, () => undefined);
    const work = await workOfApp(app);
    const send = (): Promise<string> => work.send(Invoice, { order: "1" }, { key: "1" });
    const ids = [await send(), await send()];
    const ran = await jobs.run();
    ids.push(await send());
    assert.deepEqual([new Set(ids).size, ran.length, (await jobs.run()).length], [1, 1, 0]);
    assert.match(String(ids[0]), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  test("waits for a delay", async () => {
    const { app, jobs } = manualApp();
    app.job(Invoice, () => undefined);
    const work = await workOfApp(app);
    await jobs.run({ at: "2026-01-01T00:00:00Z" });
    await work.send(Invoice, { order: "1" }, { delayMs: 60_000 });
    const early = await jobs.run({ at: "2026-01-01T00:00:59Z" });
    const ran = await jobs.run({ at: new Date("2026-01-01T00:01:00Z") });
    assert.deepEqual([early.length, ran.map(({ at }) => at)], [0, [time("2026-01-01T00:01:00Z")]]);
  });

  test("says that memory has no transactions", async () => {
    const { app } = manualApp();
    await assert.rejects((await workOfApp(app)).send(Invoice, { order: "1" }, { tx: {} }), {
      code: "WORK_INVALID",
      message: /^work\.send\(send-invoice\) has a tx, and memory is no part of the caller's database: pgBossWork/,
    });
  });

  test("carries the request's id and trace into the job, its log and the jobs that it sends", async () => {
    const { app, jobs, lines } = manualApp();
    const Next = job("next", { input: z.object({}) });
    const origins: unknown[] = [];
    app.observe({
      background(_name, run, _origin, one) {
        origins.push([one?.name, one?.attempt, one?.system, one?.requestId, one?.traceparent, one?.tracestate]);
        return run();
      },
    });
    app.use(new RequestIdMiddleware());
    app.job(Invoice, async (_input, run) => {
      run.log.child({ at: 1 }).info("sent", { requestId: "forged" });
      currentLog()?.info("from below");
      await run.get(Work).send(Next, {});
    });
    app.job(Next, (_input, run) => run.log.info("next"));
    app.post("/orders", async (ctx) => ({ id: await ctx.get(Work).send(Invoice, { order: "1" }) }));
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const headers = { "X-Request-Id": "r-1", traceparent, tracestate: "vendor=a" };
    const response = await app.request("/orders", { method: "POST", headers });
    const { id } = (await response.json()) as { id: string };
    const ran = await jobs.run();
    const own = { job: "send-invoice", jobId: id, attempt: 1, requestId: "r-1" };
    assert.deepEqual(lines, [
      ["info", "sent", { at: 1, ...own }],
      ["info", "from below", own],
      ["info", "next", { ...own, job: "next", jobId: ran[1]?.id }],
    ]);
    assert.deepEqual(origins, [
      ["send-invoice", 1, "memory", "r-1", traceparent, "vendor=a"],
      ["next", 1, "memory", "r-1", traceparent, "vendor=a"],
    ]);
  });

  test("carries no tracestate without a traceparent, and none over 512 characters", async () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const { app, jobs } = manualApp();
    const seen: unknown[] = [];
    app.job(Invoice, (_input, run) => void seen.push(run.tracestate?.length));
    app.post("/orders", (ctx) => ctx.get(Work).send(Invoice, { order: "1" }));
    const of = (length: number): string => `a=${"x".repeat(length - 2)}`;
    const given = [{ tracestate: of(9) }, { traceparent, tracestate: of(512) }, { traceparent, tracestate: of(513) }];
    for (const headers of given) {
      await app.request("/orders", { method: "POST", headers: headers as Record<string, string> });
      await jobs.run();
    }
    assert.deepEqual(seen, [undefined, 512, undefined]);
  });

  test("rejects with a 503 when the engine does not take the job", async () => {
    const { app } = appWith(engineOf({ send: () => Promise.reject(new Error("ECONNREFUSED")) }));
    app.post("/", async (ctx) => ({ id: await ctx.get(Work).send(Invoice, { order: "1" }) }));
    const response = await app.request("/", { method: "POST" });
    const { code, detail } = (await response.json()) as Record<string, unknown>;
    assert.deepEqual(
      [response.status, code, detail],
      [
        503,
        "WORK_AWAY",
        "the job send-invoice could not be sent: its engine did not take it. Send it again, with a key if it must not exist twice",
      ],
    );
  });

  test("rejects when the engine does not answer in time", async () => {
    const { app } = appWith(engineOf({ send: () => new Promise(() => undefined) }, { sendTimeoutMs: 20 }));
    await assert.rejects((await workOfApp(app)).send(Invoice, { order: "1" }), (error: Error) => {
      assert.equal(Object(error.cause).message, "memory did not answer within 20 ms");
      return true;
    });
  });
});

/** An engine in memory, some of whose methods are replaced. */
function engineOf(methods: Partial<WorkDriver>, options = {}): JobEngine {
  return new JobEngine("test", Object.assign(new MemoryDriver(true), methods), options);
}

describe("an attempt", () => {
  test("is not lost if it becomes due while the engine reads the clock", async () => {
    let clock = 0;
    const driver = Object.assign(new MemoryDriver(false), { now: () => clock++ });
    const Retried = job("retried", { input: z.object({}), attempts: 3, backoff: { kind: "fixed", delayMs: 2 } });
    const { app } = appWith(new JobEngine("test", driver, {}));
    const attempts: number[] = [];
    app.job(Retried, (_, { attempt }) => {
      attempts.push(attempt);
      throw new Error("no paper");
    });
    await (await workOfApp(app)).send(Retried, {});
    const end = performance.now() + 5_000;
    await until(() => attempts.length === 3 || performance.now() > end);
    await app.stop();
    assert.deepEqual(attempts, [1, 2, 3]);
  });

  test("is followed by others, later each time, and then by a dead letter, which can be tried again", async () => {
    const { app, jobs, lines } = manualApp();
    let isMended = false;
    app.job(Invoice, () => {
      if (!isMended) throw new Error("no paper");
    });
    const work = await workOfApp(app);
    await jobs.run({ at: "2026-01-01T00:00:00Z" });
    const id = await work.send(Invoice, { order: "1" });
    const ran = await jobs.run({ at: "2026-01-01T00:01:00Z" });
    assert.deepEqual(
      ran.map(({ attempt, at, outcome, reason }) => [attempt, at - time("2026-01-01T00:00:00Z"), outcome, reason]),
      [
        [1, 0, "failed", "no paper"],
        [2, 1_000, "failed", "no paper"],
        [3, 3_000, "failed", "no paper"],
      ],
    );
    assert.deepEqual(
      lines.map(([level, message]) => [level, message]),
      [
        ["warn", "the job send-invoice failed in attempt 1 of 3: it is tried again"],
        ["warn", "the job send-invoice failed in attempt 2 of 3: it is tried again"],
        ["error", "the job send-invoice failed in attempt 3 of 3: it has failed for good, and is a dead letter"],
      ],
    );
    assert.deepEqual(await work.dead(Invoice), [
      { id, name: "send-invoice", input: { order: "1" }, reason: "no paper" },
    ]);
    isMended = true;
    assert.deepEqual([await work.retry(Invoice, "none"), await work.retry(Invoice, id)], [false, true]);
    assert.deepEqual([(await jobs.run()).map(({ outcome }) => outcome), await work.dead(Invoice)], [["done"], []]);
  });

  test("ends when its time is over, aborts its signal, and counts as failed", async () => {
    const Slow = job("slow", { input: z.object({}), attempts: 1, timeoutMs: 20 });
    const { app, jobs } = manualApp();
    let signal: AbortSignal | undefined;
    app.job(Slow, (_input, run) => {
      ({ signal } = run);
      return new Promise(() => undefined);
    });
    await (await workOfApp(app)).send(Slow, {});
    const ran = await jobs.run();
    assert.deepEqual(
      [ran.map(({ outcome, reason }) => [outcome, reason]), signal?.aborted],
      [[["failed", "the job slow did not settle within 20 ms"]], true],
    );
  });

  test("does not begin with an input that no longer fits: a dead letter with the issues, at once", async () => {
    const Old = job("old", { input: z.object({}) });
    const New = job("old", { input: z.object({ order: z.string() }), attempts: 5 });
    const { app, jobs, lines } = manualApp();
    app.job(New, () => assert.fail("it began"));
    await (await workOfApp(app)).send(Old, {});
    const [ran] = await jobs.run();
    assert.equal(ran?.outcome, "dead");
    assert.match(ran?.reason ?? "", /^its input does not fit its schema \(\/order: /);
    const [level, message, fields] = lines[0] ?? [];
    const issues = Reflect.get(Object(fields), "issues") as { pointer: string }[];
    assert.deepEqual([level, issues.map(({ pointer }) => pointer)], ["error", ["/order"]]);
    assert.match(String(message), /^a job old is a dead letter: its input/);
  });

  const envelopes: Record<string, [envelope: unknown, outcome: object]> = {
    "of a newer version is left for a newer process": [
      { v: 2, name: "send-invoice" },
      { kind: "back", delayMs: 30_000 },
    ],
    "that is no job is a dead letter": ["x", { kind: "dead", reason: "what is stored is no job of send-invoice" }],
    "of another name is a dead letter": [
      { v: 1, name: "other" },
      { kind: "dead", reason: "it is a job other, and was taken as send-invoice" },
    ],
  };
  for (const [title, [envelope, expected]] of Object.entries(envelopes))
    test(`with an envelope ${title}`, async () => {
      let deliver: ((taken: TakenJob) => Promise<unknown>) | undefined;
      const { app, lines } = appWith(engineOf({ consume: async (_job, given) => void (deliver = given) }));
      app.job(Invoice, () => assert.fail("it began"));
      await app.ready();
      assert.deepEqual(await deliver?.({ id: "1", attempt: 1, envelope }), expected);
      assert.equal(lines.length, 1);
    });

  test("runs outside of the asynchronous context that sent it, which may be a transaction that is over", async () => {
    const transaction = new AsyncLocalStorage<string>();
    const { app, jobs } = manualApp();
    const seen: unknown[] = [];
    app.job(Invoice, () => void seen.push(transaction.getStore()));
    const work = await workOfApp(app);
    await transaction.run("open", async () => {
      await work.send(Invoice, { order: "7" });
      await jobs.run();
      await app.about.jobs?.trial("send-invoice", { id: "7", attempt: 1, input: { order: "8" }, trial: {} });
    });
    assert.deepEqual(seen, [undefined, undefined]);
    await app.stop();
  });

  test("is inside the observers of background work, under the job's name", async () => {
    const { app, jobs } = manualApp();
    const seen: unknown[] = [];
    app.observe({
      background(name, run, origin) {
        seen.push(name, origin);
        return Promise.resolve(run()).then(
          () => seen.push("done"),
          (error: Error) => seen.push(error.message),
        );
      },
    });
    app.job(Invoice, ({ order }) => {
      if (order === "2") throw new Error("no paper");
    });
    const work = await workOfApp(app);
    await work.send(Invoice, { order: "1" });
    await work.send(Invoice, { order: "2" });
    await jobs.run();
    assert.deepEqual(seen, ["send-invoice", undefined, "done", "send-invoice", undefined, "no paper"]);
  });

  test("is reported to the collector, and so are the jobs that wait", async () => {
    const seen: Omit<JobObservation, "durationSeconds">[] = [];
    const counts: unknown[] = [];
    const metrics = {
      job: ({ durationSeconds, ...rest }: JobObservation) => {
        assert.ok(durationSeconds >= 0);
        seen.push(rest);
        throw new Error("the collector is full");
      },
      jobs: (all: unknown) => void counts.push(all),
    };
    const { app, jobs, lines } = manualApp({ metrics });
    const Once = job("once", { input: z.string(), attempts: 1 });
    app.job(Once, (text) => {
      if (text === "bad") throw new Error(text);
    });
    const work = await workOfApp(app);
    await work.send(Once, "good");
    await work.send(Once, "bad");
    await jobs.run();
    assert.deepEqual(seen, [
      { job: "once", system: "memory", outcome: "done" },
      { job: "once", system: "memory", outcome: "dead" },
    ]);
    await until(() => counts.length > 0);
    assert.deepEqual(counts, [[{ job: "once", waiting: 0, active: 0, failed: 0, oldestMs: 0 }]]);
    assert.equal(lines.filter(([, message]) => message === "the collector of the jobs' metrics failed").length, 1);
  });
});

describe("memoryWork", () => {
  test("runs jobs by itself, as many at a time as the job says", async () => {
    const Slow = job("slow", { input: z.number(), concurrency: 2 });
    const { app } = appWith(memoryWork());
    const open: (() => void)[] = [];
    const begun: number[] = [];
    app.job(Slow, (at) => {
      begun.push(at);
      return new Promise<void>((resolve) => open.push(resolve));
    });
    const work = await workOfApp(app);
    for (const at of [1, 2, 3]) await work.send(Slow, at);
    await until(() => begun.length === 2);
    const [counts] = await work.counts();
    assert.deepEqual([counts?.waiting, counts?.active, counts?.failed], [1, 2, 0]);
    open.shift()?.();
    await until(() => begun.length === 3);
    for (const end of open) end();
    await app.stop();
    assert.deepEqual(begun, [1, 2, 3]);
  });

  test("tries again by itself, after the delay", async () => {
    const Again = job("again", { input: z.object({}), backoff: { kind: "fixed", delayMs: 20 } });
    const { app } = appWith(memoryWork());
    const attempts: number[] = [];
    app.job(Again, (_input, run) => {
      attempts.push(run.attempt);
      if (run.attempt < 3) throw new Error("not yet");
    });
    await (await workOfApp(app)).send(Again, {});
    const end = performance.now() + 5_000;
    await until(() => attempts.length === 3 || performance.now() > end);
    await app.stop();
    assert.deepEqual(attempts, [1, 2, 3]);
  });

  test("has a run() for tests only", async () => {
    await assert.rejects(memoryWork().run(), { message: /run\(\) is for tests: memoryWork\(\{ manual: true \}\)/ });
    await assert.rejects(memoryWork({ manual: true }).run({ at: "soon" }), {
      message: /run\(\) got at: "soon", which is no time/,
    });
    assert.throws(() => memoryWork({ manuel: true } as never), { message: /has no option manuel/ });
  });
});

describe("app.stop", () => {
  test("takes no new job, and waits for the attempt that runs", async () => {
    const { app, lines } = appWith(memoryWork());
    let end: (() => void) | undefined;
    const begun: string[] = [];
    let aborted: boolean | undefined;
    app.job(Invoice, ({ order }, run) => {
      begun.push(order);
      return new Promise<void>((resolve) => {
        end = () => {
          aborted = run.signal.aborted;
          resolve();
        };
      });
    });
    const work = await workOfApp(app);
    await work.send(Invoice, { order: "1" });
    await until(() => begun.length === 1);
    const stopping = app.stop();
    await work.send(Invoice, { order: "2" });
    end?.();
    await stopping;
    assert.deepEqual([begun, aborted, (await work.counts())[0]?.waiting, lines], [["1"], false, 1, []]);
  });

  test("aborts the attempt at the end of the grace, and the engine has the job back", async () => {
    const { app, lines } = appWith(memoryWork(), 20);
    let signal: AbortSignal | undefined;
    app.job(Invoice, (_input, run) => {
      ({ signal } = run);
      return new Promise(() => undefined);
    });
    const work = await workOfApp(app);
    await work.send(Invoice, { order: "1" });
    await until(() => signal);
    await app.stop();
    const [counts] = await work.counts();
    assert.deepEqual([signal?.aborted, counts?.waiting, counts?.active, lines], [true, 1, 0, []]);
  });

  test("counts an attempt as done that ends well on its signal", async () => {
    const { app } = appWith(memoryWork(), 20);
    let isBegun = false;
    app.job(Invoice, (_input, run) => {
      isBegun = true;
      return new Promise<void>((resolve) => run.signal.addEventListener("abort", () => resolve()));
    });
    const work = await workOfApp(app);
    await work.send(Invoice, { order: "1" });
    await until(() => isBegun);
    await app.stop();
    assert.equal((await work.counts())[0]?.waiting, 0);
  });
});

describe("an engine that is away", () => {
  test("does not keep the app from its start, is tried again, and is told twice", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    let isAway = true;
    const start = (): Promise<void> => (isAway ? Promise.reject(new Error("ECONNREFUSED")) : Promise.resolve());
    const engine = engineOf({ start });
    const { app, lines } = appWith(engine);
    app.job(Invoice, () => undefined);
    const work = await workOfApp(app);
    const check = engine.check({ maxAgeMs: 1_000 });
    await assert.rejects(check(), { message: "memory is not connected" });
    t.mock.timers.tick(1_000);
    isAway = false;
    t.mock.timers.tick(2_000);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    t.mock.timers.tick(4_000);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    await check();
    await work.send(Invoice, { order: "1" });
    assert.deepEqual(
      lines.map(([, message]) => message),
      [
        "the engine of jobs, memory, is away (ECONNREFUSED): jobs wait there, and sending one rejects",
        "the engine of jobs, memory, is back",
      ],
    );
    await app.stop();
    await assert.rejects(check(), { message: "memory is not connected" });
  });
});

describe("engine.check", () => {
  test("is down while a job has been due for too long", async () => {
    const { app, jobs } = manualApp();
    app.job(Invoice, () => undefined);
    app.use(new HealthMiddleware({ checks: { jobs: jobs.check({ maxAgeMs: 60_000 }) } }));
    const work = await workOfApp(app);
    await jobs.run({ at: "2026-01-01T00:00:00Z" });
    await work.send(Invoice, { order: "1" }, { delayMs: 1_000 });
    assert.equal((await app.request("/health")).status, 200);
    const late = engineOf({ counts: async () => [{ job: "a", waiting: 1, active: 0, failed: 0, oldestMs: 61_000 }] });
    const other = appWith(late).app.job(Invoice, () => undefined);
    await other.ready();
    await assert.rejects(late.check({ maxAgeMs: 60_000 })(), { message: "a job a has been due for 61000 ms" });
    await late.check({ maxAgeMs: 61_000 })();
  });

  test("throws on a time that is none", () => {
    assert.throws(() => memoryWork().check({ maxAgeMs: 0 }), { message: /engine\.check has maxAgeMs: 0/ });
  });
});

describe("app.schedule", () => {
  const Report = job("report", { input: z.object({ to: z.string() }) });

  test("sends its job at each time of its line, in its zone", async () => {
    const { app, jobs } = manualApp();
    app.job(Report, () => undefined);
    app.schedule("nightly", "0 3 * * *", { timeZone: "Europe/Berlin" }, Report, { to: "all" });
    await jobs.run({ at: "2026-03-27T12:00:00Z" });
    await app.ready();
    const ran = await jobs.run({ at: "2026-03-30T12:00:00Z" });
    assert.deepEqual(
      ran.map(({ job: name, at, outcome }) => [name, new Date(at).toISOString(), outcome]),
      [
        ["report", "2026-03-28T02:00:00.000Z", "done"],
        ["report", "2026-03-29T01:00:00.000Z", "done"],
        ["report", "2026-03-30T01:00:00.000Z", "done"],
      ],
    );
  });

  test("makes up for one of the times at which nothing ran", async () => {
    const driver = new MemoryDriver(true);
    const hourly = (isWorker: boolean): Promise<Framework> => {
      const { app } = appWith(new JobEngine("test", driver, {}));
      if (isWorker) app.job(Report, () => undefined);
      return app.schedule("hourly", "0 * * * *", {}, Report, { to: "all" }).ready();
    };
    await driver.run(time("2026-01-01T00:30:00Z"));
    await hourly(false);
    await driver.run(time("2026-01-01T05:30:00Z"));
    await hourly(true);
    const ran = await driver.run(time("2026-01-01T06:30:00Z"));
    assert.deepEqual(
      ran.map(({ at }) => new Date(at).toISOString()),
      ["2026-01-01T01:00:00.000Z", "2026-01-01T06:00:00.000Z"],
    );
  });

  test("drops the job of a line that has changed", async () => {
    const driver = new MemoryDriver(true);
    await driver.run(time("2026-01-01T00:30:00Z"));
    const schedule = async (line: string): Promise<unknown[]> => {
      const { app, lines } = appWith(new JobEngine("test", driver, {}));
      const seen: string[] = [];
      app.job(Report, ({ to }) => seen.push(to)).schedule("nightly", line, {}, Report, { to: line });
      await app.ready();
      await driver.run(driver.now() + 24 * 3_600_000);
      return [seen, lines.map(([, message]) => message)];
    };
    assert.deepEqual(await schedule("0 1 * * *"), [["0 1 * * *"], []]);
    assert.deepEqual(await schedule("30 2 * * *"), [
      ["30 2 * * *"],
      ["a job of the schedule nightly was dropped: its line has changed since it was sent"],
    ]);
  });

  const wrong: Record<string, [add: (app: Framework) => unknown, message: RegExp]> = {
    "a name that is none": [
      (app) => app.schedule("a b", "* * * * *", {}, Report, { to: "" }),
      /app\.schedule\("a b"\): its name/,
    ],
    "an unknown option": [
      (app) => app.schedule("a", "* * * * *", { timezone: "UTC" } as never, Report, { to: "" }),
      /app\.schedule\("a"\) has no option timezone/,
    ],
    "a second one of a name": [
      (app) =>
        app.schedule("a", "* * * * *", {}, Report, { to: "" }).schedule("a", "* * * * *", {}, Report, { to: "" }),
      /there is a schedule of that name already/,
    ],
  };
  for (const [title, [add, message]] of Object.entries(wrong))
    test(`throws on ${title}`, () => {
      const { app } = manualApp();
      assert.throws(() => add(app), { code: "WORK_INVALID", message });
    });

  test("fails the start when its input does not fit", async () => {
    const { app } = manualApp();
    app.schedule("a", "* * * * *", {}, Report, {} as never);
    await assert.rejects(app.ready(), { code: "WORK_INPUT", message: /the job report was not sent/ });
  });
});
