/** The frame of a short message: the same bytes as from `ws`, in one piece (RFC 6455 §5.2). */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import fc from "fast-check";
import { serving, until } from "../testing/harness.testkit.ts";
import { frame, handshake, opened, rawSocket } from "../testing/web-socket-client.testkit.ts";
import { frameOf } from "./frame.ts";
import { bytesIn } from "./server-web-socket.ts";
import { webSocket } from "./index.ts";

interface Framing {
  readonly Sender: { frame(data: Buffer, options: object): readonly Buffer[] };
}
// Its types omit this class.
const { Sender } = createRequire(import.meta.url)("ws") as Framing;

test("equals the output of ws for the same message", () => {
  const length = fc.oneof(fc.constantFrom(0, 1, 125, 126, 127, 255, 256, 16_383, 65_535), fc.nat(300));
  const message: fc.Arbitrary<string | Uint8Array> = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("", "\ud800", "a\udfff", "é".repeat(63), "é".repeat(62) + "a"),
    length.map((size) => "x".repeat(size)),
    length.map((size) => new Uint8Array(size).fill(size)),
  );
  fc.assert(
    fc.property(message, (data) => {
      const options = { fin: true, opcode: typeof data === "string" ? 1 : 2, mask: false, rsv1: false, readOnly: true };
      const expected = Buffer.concat(Sender.frame(Buffer.from(data as string), options));
      assert.deepEqual(Buffer.from(frameOf(data, bytesIn(data))), expected);
    }),
  );
});

/** Short and long ones, as a handler sends them. */
const messages = ["", "one", "é".repeat(80), "x".repeat(40_000), "two", new Uint8Array([1, 2]), new Uint8Array(40_000)];

for (const compression of [false, true])
  test(`messages arrive in the order of sending${compression ? ", compressed" : ""}, and before the close`, () =>
    serving(
      (app) =>
        app.ws(
          "/",
          webSocket({
            compression,
            open(socket) {
              for (const message of messages) socket.send(message);
              socket.close(4_000, "done");
            },
          }),
        ),
      async ({ port }) => {
        const client = await opened(`ws://127.0.0.1:${port}/`);
        assert.equal(await client.closed, 4_000);
        const expected = messages.map((one) => (typeof one === "string" ? one : Buffer.from(one)));
        assert.deepEqual(client.messages, expected);
      },
    ));

test("a short message is compressed when that was agreed", () =>
  serving(
    (app) => app.ws("/", webSocket({ compression: true, message: (socket) => void socket.send("a".repeat(2_000)) })),
    async ({ port }) => {
      const head = handshake("/", { "Sec-WebSocket-Extensions": "permessage-deflate" });
      const { socket, frames } = await rawSocket(port, head);
      socket.write(frame(1, "go"));
      await until(() => frames().length > 0);
      assert.ok(socket.bytesRead < 1_000, `${socket.bytesRead} bytes for 2,000`);
      socket.destroy();
    },
  ));
