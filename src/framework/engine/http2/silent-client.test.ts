/** HTTP/2 clients that are silent while they wait for a response (ENGINE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import { describe, it } from "node:test";
import { serving, until } from "../../testing/harness.testkit.ts";
import { NodeHttp2Engine, type Framework } from "../../index.ts";
import { frame, framesOf, greeting, headers, request } from "../../testing/frames.testkit.ts";

const timeouts = { idleMs: 100, checkMs: 20 };
const ping = 6;

/** Serves `/hang`, which waits until the client has left or `respond` is called. */
async function hanging(
  use: (tools: {
    readonly port: number;
    readonly url: string;
    readonly seen: { entered: number; left: number };
    respond(): void;
  }) => Promise<void>,
): Promise<void> {
  const seen = { entered: 0, left: 0 };
  let respond = (): void => undefined;
  const define = (app: Framework): unknown =>
    app.get("/hang", (ctx) => {
      seen.entered += 1;
      ctx.signal.addEventListener("abort", () => void (seen.left += 1));
      return new Promise((resolve) => void (respond = () => resolve("at last")));
    });
  await serving(
    (app) => void define(app),
    async ({ port, app }) => use({ port, url: app.url, seen, respond: () => respond() }),
    { engine: new NodeHttp2Engine(), timeouts },
  );
}

function sending(port: number, bytes: Buffer): { readonly socket: Socket; received(): Buffer } {
  const chunks: Buffer[] = [];
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => undefined).on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(bytes);
  return { socket, received: () => Buffer.concat(chunks) };
}

describe("clients that are silent while they wait for a response", () => {
  it("are sent a PING, and are disconnected when nothing comes after it", () =>
    hanging(async ({ port, seen }) => {
      const { socket, received } = sending(port, Buffer.concat([greeting, headers(1, request("GET", "/hang"))]));
      await once(socket, "close");
      assert.equal(framesOf(received()).filter(({ type }) => type === ping).length, 1);
      await until(() => seen.left === 1);
    }));

  it("stay connected for as long as they respond to it", () =>
    hanging(async ({ url, seen, respond }) => {
      const client = connectHttp2(url);
      let pings = 0;
      client.on("ping", () => void (pings += 1));
      const stream = client.request({ ":path": "/hang" });
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      await until(() => pings >= 4);
      respond();
      await once(stream, "close");
      client.destroy();
      assert.equal(Buffer.concat(chunks).toString(), "at last");
      assert.equal(seen.left, 0);
    }));

  it("are disconnected after a compression error in a later request", () =>
    hanging(async ({ port, seen }) => {
      const noIndex = Buffer.from("3fffffffff7f", "hex");
      const broken = Buffer.concat([greeting, headers(1, request("GET", "/hang")), frame(1, 5, 3, noIndex)]);
      const { socket } = sending(port, broken);
      await until(() => seen.entered === 1);
      socket.end();
      await until(() => seen.left === 1);
      socket.destroy();
    }));
});
