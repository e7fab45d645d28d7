/**
 * Tests WebSockets: typed messages, connections that are made again, and limits.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { WebSocket, WebSocketServer } from "ws";
import { clientOf, compiled, documentOf, loaded } from "./harness.testkit.ts";
import { writeClient } from "./write.ts";

const message = { type: "object", required: ["n"], properties: { n: { type: "integer" } } };
const parameters = [
  { name: "room", in: "path", schema: { type: "string" } },
  { name: "since", in: "query", schema: { type: "integer" } },
  { name: "Authorization-Id", in: "header", schema: { type: "string" } },
];
const chatOf = (messages: object): Record<string, unknown> =>
  documentOf({
    "/rooms/{room}": {
      get: { operationId: "chat", parameters, "x-websocket": messages, responses: { 101: { description: "" } } },
    },
  });
const chat = chatOf({ incoming: message, outgoing: { oneOf: [message, { type: "string" }] } });

/** A socket of a client, without its types. */
interface Socket extends AsyncIterable<unknown> {
  readonly opened: Promise<void>;
  send(message: unknown): void;
  close(code?: number, reason?: string): void;
}

const servers = new Set<WebSocketServer>();
after(() => {
  for (const server of servers) stop(server);
});

/** A service at that port, which does this with each connection. */
async function served(port: number, on: (socket: WebSocket, url: string) => void): Promise<WebSocketServer> {
  const server = new WebSocketServer({ port, host: "127.0.0.1" });
  servers.add(server);
  server.on("connection", (socket, request) => on(socket, request.url ?? ""));
  await once(server, "listening");
  return server;
}

const portOf = (server: WebSocketServer): number => (server.address() as AddressInfo).port;

function stop(server: WebSocketServer): void {
  for (const client of server.clients) client.terminate();
  server.close();
}

/** Opens the socket of the document at that port. */
async function opened(port: number, input: object = {}, document = chat): Promise<Socket> {
  const { createClient } = await loaded(clientOf(document));
  const client = createClient({ baseUrl: `http://127.0.0.1:${port}/base/`, WebSocket }) as unknown as Record<
    string,
    (input: object) => Socket
  >;
  return client["chat"]?.({ params: { room: "a/b" }, ...input }) ?? assert.fail("no call");
}

