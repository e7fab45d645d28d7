/** WebSockets over a real server: routing first, then frames both ways (WS). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { WebSocket } from "ws";
import { serving } from "../testing/harness.test.ts";
import { webSocket } from "./index.ts";

describe("webSocket", () => {
  test("echoes", () =>
    serving(
      (app) =>
        app.ws(
          "/chat/{room}",
          webSocket({
            open: (socket, ctx) => void socket.send(ctx.pathParam("room")),
            message: (socket, message) => void socket.send(message),
          }),
        ),
      async ({ port }) => {
        const client = new WebSocket(`ws://127.0.0.1:${port}/chat/a`);
        const got: string[] = [];
        client.on("message", (data) => void got.push(String(data)));
        await new Promise((resolve) => client.once("open", resolve));
        client.send("x");
        while (got.length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
        assert.deepEqual(got, ["a", "x"]);
        const closed = new Promise((resolve) => client.once("close", resolve));
        client.close(1000);
        await closed;
      },
    ));
});
