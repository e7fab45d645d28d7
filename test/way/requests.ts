/**
 * Five requests to an app on node:http, and the calls of each. Runs with calls.ts loaded, and writes them as JSON:
 * `{ "GET /hello": ["http/request-context constructor", …], … }`.
 */
import { once } from "node:events";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { Framework, HttpError } from "framework";
import { webSocket } from "framework/websocket";
import { WebSocket } from "ws";
import { z } from "zod";
import type { Call } from "./calls.ts";

async function* pieces(): AsyncGenerator<string> {
  yield "a";
  yield "b";
}

const person = { params: z.object({ id: z.string() }), body: z.object({ name: z.string() }) };
const quiet = { warn: () => undefined, error: () => undefined };
const ways: Record<string, readonly string[]> = {};
let calls: string[] = [];
const count: Call = (file, name) => void calls.push(`${file} ${name}`);
const counting = (isOn: boolean): void => void Reflect.set(globalThis, "calls", isOn ? count : undefined);
/** The calls up to the one that ends the response. Later ones belong to the connection, not to the request. */
const upTo = (last: string): readonly string[] => calls.slice(0, calls.lastIndexOf(last) + 1);

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
async function send(port: number, method: string, path: string, body?: string): Promise<void> {
  const headers = body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": body.length };
  const sent = request({ host: "127.0.0.1", port, method, path, headers, agent });
  sent.end(body);
  const [response] = await once(sent, "response");
  await text(response);
}

const app = Framework.create({ host: "127.0.0.1", logger: quiet })
  .get("/hello", () => ({ hello: "world" }))
  .post("/people/{id}", person, ({ input }) => ({ id: input.params.id, ...input.body }))
  .get("/stream", (ctx) => ctx.send(pieces()))
  .get("/error", () => {
    throw new HttpError(409, "taken");
  });
const { port } = await app.start(0);
for (const [method, path, body] of [
  ["GET", "/hello"],
  ["POST", "/people/7", '{"name":"Ada"}'],
  ["GET", "/stream"],
  ["GET", "/error"],
] as const) {
  await send(port, method, path, body); // The first request on a connection, and of a route, does more.
  calls = [];
  counting(true);
  await send(port, method, path, body);
  await new Promise((resolve) => setImmediate(resolve));
  counting(false);
  ways[`${method} ${path}`] = upTo("http/request-context complete");
}
agent.destroy();
await app.stop();

let opened: () => void = () => undefined;
const handlers = webSocket({ open: () => opened() });
const sockets = Framework.create({ host: "127.0.0.1", logger: quiet }).ws("/socket", handlers);
const { port: socketPort } = await sockets.start(0);
for (const isCounted of [false, true]) {
  const isOpen = new Promise<void>((resolve) => (opened = resolve));
  calls = [];
  counting(isCounted);
  const client = new WebSocket(`ws://127.0.0.1:${socketPort}/socket`);
  await isOpen;
  counting(false);
  if (isCounted) ways["GET /socket, a WebSocket"] = calls;
  client.on("error", () => undefined).terminate();
}
await sockets.stop({ graceMs: 0 });
process.stdout.write(JSON.stringify(ways));
