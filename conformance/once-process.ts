/**
 * One instance of a service that places an order once, in a separate process that dies at these places.
 *
 *   node once-process.js postgres <folder of its socket> <folder of PostgreSQL's socket> │ redis <its Unix socket> <…>
 *
 * The sequence `attempt` counts the runs of the handler. In PostgreSQL the first one dies before the effect, the second one in the
 * transaction with the effect, and the third one after its commit. With Redis only the first one dies.
 */
import { type Context, Framework } from "framework";
import {
  IdempotencyMiddleware,
  idempotencyOf,
  PostgresIdempotencyStore,
  RedisIdempotencyStore,
} from "framework/idempotency";
import { Pool } from "pg";
import { createClient } from "redis";

const [kind = "", path = "", folder = ""] = process.argv.slice(2);
const pool = new Pool({ host: folder, user: "tester", database: "postgres", max: 6, connectionTimeoutMillis: 5_000 });
pool.on("error", () => undefined);

const die = (): Promise<never> => {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
};

async function place(ctx: Context): Promise<unknown> {
  const { rows } = await pool.query<{ attempt: string }>("select nextval('attempt') as attempt");
  const attempt = Number(rows[0]?.attempt);
  if (attempt === 1) return die();
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("insert into effects (attempt) values ($1)", [attempt]);
    const order = { attempt };
    if (kind === "postgres") await idempotencyOf(ctx)?.commit(client, 201, order);
    if (kind === "postgres" && attempt === 2) return await die();
    await client.query("commit");
    if (kind === "postgres" && attempt === 3) return await die();
    ctx.status(201);
    return order;
  } catch (error) {
    await client.query("rollback");
    throw error;
  } finally {
    client.release();
  }
}

const redis = kind === "redis" ? await createClient({ socket: { path, reconnectStrategy: 50 } }).connect() : undefined;
const timeoutMs = 5_000;
const store =
  redis === undefined
    ? new PostgresIdempotencyStore(pool, { timeoutMs })
    : new RedisIdempotencyStore(redis, { timeoutMs });
const once = new IdempotencyMiddleware({ caller: () => "one", store, leaseMs: 3_000, storeTimeoutMs: timeoutMs });
const app = Framework.create({ host: "127.0.0.1" }).post("/orders", { use: [once] }, (ctx) => place(ctx));
await app.start(0);
process.stdout.write(`port ${app.port}\n`);
