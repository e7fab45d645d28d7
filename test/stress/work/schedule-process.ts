/**
 * One replica of the schedule simulator: does the job of an hourly schedule, on the simulated clock, until it is killed.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Framework } from "framework";
import { job } from "framework/work";
import { type Clock, useClock } from "./clock.ts";
import { type EngineName, engineOf, poolOf } from "./engines.ts";
import { noteTo } from "./ledger.ts";

/** What the simulator tells a replica. */
export interface ReplicaOrders {
  readonly engine: EngineName;
  readonly at: string;
  readonly user: string;
  readonly ledger: string;
  readonly life: number;
  readonly clock: Clock;
}

const orders = JSON.parse(process.env["WORK_ORDERS"] ?? "{}") as ReplicaOrders;
useClock(orders.clock);
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));

// A lease of so long in the simulated time is a second of the real one.
const Hourly = job("hourly", {
  input: { type: "object" } as const,
  attempts: 1_000,
  backoff: "fixed",
  timeoutMs: 900_000,
});
const note = noteTo(orders.ledger, orders.life);
const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const app = Framework.create({ logger: quiet }).work(engineOf(orders, poolOf(orders), note));
app.job(Hourly, async (_input, run) => {
  await sleep(20);
  note("done", run.id, run.id, run.attempt);
});
app.schedule("hourly", "0 * * * *", { timeZone: "Europe/Berlin" }, Hourly, {});
await app.ready();
note("ready", "-");
