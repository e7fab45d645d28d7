/**
 * The engines of a simulator's processes, which note each acknowledgement that the server has stored, and the servers of theirs.
 *
 *   pg-boss   the statement that completes a job has resolved          PostgreSQL on a socket, killed and started again
 *   BullMQ    `Job.moveToCompleted` has resolved                        Redis on a socket, with its append-only file
 */
import { Job } from "bullmq";
import { type JobEngine } from "framework/work";
import { bullmqWork } from "framework/work/bullmq";
import { pgBossWork } from "framework/work/pg-boss";
import { Redis } from "ioredis";
import { Pool, type PoolConfig } from "pg";
import { isPostgresMissing, startPostgres } from "../../database-servers.ts";
import { isRedisMissing, startRedis } from "../../redis-server.ts";
import type { noteTo } from "./ledger.ts";

/** The name of an engine. */
export type EngineName = "pg-boss" | "bullmq";

/** A server that can be killed and started again. */
export interface Server {
  readonly engine: EngineName;
  /** The folder of PostgreSQL's socket, or the socket of Redis. */
  readonly at: string;
  readonly user: string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Why an engine's simulations are skipped, or false if they are not. */
export const missing: Readonly<Record<EngineName, () => false | string>> = {
  "pg-boss": isPostgresMissing,
  bullmq: isRedisMissing,
};

/** Starts the server of an engine until the scope ends. */
export async function serverOf(engine: EngineName, scope: { after(work: () => unknown): void }): Promise<Server> {
  if (engine === "bullmq") {
    const server = await startRedis(scope, { isDurable: true });
    return { engine, at: server.path, user: "", kill: server.kill, start: server.start };
  }
  const { folder, user, kill, start } = await startPostgres(scope);
  return { engine, at: folder, user, kill, start };
}

/** Does something with a server and a folder, and ends both. */
export async function withServer<T>(engine: EngineName, use: (server: Server) => Promise<T>): Promise<T> {
  const after: (() => unknown)[] = [];
  try {
    return await use(await serverOf(engine, { after: (work) => void after.push(work) }));
  } finally {
    for (const work of after.toReversed()) await work();
  }
}

/** A pool of connections. Errors of idle ones are those of a server that was killed. */
export function poolOf({ at, user }: Pick<Server, "at" | "user">, more: PoolConfig = {}): Pool {
  const pool = new Pool({ host: at, user, database: "postgres", max: 4, ...more });
  return pool.on("error", () => undefined).on("connect", (client) => client.on("error", () => undefined));
}

/** A connection to Redis. */
export function redisOf({ at }: Pick<Server, "at">): Redis {
  const connection = new Redis({ path: at, maxRetriesPerRequest: null, retryStrategy: () => 50 });
  return connection.on("error", () => undefined);
}

/** An engine that notes what it has acknowledged. */
export function engineOf(
  server: Pick<Server, "engine" | "at">,
  pool: Pool,
  note: ReturnType<typeof noteTo>,
): JobEngine {
  if (server.engine === "bullmq") {
    const { moveToCompleted } = Job.prototype;
    Job.prototype.moveToCompleted = async function (...args) {
      const result: unknown = await Reflect.apply(moveToCompleted, this, args);
      note("acknowledged", String(this.id));
      return result as never;
    };
    return bullmqWork({ connection: redisOf(server), lockMs: 3_000 });
  }
  const query = async (text: string, values?: unknown[]): Promise<unknown> => {
    const result = await pool.query(text, values);
    // `complete` of pg-boss: a name, ids, an output.
    if (text.includes("state = 'completed'") && Array.isArray(values?.[1]))
      for (const id of values[1]) note("acknowledged", String(id));
    return result;
  };
  return pgBossWork({ db: { query }, pollMs: 50, maintenanceSeconds: 1 });
}
