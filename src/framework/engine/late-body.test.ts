/** A body that is cut off while it is read in pieces. Node takes the request's socket away then (ENGINE, ERR). */
import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { describe, test } from "node:test";
import { connect as connectTls } from "node:tls";
import { NodeHttp2Engine, NodeHttpEngine } from "../index.ts";
import { certificate } from "../testing/certificate.testkit.ts";
import { created, responsesOf } from "../testing/harness.testkit.ts";
import type { ServerEngine } from "./index.ts";

const ways: Readonly<Record<string, readonly [engine: ServerEngine, dial: (port: number) => Socket]>> = {
  "HTTP/1.1": [new NodeHttpEngine(), (port) => connect(port, "127.0.0.1")],
  "HTTP/1.1 beside h2c": [new NodeHttp2Engine(), (port) => connect(port, "127.0.0.1")],
  // A response here is sent later than it is written, after the end of the body.
  "HTTP/1.1 over TLS": [
    new NodeHttp2Engine(certificate),
    (port) => connectTls({ port, host: "127.0.0.1", ca: certificate.cert, servername: "localhost" }),
  ],
};

describe("a body that is read in pieces and cut off", () => {
  for (const [way, [engine, dial]] of Object.entries(ways))
    test(`is 408 over ${way}, and the process continues`, async () => {
      const { app, errors } = created({ engine, timeouts: { requestMs: 100, headersMs: 100, checkMs: 20 } });
      let read = 0;
      app
        .post("/", async (ctx) => {
          for await (const piece of ctx.bodyAsStream()) read += piece.length;
          return "whole";
        })
        .get("/", () => "still here");
      await app.start(0);
      try {
        const respond = async (sent: string): Promise<string> => {
          const socket = dial(app.port);
          let text = "";
          socket.on("data", (bytes) => (text += String(bytes))).on("error", () => undefined);
          socket.write(sent);
          await new Promise((resolve) => void socket.once("close", resolve));
          return text;
        };
        const late = await respond("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nab");
        assert.deepEqual([responsesOf(late).map(({ status }) => status), read], [[408], 2]);
        const next = await respond("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assert.deepEqual([responsesOf(next).map(({ body }) => body), errors], [["still here"], []]);
      } finally {
        await app.stop({ graceMs: 0 });
      }
    });
});
