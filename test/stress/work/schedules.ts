/**
 * The schedule simulator: 24 hours of an hourly schedule with three replicas, on a clock that runs 900 times as fast. In each hour
 * two of the replicas are killed, the first of them about when the job is due.
 *
 *   ──┬─ due ──┬── killed ──┬─ due ──▶ …      the engine: one job for each hour      the ledger: it was done, once
 *     └ killed ┘            └ killed
 *
 * One replica at least is up at each moment. The hours cross a change of the clock in Europe/Berlin.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Figure } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { type Clock, timeOf, untilMs, useClockIn } from "./clock.ts";
import { poolOf, redisOf, type Server } from "./engines.ts";
import { doublingsOf, entriesOf, noteTo } from "./ledger.ts";
import { randomOf } from "./random.ts";
import type { ReplicaOrders } from "./schedule-process.ts";

const script = fileURLToPath(new URL("./schedule-process.js", import.meta.url));
const hourMs = 3_600_000;
const replicas = 3;
const factor = 900;
/** BullMQ hands the job of a dead process out again within this real time. */
const patienceMs = 60_000;

/** Runs the hours, and compares the jobs that the engine had with those that were done. */
export async function scheduleFigure(settings: Settings, server: Server, ledger: string): Promise<Figure> {
  const hours = settings.fast ? 3 : 24;
  const clock: Clock = { realMs: Date.now(), simulatedMs: Date.parse("2026-03-28T12:00:00Z"), factor };
  if (server.engine === "pg-boss") {
    const pool = poolOf(server);
    await useClockIn(pool, clock);
    await pool.end();
  }
  const fleet = new Fleet(settings, server, ledger, clock);
  await fleet.isReady();
  // Of the next hour the replicas may send the job too late.
  const first = (Math.ceil(timeOf(clock) / hourMs) + 1) * hourMs;
  const due = Array.from({ length: hours }, (_, hour) => first + hour * hourMs);
  const waking = server.engine === "bullmq" ? keepAwake(server) : undefined;
  const jobs = new Map<number, string>();
  // BullMQ removes a job two days after it was done, which are three minutes here.
  const collect = async (): Promise<void> => {
    for (const [at, id] of await jobsIn(server, due)) jobs.set(at, id);
  };
  try {
    await fleet.killEachHour(due, randomOf(settings.seed), collect);
    const until = Date.now() + patienceMs;
    while (missed(due, jobs, ledger).length > 0 && Date.now() < until) {
      await sleep(100);
      await collect();
    }
    return figureOf(settings, due, jobs, ledger, fleet.kills);
  } finally {
    waking?.();
    await fleet.end();
  }
}

/** The due times without a job that was done. */
function missed(due: readonly number[], jobs: ReadonlyMap<number, string>, ledger: string): number[] {
  const done = new Set(entriesOf(ledger).flatMap(({ what, key }) => (what === "done" ? [key] : [])));
  return due.filter((at) => !done.has(jobs.get(at) ?? ""));
}

function figureOf(
  settings: Settings,
  due: readonly number[],
  jobs: ReadonlyMap<number, string>,
  ledger: string,
  kills: number,
): Figure {
  const entries = entriesOf(ledger);
  const ids = new Set(jobs.values());
  const own = entries.filter(({ what, key }) => what !== "done" || ids.has(key));
  const { keys, unproven } = doublingsOf(own, Number.POSITIVE_INFINITY);
  const lost = missed(due, jobs, ledger);
  return {
    figure:
      `${due.length} due times on a clock ${factor} times as fast, ${lost.length} missed${listed(lost)}, ${keys.length} done twice, ` +
      `of those ${unproven.length} without a proof that the process died before the acknowledgement; ${kills} kills of ${replicas} replicas`,
    target: `0 missed, 0 without a proof, ${due.length * 2} kills`,
    met: lost.length + unproven.length === 0 && kills === due.length * 2 && (settings.fast || due.length === 24),
  };
}

const listed = (times: readonly number[]): string =>
  times.length === 0 ? "" : ` (${times.map((at) => new Date(at).toISOString()).join(", ")})`;

/** The replicas, each started again after a kill. */
class Fleet {
  readonly #settings: Settings;
  readonly #orders: Omit<ReplicaOrders, "life">;
  readonly #children: (readonly [life: number, child: ChildProcess])[] = [];
  #lives = 0;
  kills = 0;

