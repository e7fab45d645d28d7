/** An HTTP/2 body of which only a part comes is never read as a whole one (ENGINE, ERR). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NodeHttp2Engine, type Context } from "../../index.ts";
import { ClientGoneError } from "../../internal/errors.ts";
import { frame, greeting, headers, request } from "../../testing/frames.testkit.ts";
import { serving, until, wire } from "../../testing/harness.testkit.ts";

/** Ways to read a body. */
const readers: Readonly<Record<string, (ctx: Context) => Promise<unknown>>> = {
  whole: (ctx) => ctx.bodyAsBytes(),
  "in pieces": async (ctx) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of ctx.bodyAsStream()) pieces.push(piece);
    return pieces;
  },
};

/** Ways in which the stream ends without the body's end, and undefined for the end of the connection. */
const ends: Readonly<Record<string, number | undefined>> = {
  CANCEL: 8,
  NO_ERROR: 0,
  REFUSED_STREAM: 7,
  "the end of the connection": undefined,
};

describe("an HTTP/2 body that breaks off", () => {
  for (const [how, read] of Object.entries(readers))
    for (const [end, code] of Object.entries(ends))
      test(`is an error when read ${how}, after ${end}`, () => {
        const seen: unknown[] = [];
        let isRead = false;
        return serving(
          (app) =>
            app.post("/", async (ctx) => {
              isRead = true;
              await read(ctx).then(
                (body) => seen.push(body),
                (error: unknown) => seen.push(error instanceof ClientGoneError),
              );
            }),
          async ({ port }) => {
            const half = [headers(1, request("POST", "/"), false), frame(0, 0, 1, Buffer.from("half"))];
            const { socket } = wire(port, Buffer.concat([greeting, ...half]));
            await until(() => isRead);
            if (code === undefined) socket.destroy();
            else socket.write(frame(3, 0, 1, Uint8Array.of(0, 0, 0, code)));
            await until(() => seen.length > 0);
            socket.destroy();
            assert.deepEqual(seen, [true]);
          },
          { engine: new NodeHttp2Engine() },
        );
      });

  for (const [how, read] of Object.entries(readers))
    test(`is an error when read ${how} after a response that came before it was whole`, () => {
      const seen: unknown[] = [];
      return serving(
        (app) =>
          app.post("/", (ctx) => {
            void read(ctx).then(
              (body) => seen.push(body),
              (error: unknown) => seen.push(error instanceof ClientGoneError),
            );
            return "early";
          }),
        async ({ port }) => {
          const half = [headers(1, request("POST", "/"), false), frame(0, 0, 1, Buffer.from("half"))];
          const { socket } = wire(port, Buffer.concat([greeting, ...half]));
          await until(() => seen.length > 0);
          socket.destroy();
          assert.deepEqual(seen, [true]);
        },
        { engine: new NodeHttp2Engine() },
      );
    });
});
