/** Declared messages of a WebSocket over real sockets (WS). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { z } from "zod";
import { contract, type FrameworkOptions, type WebSocketContext } from "../index.ts";
import { serving, until } from "../testing/harness.testkit.ts";
import { opened } from "../testing/web-socket-client.testkit.ts";
import { webSocket } from "./index.ts";

const In = z.object({ text: z.string().max(5), at: z.coerce.date().optional() });
const Out = z.object({ n: z.number() });
const chat = contract({ incoming: In, outgoing: Out });

/** A connection to a room that counts the characters of its messages. */
async function room<T>(
  use: (client: Awaited<ReturnType<typeof opened>>, seen: unknown[], lines: () => string[]) => Promise<T>,
  options: FrameworkOptions = {},
): Promise<void> {
  const seen: unknown[] = [];
  await serving(
    (app) =>
      app.ws(
        "/rooms/{room}",
        chat,
        webSocket({
          message(socket, { text, at }, ctx) {
            seen.push([ctx.pathParam("room"), text, at?.getTime()]);
            socket.send(text === "wrong" ? { n: "x" as never } : ({ n: text.length, secret: 1 } as { n: number }));
          },
        }),
      ),
    async ({ port, warnings, errors }) => {
      const lines = (): string[] => [...warnings, ...errors.map(({ line }) => line)];
      await use(await opened(`ws://127.0.0.1:${port}/rooms/a`), seen, lines);
    },
    options,
  );
}

describe("declared messages", () => {
  test("reach the handler as their schema returns them, and are sent as JSON of the declared members", () =>
    room(async ({ socket, messages }, seen) => {
      socket.send('{"text":"hello","at":"1970-01-01T00:00:00Z"}');
      await until(() => messages.length === 1);
      socket.close();
      assert.deepEqual([messages, seen], [['{"n":5}'], [["a", "hello", 0]]]);
    }));

  const rejected: Readonly<Record<string, readonly [message: string | Uint8Array, code: number, reason: string]>> = {
    "of other content": ['{"text":7}', 4400, "/text: Invalid input: expected string, received number"],
    "that is no JSON": ["{", 1007, "the message is not valid JSON: at position 1"],
    "that is empty": ["", 1007, "the message is empty; JSON was expected"],
    "that is nested too deeply": ["[".repeat(99) + "]".repeat(99), 1007, "the message is nested too deeply"],
    "with a key that could reach a prototype": [
      '{"__proto__":{}}',
      1007,
      'the message holds the key "__proto__", which is rejected',
    ],
    "that is binary": [new Uint8Array(1), 1007, "the message is binary: JSON is text"],
  };
  for (const [what, [message, code, reason]] of Object.entries(rejected))
    test(`a message ${what} closes the connection, and never reaches the handler`, () =>
      room(async ({ socket, closed, reasons }, seen) => {
        socket.send(message);
        assert.deepEqual([await closed, reasons, seen], [code, [reason], []]);
      }));

  test("a reason of more than 123 bytes is cut between characters", () =>
    serving(
      (app) =>
        app.ws(
          "/a",
          { incoming: z.string().refine(() => false, "ü".repeat(100)) },
          webSocket({ message: () => assert.fail() }),
        ),
      async ({ port }) => {
        const { socket, closed, reasons } = await opened(`ws://127.0.0.1:${port}/a`);
        socket.send('""');
        assert.deepEqual([await closed, reasons], [4400, ["ü".repeat(61)]]);
      },
    ));

  test("waits for an asynchronous schema, one message after the other", () =>
    serving(
      (app) =>
        app.ws(
          "/a",
          { incoming: z.number().refine(async (n) => n > 0) },
          webSocket({ message: (socket, n) => void socket.send(String(n)) }),
        ),
      async ({ port }) => {
        const { socket, closed, messages, reasons } = await opened(`ws://127.0.0.1:${port}/a`);
        for (const n of [1, 2, -3, 4]) socket.send(String(n));
        assert.deepEqual([await closed, messages, reasons], [4400, ["1", "2"], ["Invalid input"]]);
      },
    ));

  test("a message that its schema rejects is an error at the sender, which closes with 1011", () =>
    room(async ({ socket, closed }, _seen, lines) => {
      socket.send('{"text":"wrong"}');
      assert.equal(await closed, 1011);
      assert.deepEqual(lines(), ["ws /rooms/{room}: its message handler failed"]);
    }));

  test("is sent with one log line in the mode warn", () =>
    room(
      async ({ socket, messages }, _seen, lines) => {
        socket.send('{"text":"wrong"}');
        socket.send('{"text":"wrong"}');
        await until(() => messages.length === 2);
        socket.close();
        assert.deepEqual([messages[0], lines().length], ['{"n":"x"}', 1]);
      },
      { responseChecks: "warn" },
    ));

  test("type the method of a bean", () => {
    const open = (ctx: WebSocketContext<typeof chat, "room">): unknown =>
      webSocket<typeof ctx>({ message: (socket, message) => void socket.send({ n: message.text.length }) })(ctx);
    assert.equal(typeof open, "function");
  });

  test("are an error for a route that is not a WebSocket", () =>
    serving(
      (app) =>
        assert.throws(() => app.get("/a", chat, () => 1), {
          code: "ROUTE_OPTIONS",
          message: "GET /a has the messages of a WebSocket: app.ws(path, { incoming, outgoing }, …)",
        }),
      async () => undefined,
    ));
});
