/**
 * framework/work/bullmq: jobs in Redis or Valkey.
 *
 * Needs the optional peer `bullmq`, and a client of `ioredis` or `redis`.
 */
import { checkOptionNames } from "../../internal/option-names.ts";
import { shown, usageError } from "../../internal/usage-errors.ts";
import { type EngineOptions, engineOptionNames, JobEngine } from "../engine.ts";
import { whole } from "../job.ts";
import type { RedisConnection } from "./bull.ts";
import { BullmqDriver } from "./driver.ts";

/** Options of {@link bullmqWork}. */
export interface BullmqWorkOptions extends EngineOptions {
  /** The application's client of ioredis, with `maxRetriesPerRequest: null`, or of redis. Workers use duplicates of it. */
  readonly connection: object;
  /** The prefix of its keys. Default `jobs`. */
  readonly prefix?: string | undefined;
  /**
   * How long a process has a job without a sign of life, in milliseconds. Default 15,000. The job of a process that has died is
   * handed out again after twice this time at most, and so is that of a handler which blocks the event loop for longer.
   */
  readonly lockMs?: number | undefined;
}

/**
 * An engine on Redis or Valkey. It has no transactions with the application's database.
 *
 * @throws TypeError (`WORK_INVALID`) naming what is not allowed.
 * @example
 * ```ts skip="it needs a server"
 * app.work(bullmqWork({ connection: new Redis(process.env.REDIS_URL, { maxRetriesPerRequest: null }) }));
 * ```
 */
export function bullmqWork(options: BullmqWorkOptions): JobEngine {
  checkOptionNames("bullmqWork", options, ["connection", "prefix", "lockMs", ...engineOptionNames], "WORK_INVALID");
  const { connection, prefix = "jobs", lockMs = 15_000 } = options;
  if (typeof prefix !== "string" || prefix === "")
    throw usageError("WORK_INVALID", `bullmqWork has prefix: ${shown(prefix)}; a text is allowed`);
  const settings = {
    connection: clientOf(connection),
    prefix,
    lockMs: whole("bullmqWork", "lockMs", lockMs, 1_000, 3_600_000),
  };
  return new JobEngine("bullmqWork", new BullmqDriver(settings), options);
}

/** @throws TypeError (`WORK_INVALID`) when it is no client. */
function clientOf(given: object): RedisConnection {
  const client = Object(given) as Partial<RedisConnection> & { duplicate?: unknown; options?: unknown };
  if (typeof client.ping !== "function" || typeof client.duplicate !== "function")
    throw usageError("WORK_INVALID", "bullmqWork takes connection: a client, such as new Redis(url) of ioredis");
  const { maxRetriesPerRequest } = Object(client.options) as { maxRetriesPerRequest?: unknown };
  if ("status" in client && maxRetriesPerRequest !== null)
    throw usageError(
      "WORK_INVALID",
      "bullmqWork needs a client of ioredis with maxRetriesPerRequest: null, since its workers wait for jobs in a command",
    );
  return client as RedisConnection;
}

export type { EngineOptions, JobEngine, JobsCheckOptions } from "../engine.ts";
