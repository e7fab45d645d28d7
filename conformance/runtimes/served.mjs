/** The app of the tests of `framework/bun` and `framework/deno`, served by the adapter of the current runtime. */
import process from "node:process";
import { webSocket } from "framework/websocket";
import { hello } from "./hello.mjs";

const events = [];
let release;
const app = hello({ host: "127.0.0.1", timeouts: { idleMs: 60_000 } })
  .get("/told", () => events)
  .get("/held", () => new Promise((resolve) => (release = () => resolve("released"))))
  .get("/signal", (ctx) => new Promise((resolve) => ctx.signal.addEventListener("abort", resolve)))
  .ws(
    "/ws/{name}",
    webSocket({
      open: (socket, ctx) => void socket.send(`hello ${ctx.pathParam("name")} from ${ctx.peerAddress}`),
      async message(socket, message) {
        if (message === "slow") await new Promise((resolve) => setTimeout(resolve, 50));
        if (message === "throw") throw new Error("thrown");
        if (message === "close") return socket.close(3001, "asked to");
        if (message === "fill") return fill(socket);
        socket.send(message);
      },
      close: (_socket, code) => void events.push(`closed ${code}`),
      protocols: ["chat"],
      maxMessageBytes: 1_000,
      maxBufferedBytes: 100_000_000,
    }),
  )
  .ws("/narrow", webSocket({ maxMessageBytes: 20, maxQueuedBytes: 20, message: () => new Promise(() => undefined) }));
app.use(async (ctx, next) => {
  if (ctx.path === "/held" || ctx.path === "/signal")
    ctx.onComplete(({ status, aborted }) => void events.push(`${ctx.path} ${status} ${aborted}`));
  ctx.setHeader("X-Through", "yes");
  await next();
});
app.onStop(() => console.log("stopped"));

/** Sends until the client counts as slow, and once more when it no longer does. */
async function fill(socket) {
  const chunk = new Uint8Array(100_000);
  let sent = 0;
  while (socket.send(chunk) && sent < 1_000) sent += 1;
  const wasSlow = socket.bufferedBytes > 0;
  await socket.drained();
  socket.send(JSON.stringify({ wasSlow, isDrained: socket.bufferedBytes < 65_536 }));
}

const { serve } = await import("Bun" in globalThis ? "framework/bun" : "framework/deno");
await serve(app, { port: Number(process.env.PORT || 0) });
console.log(`listening ${app.port}`);
process.on("SIGTERM", () => {
  // Otherwise Deno's timers of aborted sockets would keep the process alive for a while.
  setTimeout(() => release?.(), 50);
  void app.stop({ graceMs: 2_000 }).then(() => (console.log("over"), process.exit()));
});
