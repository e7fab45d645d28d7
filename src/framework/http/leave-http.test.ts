/** Unit tests of leave-http.ts: the connection that has left HTTP, and how it learns that the app stops (WS). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Exchange } from "./exchange.ts";
import { leaveHttp, type LeavingRequest, type UpgradeServices } from "./leave-http.ts";
import type { UpgradedConnection, UpgradeHandler } from "./upgrade.ts";

/** A connection that leaves HTTP in an app, and a log of the calls about it. */
function leaving(accept: UpgradeHandler, isStopping = false) {
  const told: unknown[] = [];
  const streams = new Set<() => void>();
  const raw = { request: { of: "the client" }, socket: { of: "its connection" }, head: Uint8Array.of(1) };
  const exchange = {
    upgrade: (take: (connection: object) => void) => take({ ...raw, over: () => told.push("the exchange is over") }),
    cut: () => told.push("cut"),
  } as unknown as Exchange;
  const services: UpgradeServices = {
    streams,
    isStopping: () => isStopping,
    report: (what, error) => told.push([what, String(error)]),
    around: (name, work, event, of) => [name, work(), event, of === ctx],
  };
  const delivered = (bytes: number, aborted: boolean) => told.push([bytes, aborted]);
  const target = { messages: undefined };
  const ctx = {
    exchange,
    services,
    target,
    delivered,
    inScope: (work: () => unknown) => work(),
  } as unknown as LeavingRequest;
  leaveHttp(ctx, { accept, headers: ["X-A", "1"], closed: () => told.push("closed") });
  return { told, streams, raw };
}

describe("leaveHttp", () => {
  it("passes the engine's connection on, with the app's functions for it", () => {
    let taken: UpgradedConnection | undefined;
    const { told, streams, raw } = leaving((connection) => (taken = connection));
    assert.ok(taken);
    const { request, socket, head, headers } = taken;
    assert.deepEqual([request, socket, head], [raw.request, raw.socket, raw.head]);
    assert.deepEqual(headers, ["X-A", "1"]);
    const event = { event: "message", data: "x" };
    assert.deepEqual(taken.run("work", () => "its result", event) as unknown, ["work", "its result", event, true]);
    taken.report("it failed", new Error("so"));
    taken.closed();
    taken.over(7, false);
    assert.deepEqual(told, [["it failed", "Error: so"], "closed", "the exchange is over", [7, false]]);
    assert.equal(streams.size, 0);
  });

  it("is notified when the app stops, immediately if it stops already, and not after its end", () => {
    for (const isStopping of [false, true]) {
      let stops = 0;
      let taken: UpgradedConnection | undefined;
      const { streams } = leaving((connection) => {
        taken = connection;
        connection.onStop(() => void (stops += 1));
      }, isStopping);
      assert.deepEqual([stops, streams.size], [isStopping ? 1 : 0, 1]);
      for (const stop of streams) stop();
      assert.equal(stops, isStopping ? 2 : 1);
      taken?.over(0, true);
      assert.equal(streams.size, 0);
    }
  });

  it("is cut and over when its protocol throws, and the error is reported", () => {
    const { told, streams } = leaving((connection) => {
      connection.onStop(() => undefined);
      throw new Error("no more");
    });
    const report = ["what takes an upgraded connection failed", "Error: no more"];
    assert.deepEqual([told, streams.size], [[report, "cut", "the exchange is over", [0, true]], 0]);
  });

  it("is an error when the engine cannot hand a connection over", () => {
    const ctx = { exchange: {} } as LeavingRequest;
    assert.throws(() => leaveHttp(ctx, { accept: () => undefined, headers: [], closed: () => undefined }), {
      message: "this connection cannot leave HTTP: ctx.upgrade() is for the handlers of app.ws",
    });
  });
});
