/**
 * The crash simulator: three processes send and do jobs, each kills itself at random steps, and the engine is killed too.
 *
 *   seed ──▶ three processes, started again after each kill ──▶ all sent, the engine restarted ──▶ calm, until all is done
 *                 └──▶ a file: sent, done, killed at ──▶ lost, orphans, done twice
 *
 * A job may be done twice only where its process died before the acknowledgement, or where the engine was restarted under it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Pool } from "pg";
import { isPostgresMissing, startPostgres } from "../../database-servers.ts";
import { isRedisMissing, startRedis } from "../../redis-server.ts";
import type { Figure, Group } from "../rows.ts";
import type { Settings } from "../settings.ts";
import type { Orders } from "./process.ts";

type Engine = Orders["engine"];

/** A server that can be killed and started again. */
interface Server {
  readonly at: string;
  readonly user: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

const processes = 3;
const script = fileURLToPath(new URL("./process.js", import.meta.url));
/** An engine hands the jobs of dead processes out again within this time. */
const patienceMs = 90_000;

/** The rows of both engines, if their servers are installed. */
export function workRows(settings: Settings): readonly Group[] {
  const missing: Readonly<Record<Engine, false | string>> = {
    "pg-boss": isPostgresMissing(),
    bullmq: isRedisMissing(),
  };
  return (["pg-boss", "bullmq"] as const)
    .filter((engine) => missing[engine] === false)
    .map((engine) => ({ [`jobs on ${engine}`]: () => simulate(settings, engine) }));
}

async function simulate(settings: Settings, engine: Engine): Promise<Figure> {
  const after: (() => unknown)[] = [];
  const folder = mkdtempSync(join(tmpdir(), "framework-work-"));
  after.push(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const server = await serverOf(engine, { after: (work) => void after.push(work) });
    return await new Simulation(settings, engine, server, join(folder, "ledger")).run();
  } finally {
    for (const work of after.toReversed()) await work();
  }
}

async function serverOf(engine: Engine, scope: { after(work: () => unknown): void }): Promise<Server> {
  if (engine === "bullmq") {
    const server = await startRedis(scope, { isDurable: true });
    return { at: server.path, user: "", kill: server.kill, start: server.start };
  }
  const { folder, user, kill, start } = await startPostgres(scope);
  const pool = new Pool({ host: folder, user, database: "postgres" });
  await pool.query("create table orders (id text primary key)");
  await pool.end();
  return { at: folder, user, kill, start };
}

class Simulation {
  readonly #settings: Settings;
  readonly #engine: Engine;
  readonly #server: Server;
  readonly #ledger: string;
  readonly #jobs: number;
  readonly #restarts: number;
  readonly #children: Set<ChildProcess> = new Set();
  #lives = 0;
  #kills = 0;
  #isOver = false;

  constructor(settings: Settings, engine: Engine, server: Server, ledger: string) {
    this.#settings = settings;
    this.#engine = engine;
    this.#server = server;
    this.#ledger = ledger;
    this.#jobs = Math.ceil(settings.amount(2_100, 150) / processes);
    this.#restarts = settings.fast ? 2 : 5;
    writeFileSync(ledger, "");
  }

  async run(): Promise<Figure> {
    for (let index = 0; index < processes; index += 1) this.#live(index);
    const all = this.#jobs * processes;
    for (let restarted = 0; this.#count("sent") < all; await sleep(20)) {
      if (this.#count("sent") < (all * (restarted + 1)) / (this.#restarts + 1) || restarted === this.#restarts)
        continue;
      restarted += 1;
      await this.#server.kill();
      await sleep(100);
      await this.#server.start();
    }
    for (const child of this.#children) child.send("calm");
    const deadline = Date.now() + patienceMs;
    while (this.#ids("done").size < all && Date.now() < deadline) await sleep(50);
    this.#isOver = true;
    const figure = await this.#figure();
    for (const child of this.#children) child.kill("SIGKILL");
    return figure;
  }

  /** Starts a process, and another one after it as often as it kills itself. */
  #live(index: number): void {
    const orders: Orders = {
      engine: this.#engine,
      at: this.#server.at,
      user: this.#server.user,
      ledger: this.#ledger,
      index,
      seed: this.#settings.seed * 1_000 + (this.#lives += 1),
      jobs: this.#jobs,
      oneIn: 60,
    };
    const child = spawn(this.#settings.node, [script], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: { ...process.env, WORK_ORDERS: JSON.stringify(orders) },
    });
    this.#children.add(child);
    if (this.#count("sent") >= this.#jobs * processes) child.send("calm");
    void once(child, "exit").then(() => {
      this.#children.delete(child);
      if (this.#isOver) return;
      this.#kills += 1;
      this.#live(index);
    });
  }

  async #figure(): Promise<Figure> {
    const [sent, done] = [this.#ids("sent"), this.#lines("done")];
    const times = new Map<string, number>();
    for (const id of done) times.set(id, (times.get(id) ?? 0) + 1);
    const lost = [...sent].filter((id) => !times.has(id)).length;
    const rows = await this.#rows();
    const orphans =
      rows.filter((id) => !times.has(id)).length +
      this.#withRow([...times.keys()]).filter((id) => !rows.includes(id)).length;
    const finishing = this.#ids("killed-finish");
    const twice = [...times].flatMap(([id, count]) => (count > 1 ? [id] : []));
    const unexplained = twice.filter((id) => !finishing.has(id)).length;
    const underway = this.#restarts * processes * 2;
    const enough = this.#kills >= (this.#settings.fast ? 5 : 100);
    return {
      figure:
        `${sent.size} sent, ${lost} lost, ${orphans} orphans of ${rows.length} rows, ${twice.length} done twice, ` +
        `${unexplained} of them at a restart of the engine; ${this.#kills} kills, ${this.#restarts} restarts`,
      target: `0 lost, 0 orphans, at most ${underway} at a restart, and ${this.#settings.fast ? 5 : 100} kills`,
      met: lost === 0 && orphans === 0 && unexplained <= underway && enough,
    };
  }

  async #rows(): Promise<string[]> {
    if (this.#engine !== "pg-boss") return [];
    const pool = new Pool({ host: this.#server.at, user: this.#server.user, database: "postgres" });
    const { rows } = await pool.query<{ id: string }>("select id from orders");
    await pool.end();
    return rows.map(({ id }) => id);
  }

  /** Those that were sent with a row. */
  #withRow(ids: readonly string[]): readonly string[] {
    return this.#engine === "pg-boss" ? ids.filter((id) => Number(id.split("-")[1]) % 2 === 0) : [];
  }

  #lines(what: string): string[] {
    const prefix = `${what} `;
    const lines = readFileSync(this.#ledger, "utf8").split("\n");
    return lines.flatMap((line) => (line.startsWith(prefix) ? [line.slice(prefix.length)] : []));
  }

  #ids(what: string): Set<string> {
    return new Set(this.#lines(what));
  }

  #count(what: string): number {
    return this.#ids(what).size;
  }
}
