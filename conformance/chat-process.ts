/**
 * One instance of a chat: a process of its own, whose rooms are in Redis.
 *
 *   node chat-process.js <Redis's Unix socket> ──▶ prints its port, then what its broadcast reports
 */
import { Framework } from "framework";
import { RedisBroadcast } from "framework/broadcast";
import { webSocket } from "framework/websocket";
import { createClient } from "redis";

const [path = ""] = process.argv.slice(2);
const client = createClient({ socket: { path, reconnectStrategy: 20 } });
client.on("error", () => process.stdout.write("the publishing connection is lost\n"));
await client.connect();
const broadcast = new RedisBroadcast({ client, onError: (what) => process.stdout.write(`${what}\n`) });
const leaving = new WeakMap<object, () => void>();

const app = Framework.create({ host: "127.0.0.1" })
  .get("/health", () => "up")
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
process.once("SIGTERM", () => void app.stop().then(async () => (await broadcast.close(), client.destroy())));
