/**
 * Clients of an event stream as components: those that break it off, close half of it, read nothing, talk back or crawl.
 */
import { connect, type Socket } from "node:net";
import type { Framework } from "framework";
import type { Behaviour } from "./behaviours.ts";

/** Registers a stream that sends all the time; returns how many are open. */
export function streaming(app: Framework): () => number {
  let open = 0;
  app
    .get("/plain", () => "plain")
    .get("/fault", (ctx) => {
      const stream = ctx.sse();
      open += 1;
      const timer = setInterval(() => stream.send("x".repeat(10_000)), 1);
      ctx.onComplete(() => {
        open -= 1;
        clearInterval(timer);
      });
    });
  return () => open;
}

const request = "GET /fault HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** What each kind of client does; resolves once it has. */
export function misuse(port: number, behaviour: Behaviour): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true }, () => socket.write(request));
    socket.on("error", () => undefined);
    socket.once("data", () => {
      if (behaviour === "throws") socket.resetAndDestroy();
      if (behaviour === "rejects") socket.end();
      if (behaviour === "hangs") socket.pause();
      if (behaviour === "wrong type") socket.write("\u0000\u0001 nonsense\r\n\r\n".repeat(50));
      if (behaviour === "slow") socket.pause().once("readable", () => socket.read(1));
      setTimeout(() => resolve(socket), 100);
    });
  });
}
