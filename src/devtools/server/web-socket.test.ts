/** WebSockets as devtools see them: the request is one run, and each call of a handler another (WS, TRACE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans, Framework, Interface } from "framework";
import { webSocket } from "framework/websocket";
import { WebSocket } from "ws";
import { Devtools, type Trace } from "../index.ts";

interface Chat {
  say(text: string, password: string): Promise<string>;
}
const Chat = Interface<Chat>("ChatService");

describe("a WebSocket in devtools", () => {
  it("WS-028: is a run of its request, and one for each call of a handler, with the calls of beans in it", async () => {
    const devtools = Devtools.create({});
    const beans = Beans.builder()
      .bind(Chat, () => ({ say: async (text, password) => `${text} ${password.length}` }))
      .instrument(devtools.recorder())
      .start();
    const app = Framework.create({
      host: "127.0.0.1",
      logger: { warn: () => undefined, error: () => undefined },
    }).beans(beans);
    app.ws(
      "/chat/{room}",
      webSocket({
        message: async (socket, message, ctx) => void socket.send(await ctx.get(Chat).say(String(message), "hunter2")),
        close: () => assert.fail("as it must"),
      }),
    );
    devtools.install(app, beans);
    await app.start(0);
    try {
      const client = new WebSocket(`${app.url.replace("http", "ws")}/chat/one?token=s3cret`);
      const reply = new Promise((resolve) => client.once("message", (data) => resolve(String(data))));
      client.once("open", () => client.send("hello"));
      assert.equal(await reply, "hello 7");
      client.close();
      let traces: Trace[] = [];
      while (!traces.some(({ method }) => method === "GET"))
        traces = (
          (await (await fetch(`${app.url}/framework/dev/api/requests`)).json()) as { traces?: Trace[] } & Trace[]
        )
          .slice()
          .toReversed();
      assert.deepEqual(
        traces.map(({ kind, method, path, status, calls, error }) => [
          ...[kind, method, path, status],
          calls.map((call) => `${call.bean}.${call.method} ${JSON.stringify(call.args)}`),
          error?.message,
        ]),
        [
          ["background", "RUN", "ws /chat/{room} message", 200, ['ChatService.say ["hello","hunter2"]'], undefined],
          ["background", "RUN", "ws /chat/{room} close", 500, [], "as it must"],
          [undefined, "GET", "/chat/one", 101, [], undefined],
        ],
      );
      assert.deepEqual(traces[2]?.request.query, { token: ["[redacted]"] });
    } finally {
      await app.stop({ graceMs: 100 });
      await beans.close();
    }
  });
});
