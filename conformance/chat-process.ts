/**
 * One instance of a service with chat, sessions and rate limit in Redis or in PostgreSQL, in a separate process.
 *
 *   node chat-process.js redis <its Unix socket> │ postgres <the folder of its socket> ──▶ prints its port, then what its
 *   broadcast reports
 */
import { Framework } from "framework";
import { type Broadcast, PostgresBroadcast, RedisBroadcast } from "framework/broadcast";
import {
  PostgresRateLimitStore,
  RateLimitMiddleware,
  type RateLimitStore,
  RedisRateLimitStore,
} from "framework/rate-limit";
import {
  PostgresSessionStore,
  RedisSessionStore,
  SessionMiddleware,
  sessionOf,
  type SessionStore,
} from "framework/session";
import { webSocket } from "framework/websocket";
import { Pool } from "pg";
import { createClient } from "redis";

/** What the instances share. */
interface Shared {
  readonly broadcast: Broadcast;
  readonly sessions: SessionStore;
  readonly limits: RateLimitStore;
  close(): unknown;
}

const [kind = "", path = ""] = process.argv.slice(2);
const report = (what: string): void => void process.stdout.write(`${what}\n`);

async function inRedis(): Promise<Shared> {
  const socket = { path, reconnectStrategy: 20 };
  const client = createClient({ socket });
  client.on("error", () => report("the publishing connection is lost"));
  // A command that cannot be sent fails immediately, so a request does not wait for Redis.
  const stores = createClient({ socket, disableOfflineQueue: true });
  stores.on("error", () => undefined);
  await Promise.all([client.connect(), stores.connect()]);
  return {
    broadcast: new RedisBroadcast({ client, onError: report }),
    sessions: new RedisSessionStore(stores),
    limits: new RedisRateLimitStore(stores),
    close: () => [client, stores].forEach((one) => one.destroy()),
  };
}

function inPostgres(): Shared {
  const pool = new Pool({ host: path, user: "tester", database: "postgres", connectionTimeoutMillis: 500 });
  pool.on("error", () => report("the publishing connection is lost"));
  return {
    broadcast: new PostgresBroadcast({ client: pool, onError: report }),
    sessions: new PostgresSessionStore(pool),
    limits: new PostgresRateLimitStore(pool),
    close: () => pool.end(),
  };
}

const { broadcast, sessions, limits, close } = kind === "postgres" ? inPostgres() : await inRedis();
const leaving = new WeakMap<object, () => void>();
const limit = { limit: 10, windowMs: 600_000, key: () => "everybody" };

const app = Framework.create({ host: "127.0.0.1" })
  .get("/health", () => "up")
  .get("/limited", { use: [new RateLimitMiddleware({ ...limit, store: limits })] }, () => process.pid)
  .group("/session", (api) => {
    api.use(new SessionMiddleware({ store: sessions }));
    api.post("/{user}", (ctx) => (sessionOf(ctx).regenerate().set("user", ctx.pathParam("user")), "welcome"));
    api.get("/", (ctx) => ({ pid: process.pid, user: sessionOf(ctx).get("user") ?? null }));
  })
  .ws(
    "/chat/{room}",
    webSocket({
      async open(socket, ctx) {
        leaving.set(socket, await broadcast.subscribe(ctx.pathParam("room"), (text) => void socket.send(text)));
        socket.send(String(process.pid));
      },
      async message(socket, message, ctx) {
        await broadcast.publish(ctx.pathParam("room"), String(message)).catch(() => socket.send("not published"));
      },
      close: (socket) => leaving.get(socket)?.(),
    }),
  );
await app.start(0);
process.stdout.write(`port ${app.port}\n`);
process.once("SIGTERM", () => {
  void app.stop().then(async () => {
    await broadcast.close();
    await close();
  });
});
