/** Unit tests of handover.ts: what a host that speaks WebSocket itself is given, and which fields go with it (WS). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { UpgradedConnection } from "../http/upgrade.ts";
import { Handover, isNative } from "./handover.ts";
import type { Settings } from "./settings.ts";

const settings = { maxMessageBytes: 9, compression: false, pingMs: 7 } as Settings;

describe("isNative", () => {
  test("is a socket that its host opens, and no socket of Node's", () => {
    const sockets = [{ open: () => undefined }, { open: "a field" }, {}, { close: () => undefined }];
    assert.deepEqual(sockets.map(isNative), [true, false, false, false]);
  });
});

describe("Handover, where the host speaks the protocol", () => {
  test("has it opened with the subprotocol, and the headers of the app that a 101 may have", () => {
    const asked: unknown[] = [];
    const peer = { of: "the host" };
    let opened: object | undefined = { peer };
    const socket = { open: (options: object) => (asked.push(options), opened) };
    const dropped = ["Connection", "UPGRADE", "Sec-WebSocket-Accept", "Sec-WebSocket-Protocol", "Transfer-Encoding"];
    const more = ["Content-Type", "content-length", "Keep-Alive", "Trailer"];
    const kept = ["X-A", "1", "X-Upgrade", "2", "Upgrade-Insecure-Requests", "3", "Set-Cookie", "trailer"];
    const headers = [...[...dropped, ...more].flatMap((name) => [name, "x"]), ...kept];
    const connection = { request: {}, socket, head: new Uint8Array(), headers } as unknown as UpgradedConnection;
    const handover = new Handover(settings);
    assert.equal(handover.open(connection, "chat"), peer);
    opened = undefined;
    assert.equal(handover.open(connection, undefined), undefined);
    assert.deepEqual(asked, [
      { protocol: "chat", headers: kept, pingMs: 7 },
      { protocol: undefined, headers: kept, pingMs: 7 },
    ]);
  });
});
