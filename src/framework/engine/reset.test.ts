/**
 * A client that resets its connection in the middle of a large response has left, even if Node's response object says it
 * finished.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { Framework, type Completion } from "../index.ts";

/** The completion of a request whose client resets after the first bytes of 32 MiB. */
async function completionOf(port: number, completed: Promise<Completion>): Promise<unknown> {
  const client = connect(port, "127.0.0.1");
  client.on("error", () => undefined);
  client.write("GET /big HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(client, "data");
  client.pause();
  client.resetAndDestroy();
  const { status, aborted } = await completed;
  return { status, aborted };
}

function bigApp(): { readonly app: Framework; readonly completed: Promise<Completion> } {
  const app = Framework.create({ host: "127.0.0.1" });
  const completed = new Promise<Completion>((resolve) => {
    app.get("/big", (ctx) => {
      ctx.onComplete(resolve);
      return "x".repeat(33_554_432);
    });
  });
  return { app, completed };
}

describe("a large response with a client that resets the connection", () => {
  it("LOG-014 METRIC-015: is aborted on node:http", async () => {
    const { app, completed } = bigApp();
    await app.start(0);
    try {
      assert.deepEqual(await completionOf(app.port, completed), { status: 200, aborted: true });
    } finally {
      await app.stop();
    }
  });

  it("is aborted inside a host's server", async () => {
    const { app, completed } = bigApp();
    const server = createServer(app.listener()).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const { port } = server.address() as AddressInfo;
      assert.deepEqual(await completionOf(port, completed), { status: 200, aborted: true });
    } finally {
      server.close();
    }
  });
});
