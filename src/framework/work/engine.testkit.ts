/** What every engine has to do, as tests of one. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import type { Framework } from "../app/framework.ts";
import type { Job } from "../app/work.ts";
import { appWith, until, workOfApp } from "./app.testkit.ts";
import { DeadLetterError } from "./dead-letter.ts";
import type { JobEngine } from "./engine.ts";
import { job } from "./job.ts";
import { Work } from "./sender.ts";

/** Makes an engine for one process of the cluster. */
export type MakeEngine = () => JobEngine;

let named = 0;
/** A job of a new name, so that tests share a server. */
export const numbered = (
  options: { attempts?: number; concurrency?: number; timeoutMs?: number } = {},
): Job<z.ZodNumber> =>
  job(`number-${(named += 1)}`, { input: z.number(), backoff: { kind: "fixed", delayMs: 0 }, ...options });

/** The tests of an engine. `promote` makes every delayed job of a name due. */
export function engineTests(name: string, make: MakeEngine, promote: (name: string) => Promise<unknown>): void {
  describe(`${name}, as an engine`, () => {
    test("hands a job out once, to one of several processes", async () => {
      const Number = numbered({ concurrency: 3 });
      const done: number[] = [];
      const apps = Array.from({ length: 3 }, () => appWith(make()).app.job(Number, (value) => void done.push(value)));
      const works = await Promise.all(apps.map((app) => workOfApp(app)));
      await Promise.all(Array.from({ length: 30 }, (_, at) => works[at % 3]?.send(Number, at)));
      await until(() => done.length >= 30);
      await until(async () => (await works[0]?.counts())?.every((one) => one.waiting + one.active === 0));
      await stopAll(apps);
      assert.deepEqual(
        done.toSorted((a, b) => a - b),
        Array.from({ length: 30 }, (_, at) => at),
      );
    });

    test("keeps one job of a key, also when it is done", async () => {
      const Number = numbered();
      const done: number[] = [];
      const { app } = appWith(make());
      const work = await workOfApp(app.job(Number, (value) => void done.push(value)));
      const ids = new Set([await work.send(Number, 1, { key: "k" }), await work.send(Number, 2, { key: "k" })]);
      await until(() => done.length === 1);
      await until(async () => (await work.counts())[0]?.active === 0);
      ids.add(await work.send(Number, 3, { key: "k" }));
      await work.send(Number, 4);
      await until(() => done.length === 2);
      await app.stop();
      assert.deepEqual([done, ids.size], [[1, 4], 1]);
    });

    test("waits for a delay, and counts the job as waiting and not as late", async () => {
      const Number = numbered();
      const done: number[] = [];
      const { app } = appWith(make());
      const work = await workOfApp(app.job(Number, () => void done.push(Date.now())));
      const sentAt = Date.now();
      await work.send(Number, 1, { delayMs: 400 });
      const counts = await work.counts();
      await until(() => done.length === 1);
      await app.stop();
      assert.deepEqual(counts, [{ job: Number.name, waiting: 1, active: 0, failed: 0, oldestMs: 0 }]);
      assert.ok(Number.name !== "" && (done[0] ?? 0) - sentAt >= 395, String((done[0] ?? 0) - sentAt));
    });

    test("tries a failed job again, keeps it as a dead letter, and tries that again when asked", async () => {
      const Number = numbered({ attempts: 2 });
      const attempts: number[] = [];
      const { app } = appWith(make());
      app.job(Number, (_value, run) => {
        attempts.push(run.attempt);
        if (attempts.length < 3) throw new Error("no paper");
      });
      const work = await workOfApp(app);
      const id = await work.send(Number, 7);
      await until(async () => (await work.counts())[0]?.failed === 1);
      const dead = await work.dead(Number);
      const retried = [await work.retry(Number, crypto.randomUUID()), await work.retry(Number, id)];
      await until(() => attempts.length === 3);
      await until(async () => (await work.counts())[0]?.active === 0);
      assert.deepEqual([dead, retried], [[{ id, name: Number.name, input: 7, reason: "no paper" }], [false, true]]);
      assert.deepEqual([attempts.slice(0, 2), await work.dead(Number)], [[1, 2], []]);
      await app.stop();
    });

    test("keeps a job at once as a dead letter whose input no longer fits", async () => {
      const { name: changed } = numbered();
      const [Old, New] = [job(changed, { input: z.number() }), job(changed, { input: z.string(), attempts: 5 })];
      const { app } = appWith(make());
      app.job(New, () => assert.fail("it began"));
      const work = await workOfApp(app);
      await work.send(Old, 7);
      await until(async () => (await work.counts())[0]?.failed === 1);
      const [dead] = await work.dead(New);
      await app.stop();
      assert.match(dead?.reason ?? "", /^its input does not fit its schema/);
    });

    test("keeps a job at once as a dead letter when its handler says so", async () => {
      const Number = numbered({ attempts: 5 });
      const { app } = appWith(make());
      app.job(Number, () => {
        throw new DeadLetterError("nobody is there");
      });
      const work = await workOfApp(app);
      const id = await work.send(Number, 7);
      await until(async () => (await work.counts())[0]?.failed === 1);
      const dead = await work.dead(Number);
      await app.stop();
      assert.deepEqual(dead, [{ id, name: Number.name, input: 7, reason: "nobody is there" }]);
    });

    test("runs as many attempts at a time as the job says", async () => {
      const Number = numbered({ concurrency: 2 });
      const open: (() => void)[] = [];
      let most = 0;
      let running = 0;
      const { app } = appWith(make());
      app.job(Number, async () => {
        most = Math.max(most, (running += 1));
        await new Promise<void>((resolve) => open.push(resolve));
        running -= 1;
      });
      const work = await workOfApp(app);
      for (const value of [1, 2, 3, 4]) await work.send(Number, value);
      await until(() => running === 2);
      for (let ended = 0; ended < 4; ended += 1) {
        await until(() => open.length > 0);
        open.shift()?.();
      }
      await until(async () => (await work.counts())[0]?.active === 0);
      await app.stop();
      assert.equal(most, 2);
    });

    test("has a job back at once when its app stops, and the attempt does not count", async () => {
      const Number = numbered({ attempts: 1 });
      const first = appWith(make(), 50);
      let isBegun = false;
      first.app.job(Number, () => {
        isBegun = true;
        return new Promise(() => undefined);
      });
      await (await workOfApp(first.app)).send(Number, 7);
      await until(() => isBegun);
      await first.app.stop();
      const stoppedAt = Date.now();
      const attempts: number[] = [];
      const second = appWith(make());
      await second.app.job(Number, (_value, run) => void attempts.push(run.attempt)).ready();
      await until(() => attempts.length === 1);
      const tookMs = Date.now() - stoppedAt;
      await second.app.stop();
      assert.deepEqual([attempts, first.lines], [[1], []]);
      assert.ok(tookMs < 5_000, `${tookMs} ms`);
    });

    test("sends the job of a schedule once at each time for three processes", async () => {
      const Number = numbered();
      const done: string[] = [];
      const apps = Array.from({ length: 3 }, () => {
        const { app } = appWith(make());
        app.job(Number, (_value, run) => void done.push(run.id));
        return app.schedule(`hourly-${Number.name}`, "0 * * * *", {}, Number, 1);
      });
      const [work] = await Promise.all(apps.map((app) => workOfApp(app)));
      for (let hour = 1; hour <= 24; hour += 1) {
        await promote(Number.name);
        await until(() => done.length >= hour);
        await until(async () => {
          const [counts] = (await work?.counts()) ?? [];
          return counts?.waiting === 1 && counts.active === 0;
        });
      }
      await stopAll(apps);
      assert.deepEqual([done.length, new Set(done).size], [24, 24]);
    });

    test("says in its check when a job has been due for too long", async () => {
      const Number = numbered();
      const engine = make();
      const { app } = appWith(engine);
      let end: () => void = () => undefined;
      app.job(Number, () => new Promise<void>((resolve) => (end = resolve)));
      const work = await workOfApp(app);
      await engine.check({ maxAgeMs: 50 })();
      await work.send(Number, 1);
      await work.send(Number, 2);
      await until(() =>
        engine
          .check({ maxAgeMs: 50 })()
          .then(
            () => false,
            (error: Error) => new RegExp(`^a job ${Number.name} has been due for \\d+ ms$`).test(error.message),
          ),
      );
      end();
      await until(async () => (await work.counts())[0]?.waiting === 0);
      end();
      await app.stop();
    });

    test("gives the bean of a running app", async () => {
      const Number = numbered();
      const { app } = appWith(make());
      app.post("/", async (ctx) => ({ id: await ctx.get(Work).send(Number, 1) }));
      const response = await app.request("/", { method: "POST" });
      await app.stop();
      assert.equal(response.status, 200);
    });
  });
}

const stopAll = async (apps: readonly Framework[]): Promise<void> => {
  await Promise.all(apps.map((app) => app.stop()));
};
