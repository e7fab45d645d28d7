/**
 * The crash simulator: three processes send and do jobs, each kills itself at random steps, and the engine is killed too.
 *
 *   seed ──▶ three processes, started again after each kill ──▶ all sent, the engine restarted ──▶ calm, until all is done
 *                 └──▶ the ledger: sent, done, acknowledged, killed at ──▶ lost, orphans, done twice
 *
 * A job may be done twice only where its process died between the work and the acknowledgement, and the ledger has to show that
 * for each of them.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { root } from "../../environment.ts";
import type { Figure, Group } from "../rows.ts";
import type { Settings } from "../settings.ts";
import { type EngineName, missing, poolOf, type Server, withServer } from "./engines.ts";
import { doublingsOf, entriesOf, noteTo } from "./ledger.ts";
import type { Orders } from "./process.ts";
import { scheduleFigure } from "./schedules.ts";

const processes = 3;
const script = fileURLToPath(new URL("./process.js", import.meta.url));
/** An engine hands the jobs of dead processes out again within this time. */
const patienceMs = 90_000;
/** The shortest time after which an engine hands a job out again whose process says nothing. */
const leaseMs = 3_000;

/** The rows of both engines. Without its server a row is skipped. */
export const workRows = (settings: Settings): readonly Group[] =>
  (["pg-boss", "bullmq"] as const).map((engine) => ({
    [`jobs on ${engine}`]: () => measured(engine, (server, ledger) => simulate(settings, server, ledger)),
    [`schedules on ${engine}`]: () => measured(engine, (server, ledger) => scheduleFigure(settings, server, ledger)),
  }));

