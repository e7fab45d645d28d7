/** Unit tests of handover.ts: the data for a host that speaks WebSocket itself, and the fields sent with it (WS). */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { describe, test } from "node:test";
import type { UpgradedConnection } from "../http/upgrade.ts";
import { Handover, isNative } from "./handover.ts";
import type { Settings } from "./settings.ts";

const settings = { maxMessageBytes: 9, compression: false, pingMs: 7 } as Settings;

describe("isNative", () => {
  test("is true for a socket that its host opens, and false for a socket of Node's", () => {
    const sockets = [{ open: () => undefined }, { open: "a field" }, {}, { close: () => undefined }];
    assert.deepEqual(sockets.map(isNative), [true, false, false, false]);
  });
});

describe("Handover, when the host speaks the protocol", () => {
  test("opens it with the subprotocol, and those headers of the app that a 101 may have", () => {
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

/** The bytes written to a connection of Node's, and its state after a handshake with these fields. */
function handedOver(fields: Readonly<Record<string, string>>, { hasEnded = false, protocol = "" } = {}) {
  let written = "";
  const socket = new Duplex({
    read: () => undefined,
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString("latin1");
      done();
    },
  });
  if (hasEnded) socket.destroy();
  const headers = {
    upgrade: "h2c, WebSocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    ...fields,
  };
  const request = { method: "GET", url: "/", headers } as unknown as IncomingMessage;
  const connection = { request, socket, head: new Uint8Array(), headers: ["X-A", "1", "X-B", "2"] };
  const handover = new Handover(settings);
  const peer = handover.open(connection as unknown as UpgradedConnection, protocol === "" ? undefined : protocol);
  const lines = (): string[] => written.split("\r\n").filter((line) => line !== "");
  return { peer, socket, lines };
}

describe("Handover, to ws", () => {
  const accepted = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
  ];

  test("WS-002: sends the handshake with the app's headers, and the one chosen subprotocol", () => {
    for (const protocol of ["", "chat"]) {
      const { peer, socket, lines } = handedOver({ "sec-websocket-protocol": "soap, chat" }, { protocol });
      assert.notEqual(peer, undefined);
      const chosen = protocol === "" ? [] : [`Sec-WebSocket-Protocol: ${protocol}`];
      assert.deepEqual(lines(), [...accepted, ...chosen, "X-A: 1", "X-B: 2"]);
      socket.destroy();
    }
  });

  test("opens nothing when the connection is gone, and closes it when ws rejects the handshake", async () => {
    const gone = handedOver({}, { hasEnded: true });
    assert.deepEqual([gone.peer, gone.lines(), gone.socket.destroyed], [undefined, [], true]);
    const { peer, socket, lines } = handedOver({ "sec-websocket-key": "short" });
    if (!socket.destroyed) await new Promise((resolve) => socket.once("close", resolve));
    assert.deepEqual([peer, lines()[0]], [undefined, "HTTP/1.1 400 Bad Request"]);
  });
});

describe("framework/websocket without ws", () => {
  /** The output of a process on a host with that condition of package.json, with `ws` failing to load with that code. */
  const printed = (condition: string, failure = "ERR_MODULE_NOT_FOUND"): string => {
    const url = JSON.stringify(new URL("handover.js", import.meta.url).href);
    const script = `
      import { register } from "node:module";
      const missing = "Promise.reject(Object.assign(new Error('of ws'), { code: '${failure}' }))";
      const isWs = "name === 'ws' || (name === '#ws' && !context.conditions.some((one) => /^(bun|deno|workerd)$/.test(one)))";
      const hook = "export const resolve = (name, context, next) => " + isWs + " ? " + missing + " : next(name, context);";
      register("data:text/javascript," + encodeURIComponent(hook));
      const print = (error) => console.log(error.code + ": " + error.message);
      await import(${url}).then(({ Handover }) => {
        const handover = new Handover({});
        const native = { open: () => ({ peer: "the host's" }) };
        console.log(handover.open({ socket: native, headers: [] }));
        handover.open({ socket: {}, headers: [] });
      }).catch(print);
    `;
    const conditions = ["modules", condition].map((name) => `--conditions=${name}`);
    const { stdout, stderr } = spawnSync(process.execPath, [...conditions, "--input-type=module", "--eval", script], {
      encoding: "utf8",
    });
    return stdout === "" ? stderr : stdout;
  };

  test("cannot be imported on Node, where the error names the package", () => {
    assert.equal(printed("default"), "ERR_MODULE_NOT_FOUND: of ws\n");
  });

  for (const host of ["bun", "deno", "workerd"])
    test(`serves the WebSockets of ${host}, which need no package`, () => {
      const missing = "PEER_MISSING: framework/websocket needs the package ws: npm install ws\n";
      assert.equal(printed(host), `the host's\n${missing}`);
    });

  test("cannot be imported when ws is installed and faulty, on any host", () => {
    for (const host of ["default", "bun"]) assert.equal(printed(host, "ERR_OTHER"), "ERR_OTHER: of ws\n");
  });
});
