/** Responses that wait for another one on their connection are over when the client leaves, though Node emits nothing on them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { until, wire } from "../testing/harness.testkit.ts";
import { Framework, InMemoryMetricsCollector, MetricsMiddleware } from "../index.ts";

/** More than an emitter takes listeners without a warning. */
const waiting = 12;

const queued = ["/at-once", "/later", "/streamed"] as const;

const targets = ["/never", ...Array.from({ length: waiting }, (_, at) => queued[at % queued.length])];

/** More than a response buffers before it is full. */
const large = new Uint8Array(64 * 1024);

/** Sends all in one write, leaves when all were handled, and returns the requests still active after the end. */
async function leaveBehind(app: Framework, port: () => Promise<number>): Promise<void> {
  const metrics = new InMemoryMetricsCollector();
  let handled = 0;
  let dismissed = 0;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield large;
    } finally {
      dismissed += 1;
    }
  }
  const completed: unknown[] = [];
  app
    .use(new MetricsMiddleware(metrics))
    .use((ctx, next) => {
      handled += 1;
      ctx.onComplete(({ status, aborted }) => void completed.push([ctx.path, status, aborted]));
      return next();
    })
    .get("/never", () => new Promise<never>(() => undefined))
    .get("/at-once", (ctx) => ctx.text("hi"))
    .get("/later", async (ctx) => {
      await Promise.resolve();
      return ctx.text("hi");
    })
    .get("/streamed", () => endless());
  const { socket } = wire(await port(), targets.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
  await until(() => handled === targets.length);
  assert.deepEqual(completed, []);
  socket.destroy();
  await until(() => completed.length === targets.length);
  const expected = targets.map((path) => [path, path === "/never" ? 499 : 200, true]);
  assert.deepEqual(completed.toSorted(), expected.toSorted());
  assert.equal(metrics.snapshot().activeRequests, 0);
  assert.equal(dismissed, waiting / queued.length);
}

describe("responses that wait for one that never comes", () => {
  it("METRIC-001: are over when the client has left", async () => {
    const app = Framework.create({ host: "127.0.0.1" });
    try {
      await leaveBehind(app, async () => (await app.start(0)).port);
    } finally {
      await app.stop({ graceMs: 50 });
    }
  });

  it("METRIC-001: are also over inside a host's server, without a warning of Node's", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): unknown => warnings.push(warning);
    process.on("warning", onWarning);
    const app = Framework.create();
    const server = createServer((req, res) => app.listener()(req, res)).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      await leaveBehind(app, () => Promise.resolve((server.address() as AddressInfo).port));
      await new Promise(setImmediate);
      assert.deepEqual(warnings, []);
    } finally {
      process.off("warning", onWarning);
      server.closeAllConnections();
      server.close();
    }
  });
});