describe("a WebSocket of a client", () => {
  it("sends and receives messages at its address, from the first one on", async () => {
    const urls: string[] = [];
    const server = await served(0, (socket, url) => {
      urls.push(`${url} ${socket.protocol}`);
      socket.on("message", (data) => socket.send(String(data)));
    });
    const socket = await opened(portOf(server), { query: { since: 2 }, protocols: ["v1"] });
    socket.send({ n: 1 });
    await socket.opened;
    socket.send("two");
    const seen: unknown[] = [];
    for await (const one of socket) if (seen.push(one) === 2) break;
    assert.deepEqual([seen, urls], [[{ n: 1 }, "two"], ["/base/rooms/a%2Fb?since=2 v1"]]);
    assert.throws(() => socket.send(1), { message: "the WebSocket is closed" });
    const raw = await opened(portOf(server), {}, chatOf({}));
    raw.send("{");
    for await (const one of raw) {
      assert.equal(Buffer.from(one as ArrayBuffer).toString(), "{");
      raw.close();
    }
  });

  it("connects again after a restart of the service", async () => {
    const first = await served(0, (socket) => socket.send('{"n":1}'));
    const port = portOf(first);
    const socket = await opened(port);
    const messages = socket[Symbol.asyncIterator]();
    assert.deepEqual(await messages.next(), { done: false, value: { n: 1 } });
    const closed = once(first, "close");
    stop(first);
    await closed;
    const next = messages.next();
    const second = await served(port, (other) =>
      other.on("message", (data) => other.send(`{"n":${String(data).length}}`)),
    );
    await once(second, "connection");
    socket.send("a");
    assert.deepEqual(await next, { done: false, value: { n: 3 } });
    socket.close();
    assert.deepEqual(await messages.next(), { done: true, value: undefined });
  });

  it("ends with its code: 1000 ends the loop, another is thrown", async () => {
    const codes = [1000, 1008, 4000, 1011];
    const server = await served(0, (socket, url) => socket.close(codes[Number(url.split("=")[1])], "because"));
    const ended = async (at: number): Promise<void> => {
      for await (const one of await opened(portOf(server), { query: { since: at }, reconnect: false }))
        assert.fail(String(one));
    };
    await ended(0);
    for (const at of [1, 2, 3])
      await assert.rejects(ended(at), {
        name: "SocketClosedError",
        message: `the WebSocket was closed with ${codes[at]}: because`,
        code: codes[at],
        reason: "because",
      });
  });

  it("gives up after three attempts if the service was never there", async () => {
    const server = await served(0, () => undefined);
    const port = portOf(server);
    const closed = once(server, "close");
    stop(server);
    await closed;
    const socket = await opened(port);
    await assert.rejects(socket.opened, { name: "SocketClosedError", code: 1006 });
    await assert.rejects(async () => socket[Symbol.asyncIterator]().next(), { name: "SocketClosedError", code: 1006 });
  });

  it("throws the reason of its signal", async () => {
    const server = await served(0, () => undefined);
    const controller = new AbortController();
    const socket = await opened(portOf(server), { signal: controller.signal });
    const [connection] = server.clients.size > 0 ? [...server.clients] : await once(server, "connection");
    const closed = once(connection as WebSocket, "close");
    const next = socket[Symbol.asyncIterator]().next();
    controller.abort(new Error("enough"));
    await assert.rejects(async () => next, { message: "enough" });
    await closed;
    const aborted = await opened(portOf(server), { signal: controller.signal });
    await assert.rejects(aborted.opened, { message: "enough" });
  });

  it("closes if a message is no JSON, or too many are unread; it holds 256 for a connection", async () => {
    const server = await served(0, (socket, url) => {
      for (let at = 0; at < (url.endsWith("1") ? 1 : 1025); at += 1) socket.send(url.endsWith("1") ? "{" : "1");
    });
    const read = async (socket: Socket): Promise<number> => {
      let count = 0;
      try {
        for await (const one of socket) count += Number(one);
      } catch (error) {
        assert.match(String(error), /no JSON|left 1024 messages unread/);
      }
      return count;
    };
    assert.equal(await read(await opened(portOf(server), { query: { since: 1 } })), 0);
    const full = await opened(portOf(server));
    const [connection] = server.clients.size > 1 ? [...server.clients].slice(-1) : await once(server, "connection");
    const [code] = (await once(connection as WebSocket, "close")) as [number];
    assert.deepEqual([code, await read(full)], [4008, 1024]);
    const waiting = await opened(portOf(server));
    for (let at = 0; at < 256; at += 1) waiting.send({ n: at });
    assert.throws(() => waiting.send({ n: 256 }), { message: "256 messages wait for a connection" });
    waiting.close();
  });

  it("has the types of its messages, and accepts the class of ws and of browsers", async () => {
    const caller = `import { WebSocket as Other } from "ws";
import { createClient } from "./client.ts";
createClient({ baseUrl: "", WebSocket });
const client = createClient({ baseUrl: "", WebSocket: Other });
export async function talk(): Promise<number> {
  const socket = client.chat({ params: { room: "a" } });
  socket.send({ n: 1 });
  for await (const one of socket) if (typeof one === "object") return one.n;
  socket.send("1");
  return 0;
}
`;
    const files = { "client.ts": clientOf(chat), "caller.ts": caller };
    const { errors } = await compiled(files, "--lib", "es2023,dom,dom.iterable,dom.asynciterable");
    assert.deepEqual(
      errors.map((line) => /^(\w+\.ts)\((\d+),.*error (TS\d+)/.exec(line)?.slice(1)),
      [["caller.ts", "9", "TS2345"]],
      errors.join("\n"),
    );
  });

  it("has no headers, and the command says so", () => {
    const { text, leftOut } = writeClient(chat, "");
    assert.doesNotMatch(text, /Authorization-Id/);
    assert.deepEqual(leftOut, [
      "left out: the headers of GET /rooms/{room}, which the WebSocket of a browser does not send",
    ]);
  });

  it("needs a class of WebSockets", async () => {
    const { createClient } = await loaded(clientOf(chat));
    const client = createClient({ baseUrl: "http://test", WebSocket: undefined });
    const isGlobal = "WebSocket" in globalThis;
    if (!isGlobal)
      assert.throws(() => void client["chat"]?.({ params: { room: "a" } }), {
        message: "there is no global WebSocket: pass one as the option WebSocket",
      });
  });
});
