/**
 * One instance of a service with chat, sessions and rate limit in Redis, in a separate process.
 *
 *   node chat-process.js <Redis's Unix socket> ──▶ prints its port, then what its broadcast reports
 */
import { Framework } from "framework";
import { RedisBroadcast } from "framework/broadcast";
import { RateLimitMiddleware, RedisRateLimitStore } from "framework/rate-limit";
import { RedisSessionStore, SessionMiddleware, sessionOf } from "framework/session";
import { webSocket } from "framework/websocket";
import { createClient } from "redis";

const [path = ""] = process.argv.slice(2);
const socket = { path, reconnectStrategy: 20 };
const client = createClient({ socket });
client.on("error", () => process.stdout.write("the publishing connection is lost\n"));
// A command that cannot be sent fails immediately, so a request does not wait for Redis.
const stores = createClient({ socket, disableOfflineQueue: true });
stores.on("error", () => undefined);
await Promise.all([client.connect(), stores.connect()]);
const broadcast = new RedisBroadcast({ client, onError: (what) => process.stdout.write(`${what}\n`) });
const leaving = new WeakMap<object, () => void>();
const limit = { limit: 10, windowMs: 600_000, key: () => "everybody" };

const app = Framework.create({ host: "127.0.0.1" })
  .get("/health", () => "up")
  .get(
    "/limited",
    { use: [new RateLimitMiddleware({ ...limit, store: new RedisRateLimitStore(stores) })] },
    () => process.pid,
  )
  .group("/session", (api) => {
    api.use(new SessionMiddleware({ store: new RedisSessionStore(stores) }));
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
    for (const one of [client, stores]) one.destroy();
  });
});
