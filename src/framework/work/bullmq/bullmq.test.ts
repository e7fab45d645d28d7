/** BullMQ on a real redis-server. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { appWith, until, workOfApp } from "../app.testkit.ts";
import type { JobEngine } from "../engine.ts";
import { engineTests, numbered } from "../engine.testkit.ts";
import { bullmqWork } from "./index.ts";

const isInstalled = spawnSync("redis-server", ["--version"]).status === 0;

const wrong: Record<string, [options: object, message: RegExp]> = {
  "options instead of a client": [
    { connection: { host: "localhost" } },
    /^bullmqWork takes connection: a client, such as/,
  ],
  "a client that gives up": [
    { connection: { ping: () => 0, duplicate: () => 0, status: "ready", options: { maxRetriesPerRequest: 20 } } },
    /^bullmqWork needs a client of ioredis with maxRetriesPerRequest: null/,
  ],
  "an empty prefix": [{ connection: { ping: () => 0, duplicate: () => 0 }, prefix: "" }, /^bullmqWork has prefix: ""/],
  "an unknown option": [{ connection: {}, url: "" }, /^bullmqWork has no option url/],
};

describe("bullmqWork", () => {
  for (const [title, [options, message]] of Object.entries(wrong))
    test(`throws on ${title}`, () =>
      assert.throws(() => bullmqWork(options as never), { code: "WORK_INVALID", message }));
});

describe("bullmqWork on a server", { skip: !isInstalled && "skipped: redis-server is not installed" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "framework-bullmq-"));
  const path = join(folder, "redis.sock");
  let server: ChildProcess;
  let client: Redis;

  const begin = async (): Promise<void> => {
    server = spawn(
      "redis-server",
      [
        "--port",
        "0",
        "--unixsocket",
        path,
        "--save",
        "",
        "--appendonly",
        "yes",
        "--appendfsync",
        "always",
        "--dir",
        folder,
      ],
      { stdio: "ignore" },
    );
    const probe = new Redis({ path, maxRetriesPerRequest: null, retryStrategy: () => 20 });
    probe.on("error", () => undefined);
    await probe.ping();
    probe.disconnect();
  };
  const kill = async (): Promise<void> => {
    server.kill("SIGKILL");
    await once(server, "exit");
  };

  before(async () => {
    await begin();
    client = new Redis({ path, maxRetriesPerRequest: null, retryStrategy: () => 50 });
    client.on("error", () => undefined);
  });
  after(async () => {
    client.disconnect();
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const make = (): JobEngine => bullmqWork({ connection: client });

  engineTests("bullmq", make, async (name) => {
    const queue = new Queue(name, { connection: client, prefix: "jobs" });
    for (const delayed of await queue.getDelayed()) await delayed.promote();
    await queue.close();
  });

  test("says that a job cannot be in a transaction of the database", async () => {
    const Number = numbered();
    const { app } = appWith(make());
    await assert.rejects((await workOfApp(app)).send(Number, 1, { tx: {} }), {
      code: "WORK_INVALID",
      message: /has a tx, and bullmq is no part of the caller's database: pgBossWork on that database is/,
    });
    await app.stop();
  });

  test("leaves a job of a newer version for a newer process", async () => {
    const Number = numbered();
    const { app, lines } = appWith(make());
    const work = await workOfApp(app.job(Number, () => assert.fail("it began")));
    const queue = new Queue(Number.name, { connection: client, prefix: "jobs" });
    await queue.add(Number.name, { v: 2 });
    await until(() => lines.length > 0);
    await until(async () => (await queue.getDelayedCount()) === 1);
    const [counts] = await work.counts();
    await queue.close();
    await app.stop();
    assert.deepEqual([counts?.waiting, counts?.active, counts?.failed], [1, 0, 0]);
  });

  test("rejects while the server is away, and goes on when it is back, with the jobs that it had", async () => {
    const Number = numbered();
    const engine = make();
    const { app, lines } = appWith(engine);
    const done: number[] = [];
    const work = await workOfApp(app.job(Number, (value) => void done.push(value)));
    await work.send(Number, 1, { delayMs: 1_500 });
    await kill();
    await until(() => client.status !== "ready");
    await assert.rejects(work.send(Number, 2), { status: 503, code: "WORK_AWAY" });
    await assert.rejects(engine.check({ maxAgeMs: 60_000 })());
    await begin();
    await until(() => client.status === "ready");
    await work.send(Number, 3);
    await until(() => done.length === 2);
    await app.stop();
    assert.deepEqual(done.toSorted(), [1, 3]);
    const told = lines.map(([, message]) => message);
    assert.match(String(told[0]), /^the engine of jobs, bullmq, is away/);
    assert.equal(told.at(-1), "the engine of jobs, bullmq, is back");
  });
});
