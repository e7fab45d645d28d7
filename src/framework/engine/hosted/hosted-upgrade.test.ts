/** Unit tests of hosted-upgrade.ts: a host's upgrade, and those that it gets back (ENGINE, WS). */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { ServerResponse } from "node:http";
import { describe, it } from "node:test";
import type { Exchange, Upgraded } from "../../http/exchange.ts";
import { hostedUpgradeListener } from "./hosted-upgrade.ts";

/** The exchange that the app gets for a host's request, or undefined. */
async function handed({ next = undefined as (() => void) | undefined, isGone = false } = {}) {
  const exchanges: (Exchange & { upgrade(take: (connection: Upgraded) => void): void })[] = [];
  const calls: string[] = [];
  const ready = () => {
    calls.push("ready");
    return { handle: (exchange: Exchange) => void exchanges.push(exchange as never) } as never;
  };
  const socket = Object.assign(new EventEmitter(), { destroyed: isGone });
  const req = { method: "GET", url: "/", httpVersion: "1.1", headers: {}, rawHeaders: [], socket };
  const head = new Uint8Array([1]);
  hostedUpgradeListener(ready)(req, socket, head, next);
  assert.deepEqual(calls, []);
  await new Promise(setImmediate);
  return { exchange: exchanges[0], calls, req, socket, head };
}

describe("hostedUpgradeListener", () => {
  it("passes the request, the connection and the bytes after the head, with its own response", async () => {
    const { exchange, calls, req, socket, head } = await handed();
    let taken: Upgraded | undefined;
    exchange?.upgrade((connection) => (taken = connection));
    const [platform, res] = exchange?.platform ?? [];
    assert.deepEqual(
      [platform === req, res instanceof ServerResponse, taken?.socket === socket, taken?.head === head, calls],
      [true, true, true, true, ["ready"]],
    );
  });

  it("passes nothing when the connection is gone", async () => {
    const { exchange, calls } = await handed({ isGone: true });
    assert.deepEqual([exchange, calls], [undefined, []]);
  });

  it("ROUTE-014: leaves the validation of a request to the host", async () => {
    assert.equal((await handed()).exchange?.flaw, undefined);
  });

  it("gives unregistered requests back to a waiting host", async () => {
    let passed = 0;
    const told: unknown[] = [];
    const delivery = { isWatched: true, delivered: (...end: unknown[]) => void told.push(end) };
    const { exchange } = await handed({ next: () => (passed += 1) });
    assert.equal(exchange?.pass?.([], delivery), true);
    assert.deepEqual([passed, told], [1, [[0, false, 404]]]);
    assert.equal((await handed()).exchange?.pass, undefined);
  });
});
