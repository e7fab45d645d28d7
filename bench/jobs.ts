/**
 * Sending a job: `Work.send` beside the library alone, on the same server, connection and options.
 *
 *   pg-boss ──▶ boss.send │ Work.send ──▶ PostgreSQL          BullMQ ──▶ queue.add │ Work.send ──▶ Redis
 *
 * `Work.send` also checks the input, makes the envelope and its size, and has a timeout.
 */
import { Queue } from "bullmq";
import { Framework } from "framework";
import { job, Work } from "framework/work";
import { bullmqWork } from "framework/work/bullmq";
import { pgBossWork } from "framework/work/pg-boss";
import { Redis } from "ioredis";
import { Pool } from "pg";
import PgBoss from "pg-boss";
import { isPostgresMissing, startPostgres } from "../test/database-servers.ts";
import { isRedisMissing, startRedis } from "../test/redis-server.ts";
import type { Case } from "./method/micro.ts";

/** The engines, and why one cannot be measured here, or false. */
export const jobEngines: Readonly<Record<string, () => false | string>> = {
  "jobs on pg-boss": isPostgresMissing,
  "jobs on BullMQ": isRedisMissing,
};

const Invoice = job("invoice", {
  input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] } as const,
});
const input = { order: "0b1c6f4e-2d0a-4a57-9a55-0f2b6b7a9a10" };
const envelope = (): object => ({ v: 1, name: "invoice", input, sentAt: Date.now() });
const per = 20;

/** A case that sends so many jobs, one after the other. */
const sending = (id: string, send: () => Promise<unknown>): Case => ({
  id,
  per,
  run: async () => {
    for (let n = 0; n < per; n += 1) await send();
  },
});

/** The cases on a server of their own, which runs until `after` is called. */
export function jobCases(name: string, scope: { after(work: () => unknown): void }): Promise<readonly Case[]> {
  return name === "jobs on pg-boss" ? onPgBoss(scope) : onBullmq(scope);
}

async function onPgBoss(scope: { after(work: () => unknown): void }): Promise<readonly Case[]> {
  const { folder: host, user } = await startPostgres(scope);
  const db = new Pool({ host, user, database: "postgres", max: 1 });
  scope.after(() => db.end());
  const work = await workOf(Framework.create().work(pgBossWork({ db, jobs: [Invoice] })), scope);
  const boss = new PgBoss({
    db: { executeSql: (text, values) => db.query(text, values) },
    schedule: false,
    supervise: false,
  });
  boss.on("error", () => undefined);
  await boss.start();
  scope.after(() => boss.stop({ graceful: false }));
  const options = { retryLimit: 2, retryDelay: 1, retryBackoff: true, expireInSeconds: 45 };
  const alone = (): Promise<unknown> => boss.send("invoice", envelope(), { ...options, id: crypto.randomUUID() });
  return [
    sending("boss.send", alone),
    sending("Work.send", () => work.send(Invoice, input)),
    sending("boss.send, again", alone),
  ];
}

async function onBullmq(scope: { after(work: () => unknown): void }): Promise<readonly Case[]> {
  const { path } = await startRedis(scope);
  const connection = new Redis({ path, maxRetriesPerRequest: null });
  connection.on("error", () => undefined);
  scope.after(() => connection.disconnect());
  const work = await workOf(Framework.create().work(bullmqWork({ connection })), scope);
  const queue = new Queue("invoice", { connection, prefix: "jobs" });
  scope.after(() => queue.close());
  const options = { delay: 0, attempts: 3, backoff: { type: "exponential", delay: 1_000 } };
  const kept = { removeOnComplete: { age: 172_800 }, removeOnFail: { age: 1_209_600 } };
  const alone = (): Promise<unknown> =>
    queue.add("invoice", envelope(), { ...options, ...kept, jobId: crypto.randomUUID() });
  return [
    sending("queue.add", alone),
    sending("Work.send", () => work.send(Invoice, input)),
    sending("queue.add, again", alone),
  ];
}

async function workOf(app: Framework, scope: { after(work: () => unknown): void }): Promise<Work> {
  await app.ready();
  scope.after(() => app.stop());
  const work = app.container?.get(Work);
  if (work === undefined) throw new Error("the app has no beans");
  return work;
}
