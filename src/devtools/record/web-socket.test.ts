/** WebSockets in devtools: the request is one run, and each call of a handler another (WS, TRACE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans, Framework, Interface } from "framework";
import { webSocket } from "framework/websocket";
import { WebSocket } from "ws";
import { Devtools, type RouteInfo, type Trace } from "../index.ts";

interface Chat {
  say(text: string, password: string): Promise<string>;
}
const Chat = Interface<Chat>("ChatService");

describe("a WebSocket in devtools", () => {
  it("is a run of its request, and one for each call of a handler, with the calls of beans in it", async () => {
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
        message: async (socket, message, ctx) => {
          const { text } = JSON.parse(String(message)) as { text: string };
          socket.send(await ctx.get(Chat).say(text, "hunter2"));
        },
        close: () => assert.fail("as it must"),
      }),
    );
    devtools.install(app, beans);
    await app.start(0);
    try {
      const client = new WebSocket(`${app.url.replace("http", "ws")}/chat/one?token=s3cret`);
      const reply = new Promise((resolve) => client.once("message", (data) => resolve(String(data))));
      client.once("open", () => client.send('{"text":"hello","token":"s3cret-token"}'));
      assert.equal(await reply, "hello 7");
      client.close(1000, "bye");
      let traces: Trace[] = [];
      while (!traces.some(({ method }) => method === "GET"))
        traces = (
          (await (await fetch(`${app.url}/framework/dev/api/requests`)).json()) as { traces?: Trace[] } & Trace[]
        )
          .slice()
          .toReversed();
      assert.deepEqual(
        traces.map(({ kind, method, path, status, calls, error }) => [
          kind,
          method,
          path,
          status,
          calls.map((call) => `${call.bean}.${call.method} ${JSON.stringify(call.args)}`),
          error?.message,
        ]),
        [
          ["websocket", "WS", "/chat/one", 200, ['ChatService.say ["hello","hunter2"]'], undefined],
          ["websocket", "WS", "/chat/one", 500, [], "as it must"],
          [undefined, "GET", "/chat/one", 101, [], undefined],
        ],
      );
      assert.deepEqual(traces[2]?.request.query, { token: ["[redacted]"] });
      assert.deepEqual(
        traces
          .slice(0, 2)
          .map(({ route, event, connection, request: { pathParams, body } }) => [
            route,
            event,
            connection,
            pathParams,
            body,
          ]),
        [
          ["/chat/{room}", "message", traces[2]?.run, { room: "one" }, { text: "hello", token: "[redacted]" }],
          ["/chat/{room}", "close", traces[2]?.run, { room: "one" }, { code: 1000, reason: "bye", by: "client" }],
        ],
      );
      const annotation = { code: 1000, reason: "bye", by: "client", messages: 1, sentBytes: 7, protocol: "" };
      assert.deepEqual(traces[2]?.annotations, [{ name: "webSocket", value: annotation }]);
      const routes = (await (await fetch(`${app.url}/framework/dev/api/routes`)).json()) as RouteInfo[];
      assert.deepEqual(routes[0]?.beans, ["ChatService"]);
    } finally {
      await app.stop({ graceMs: 100 });
      await beans.close();
    }
  });
});
