/**
 * One process of the crash simulator: sends jobs, does jobs, and kills itself at a step, by its seed.
 *
 *   send: before │ in the transaction │ before the commit │ after          job: taken │ worked │ done, not acknowledged
 *
 * What has happened is appended to a file with a system call, so it is there after the kill. A send that is in doubt is sent
 * again, with its key.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Framework } from "framework";
import { job, type JobEngine, Work } from "framework/work";
import { bullmqWork } from "framework/work/bullmq";
import { pgBossWork } from "framework/work/pg-boss";
import { Redis } from "ioredis";
import { Pool } from "pg";
import { randomOf } from "./random.ts";

/** What the simulator tells a process. */
export interface Orders {
  readonly engine: "pg-boss" | "bullmq";
  /** The folder of PostgreSQL's socket, or the socket of Redis. */
  readonly at: string;
  readonly user: string;
  readonly ledger: string;
  readonly index: number;
  readonly seed: number;
  /** How many jobs it sends in all its lives. */
  readonly jobs: number;
  /** It kills itself at one of so many steps. */
  readonly oneIn: number;
}

const orders = JSON.parse(process.env["WORK_ORDERS"] ?? "{}") as Orders;
const random = randomOf(orders.seed);
let isCalm = false;
process.on("message", () => (isCalm = true));
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

const note = (what: string, id: string): void => appendFileSync(orders.ledger, `${what} ${id}\n`);

function step(name: string, id: string): void {
  if (isCalm || random() >= 1 / orders.oneIn) return;
  note(`killed-${name}`, id);
  process.kill(process.pid, "SIGKILL");
}

const Order = job("order", {
  input: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } as const,
  attempts: 1_000,
  backoff: "fixed",
  timeoutMs: 1_000,
  concurrency: 2,
});

const isSql = orders.engine === "pg-boss";
const pool = new Pool({ host: orders.at, user: orders.user, database: "postgres", max: 4 });
pool.on("error", () => undefined).on("connect", (client) => client.on("error", () => undefined));

function engineOf(): JobEngine {
  if (isSql) return pgBossWork({ db: pool, pollMs: 50, maintenanceSeconds: 1 });
  const connection = new Redis({ path: orders.at, maxRetriesPerRequest: null, retryStrategy: () => 50 });
  connection.on("error", () => undefined);
  return bullmqWork({ connection });
}

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const app = Framework.create({ logger: quiet }).work(engineOf());
app.job(Order, async (input) => {
  const { id } = input as { readonly id: string };
  step("take", id);
  await sleep(random() * 5);
  step("work", id);
  note("done", id);
  step("finish", id);
});

async function send(work: Work, id: string): Promise<void> {
  step("send", id);
  await work.send(Order, { id }, { key: id });
  step("sent", id);
}

/** Sends a job and writes a row in one transaction, which commits or rolls back. */
async function sendWithRow(work: Work, id: string, commits: boolean): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("insert into orders values ($1) on conflict do nothing", [id]);
    step("inserted", id);
    await work.send(Order, { id }, { key: id, tx: client });
    step("before the commit", id);
    await client.query(commits ? "commit" : "rollback");
    client.release();
    step("committed", id);
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    client.release(true);
    throw error;
  }
}

await app.ready();
const work = app.container?.get(Work);
if (work === undefined) throw new Error("the app has no beans");
const own = new RegExp(`^sent ${orders.index}-`, "gm");
for (let at = readFileSync(orders.ledger, "utf8").match(own)?.length ?? 0; at < orders.jobs; at += 1) {
  const id = `${orders.index}-${at}`;
  const isWithRow = isSql && at % 2 === 0;
  // Neither the row nor the job may exist. The job would be done after it.
  if (isWithRow) await sendWithRow(work, `${id}-rolled-back`, false).catch(() => undefined);
  for (let isSent = false; !isSent;)
    isSent = await (isWithRow ? sendWithRow(work, id, true) : send(work, id)).then(
      () => true,
      () => sleep(20).then(() => false),
    );
  note("sent", id);
}
