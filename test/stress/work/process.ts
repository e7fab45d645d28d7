/**
 * One process of the crash simulator: sends jobs, does jobs, and kills itself at a step, by its seed.
 *
 *   send: before │ in the transaction │ before the commit │ after          job: taken │ worked │ done, not acknowledged
 *
 * What has happened is a line of the ledger. A send that is in doubt is sent again, with its key.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Framework } from "framework";
import { job, Work } from "framework/work";
import { type EngineName, engineOf, poolOf } from "./engines.ts";
import { entriesOf, noteTo } from "./ledger.ts";
import { randomOf } from "./random.ts";

/** What the simulator tells a process. */
export interface Orders {
  readonly engine: EngineName;
  /** The folder of PostgreSQL's socket, or the socket of Redis. */
  readonly at: string;
  readonly user: string;
  readonly ledger: string;
  readonly index: number;
  /** Different for each process that is started. */
  readonly life: number;
  readonly seed: number;
  /** How many jobs it sends in all its lives. */
  readonly jobs: number;
  /** It kills itself at one of so many steps. */
  readonly oneIn: number;
}

const orders = JSON.parse(process.env["WORK_ORDERS"] ?? "{}") as Orders;
const random = randomOf(orders.seed);
const note = noteTo(orders.ledger, orders.life);
let isCalm = false;
process.on("message", () => (isCalm = true));
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

function step(name: string, id: string): void {
  if (isCalm || random() >= 1 / orders.oneIn) return;
  note(`killed-${name.replaceAll(" ", "-")}`, id);
  process.kill(process.pid, "SIGKILL");
}

const Order = job("order", {
  input: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } as const,
  attempts: 1_000,
  backoff: "fixed",
  timeoutMs: 2_000,
  concurrency: 2,
});

const isSql = orders.engine === "pg-boss";
const pool = poolOf(orders);
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const app = Framework.create({ logger: quiet }).work(engineOf(orders, pool, note));
app.job(Order, async (input, run) => {
  const { id } = input as { readonly id: string };
  step("take", id);
  await sleep(random() * 5);
  step("work", id);
  note("done", id, run.id, run.attempt);
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
const own = entriesOf(orders.ledger).filter(({ what, key }) => what === "sent" && key.startsWith(`${orders.index}-`));
for (let at = own.length; at < orders.jobs; at += 1) {
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