  constructor(settings: Settings, { engine, at, user }: Server, ledger: string, clock: Clock) {
    this.#settings = settings;
    this.#orders = { engine, at, user, ledger, clock };
    for (let index = 0; index < replicas; index += 1) this.#start(index);
  }

  /** @param then called after the kills of each hour, and at the end */
  async killEachHour(due: readonly number[], random: () => number, then: () => Promise<void>): Promise<void> {
    const { clock } = this.#orders;
    for (const at of due) {
      const chosen = Math.floor(random() * replicas);
      const times = [random() * 0.1 - 0.05, 0.3 + random() * 0.3].map((share) => at + share * hourMs);
      for (const [one, time] of times.entries()) {
        await sleep(untilMs(clock, time));
        await this.#kill((chosen + one) % replicas);
      }
      await then();
    }
    // The hour of the last one.
    await sleep(untilMs(clock, (due.at(-1) ?? timeOf(clock)) + hourMs));
    await then();
  }

  /** Waits until each replica has started. */
  async isReady(): Promise<void> {
    while (this.#readyBut(-1) < replicas) await sleep(20);
  }

  /** How many have started, without that one. */
  #readyBut(index: number): number {
    const ready = new Set(entriesOf(this.#orders.ledger).flatMap(({ what, life }) => (what === "ready" ? [life] : [])));
    return this.#children.filter(([life], at) => at !== index && ready.has(life)).length;
  }

  async end(): Promise<void> {
    await Promise.all(
      this.#children.map(([, child]) => {
        child.kill("SIGKILL");
        return once(child, "exit");
      }),
    );
  }

  #start(index: number): void {
    this.#lives += 1;
    const orders: ReplicaOrders = { ...this.#orders, life: this.#lives };
    const env = { ...process.env, WORK_ORDERS: JSON.stringify(orders) };
    const child = spawn(this.#settings.node, [script], { stdio: ["ignore", "inherit", "inherit", "ipc"], env });
    this.#children[index] = [this.#lives, child];
  }

  async #kill(index: number): Promise<void> {
    const [life, child] = this.#children[index] ?? [];
    if (life === undefined || child === undefined) return;
    // On a busy machine a start can take more than an hour, and with none left a time would be made up for by the next.
    while (this.#readyBut(index) === 0) await sleep(20);
    child.kill("SIGKILL");
    await once(child, "exit");
    noteTo(this.#orders.ledger, life)("killed", "-");
    this.kills += 1;
    this.#start(index);
  }
}

/** The ids of the schedule's jobs in the engine, by the time that each is for. */
async function jobsIn(server: Server, due: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const found = await (server.engine === "pg-boss" ? rowsIn(server) : hashesIn(server));
  return new Map(found.filter(([at]) => due.includes(at)));
}

async function rowsIn(server: Server): Promise<[at: number, id: string][]> {
  const pool = poolOf(server);
  const text = "select id, data->'schedule'->>'at' as at from pgboss.job where name = 'hourly'";
  const { rows } = await pool.query<{ id: string; at: string }>(text);
  await pool.end();
  return rows.map(({ id, at }) => [Number(at), id]);
}

async function hashesIn(server: Server): Promise<[at: number, id: string][]> {
  const redis = redisOf(server);
  const keys = (await redis.keys("jobs:hourly:*")).filter((key) => /:[\da-f]{8}-[\da-f-]{27}$/.test(key));
  const found = await Promise.all(
    keys.map(async (key): Promise<[number, string]> => {
      const { schedule } = JSON.parse((await redis.hget(key, "data")) ?? "{}") as { schedule?: { at: number } };
      return [schedule?.at ?? 0, key.slice("jobs:hourly:".length)];
    }),
  );
  redis.disconnect();
  return found;
}

/** A worker waits in a command of up to ten real seconds, which a marker of BullMQ's ends, as it would be by a job. */
function keepAwake(server: Server): () => void {
  const redis = redisOf(server);
  const timer = setInterval(() => void redis.zadd("jobs:hourly:marker", 0, "0").catch(() => undefined), 50);
  return () => {
    clearInterval(timer);
    redis.disconnect();
  };
}
