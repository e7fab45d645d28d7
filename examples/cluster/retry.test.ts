/** The client that retries: after a broken connection, after a silent one, and not forever. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { test, type TestContext } from "node:test";
import { fetchAgain } from "./retry.ts";

type Handler = (req: IncomingMessage, res: ServerResponse) => void;

const silent: Handler = () => undefined;
const broken: Handler = (req) => void req.socket.destroy();
const fine: Handler = (_req, res) => void res.end("fine");

/** A server that handles each request with the next of `handlers`, and its address. */
async function serving(t: TestContext, handlers: Handler[]): Promise<string> {
  const server = createServer((req, res) => (handlers.shift() ?? silent)(req, res)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("retries after a connection that is silent, or breaks", async (t) => {
  const url = await serving(t, [silent, broken, fine]);
  let retried = 0;
  assert.equal(await fetchAgain(url, {}, () => (retried += 1), { patienceMs: 500 }), "fine");
  assert.equal(retried, 2);
});

test("gives up after the given attempts, and immediately for a request that may not be repeated", async (t) => {
  const url = await serving(t, [silent, silent, silent]);
  let retried = 0;
  const again = (init: RequestInit): Promise<string> =>
    fetchAgain(url, init, () => (retried += 1), { attempts: 2, patienceMs: 50 });
  await assert.rejects(again({}), { name: "TimeoutError" });
  await assert.rejects(again({ method: "POST" }), { name: "TimeoutError" });
  assert.equal(retried, 1);
});