async function measured(
  engine: EngineName,
  measure: (server: Server, ledger: string) => Promise<Figure>,
): Promise<Figure> {
  const why = missing[engine]();
  if (why !== false) return { figure: why, target: "a figure", met: true, isSkipped: true };
  const folder = mkdtempSync(join(tmpdir(), "framework-work-"));
  const ledger = join(folder, "ledger");
  writeFileSync(ledger, "");
  try {
    const figure = await withServer(engine, (server) => measure(server, ledger));
    if (figure.met) return figure;
    const kept = join(root, ".build", "reports", `work-${engine}-ledger.txt`);
    mkdirSync(dirname(kept), { recursive: true });
    copyFileSync(ledger, kept);
    return { ...figure, figure: `${figure.figure}; what each process did: ${kept}` };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function simulate(settings: Settings, server: Server, ledger: string): Promise<Figure> {
  if (server.engine === "pg-boss") {
    const pool = poolOf(server);
    await pool.query("create table orders (id text primary key)");
    await pool.end();
  }
  return new Simulation(settings, server, ledger).run();
}

class Simulation {
  readonly #settings: Settings;
  readonly #server: Server;
  readonly #ledger: string;
  readonly #jobs: number;
  readonly #restarts: number;
  readonly #children: Set<ChildProcess> = new Set();
  #lives = 0;
  #kills = 0;
  readonly #crashes: string[] = [];
  #isOver = false;

  constructor(settings: Settings, server: Server, ledger: string) {
    this.#settings = settings;
    this.#server = server;
    this.#ledger = ledger;
    this.#jobs = Math.ceil(settings.amount(2_100, 90) / processes);
    this.#restarts = settings.fast ? 2 : 5;
  }

  async run(): Promise<Figure> {
    for (let index = 0; index < processes; index += 1) this.#live(index);
    const all = this.#jobs * processes;
    const note = noteTo(this.#ledger, 0);
    let restarted = 0;
    for (let sent = 0; sent < all; sent = this.#keys("sent").size) {
      await sleep(20);
      if (restarted === this.#restarts || sent < (all * (restarted + 1)) / (this.#restarts + 1)) continue;
      restarted += 1;
      note("server-away", "-");
      await this.#server.kill();
      await sleep(100);
      await this.#server.start();
      note("server-back", "-");
    }
    for (const child of this.#children) child.send("calm");
    const deadline = Date.now() + patienceMs;
    while (this.#keys("done").size < all && Date.now() < deadline) await sleep(50);
    this.#isOver = true;
    const figure = await this.#figure(restarted);
    for (const child of this.#children) child.kill("SIGKILL");
    return figure;
  }

  /** Starts a process, and another one after it as often as it kills itself. */
  #live(index: number): void {
    this.#lives += 1;
    const { engine, at, user } = this.#server;
    const orders: Orders = {
      engine,
      at,
      user,
      index,
      ledger: this.#ledger,
      life: this.#lives,
      seed: this.#settings.seed * 1_000 + this.#lives,
      jobs: this.#jobs,
      oneIn: this.#settings.fast ? 40 : 60,
    };
    const child = spawn(this.#settings.node, [script], {
      stdio: ["ignore", "inherit", "inherit", "ipc"],
      env: { ...process.env, WORK_ORDERS: JSON.stringify(orders) },
    });
    this.#children.add(child);
    if (this.#keys("sent").size >= this.#jobs * processes) child.send("calm");
    void once(child, "exit").then(([code, signal]) => {
      this.#children.delete(child);
      if (this.#isOver) return;
      if (signal === "SIGKILL") this.#kills += 1;
      else this.#crashes.push(String(signal ?? code));
      this.#live(index);
    });
  }

  async #figure(restarted: number): Promise<Figure> {
    const [sent, done, rows] = [this.#keys("sent"), this.#keys("done"), await this.#rows()];
    const lost = [...sent].filter((key) => !done.has(key)).length;
    const orphans = rows === undefined ? 0 : orphansOf(rows, done);
    const { keys, own, other, away, unproven } = doublingsOf(entriesOf(this.#ledger), leaseMs);
    const kills = this.#settings.fast ? 5 : 100;
    return {
      figure:
        `${sent.size} sent, ${lost} lost` +
        `${rows === undefined ? "" : `, ${orphans} orphans of ${rows.size} rows`}; ${keys.length} done twice, by the same key: ` +
        `${own.length} whose process died right after the work, ${other.length} whose process died before the ` +
        `acknowledgement at a step of another job, ${away.length} while the engine was away for longer than a lease, ` +
        `${unproven.length} without a proof${list(unproven)}; ${this.#kills} kills, ` +
        `${restarted} restarts${list(this.#crashes.map((how) => `a process ended with ${how}`))}`,
      target: `0 lost, ${rows === undefined ? "" : "0 orphans, "}0 without a proof, ${kills} kills, ${this.#restarts} restarts`,
      met:
        lost + orphans + unproven.length + this.#crashes.length === 0 &&
        this.#kills >= kills &&
        restarted === this.#restarts &&
        sent.size > 0,
    };
  }

  /** The rows of the senders' own transactions, where the engine has some. */
  async #rows(): Promise<Set<string> | undefined> {
    if (this.#server.engine !== "pg-boss") return undefined;
    const pool = poolOf(this.#server);
    const { rows } = await pool.query<{ id: string }>("select id from orders");
    await pool.end();
    return new Set(rows.map(({ id }) => id));
  }

  #keys(what: string): Set<string> {
    return new Set(entriesOf(this.#ledger).flatMap((entry) => (entry.what === what ? [entry.key] : [])));
  }
}

/** Rows without their job, and jobs that were sent with a row and have none. Every other job is sent with a row. */
function orphansOf(rows: ReadonlySet<string>, done: ReadonlySet<string>): number {
  const withRow = [...done].filter((key) => Number(key.split("-")[1]) % 2 === 0);
  return [...rows].filter((key) => !done.has(key)).length + withRow.filter((key) => !rows.has(key)).length;
}

const list = (keys: readonly string[]): string => (keys.length === 0 ? "" : ` (${keys.slice(0, 5).join(", ")})`);
