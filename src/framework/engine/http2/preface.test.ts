/** The first bytes of a cleartext connection, in pieces of every size (ENGINE). */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { describe, it } from "node:test";
import { until } from "../../testing/harness.testkit.ts";
import { choosePrior } from "./preface.ts";

/** One connection: the choice, and how often its bytes were read. */
interface Connection {
  readonly client: Socket;
  readonly served: Socket;
  readonly outcome: (string | number)[];
  looks(): number;
  /** The bytes that the server has received, when there are that many. */
  received(bytes: number): Promise<string>;
}

/** A connection with a client that has sent nothing yet, during `use`. */
async function connected(use: (connection: Connection) => Promise<void>, withinMs = 60_000): Promise<void> {
  const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  const client = connect({ port: (server.address() as AddressInfo).port, noDelay: true });
  client.on("error", () => undefined);
  const [served] = await accepted;
  const outcome: (string | number)[] = [];
  const chunks: Buffer[] = [];
  let looks = 0;
  const count = (): void => {
    looks += 1;
    if (looks > 1_000) served.destroy(); // An endless loop would block the test, too.
  };
  served.on("readable", count);
  choosePrior(served, withinMs, {
    chosen(isHttp2) {
      outcome.push(isHttp2 ? "h2" : "1.1");
      served.off("readable", count).on("data", (chunk: Buffer) => void chunks.push(chunk));
    },
    unfinished: (status) => void outcome.push(status),
  });
  const text = (): string => Buffer.concat(chunks).toString("latin1");
  try {
    await use({
      client,
      served,
      outcome,
      looks: () => looks,
      async received(bytes) {
        await until(() => served.destroyed || text().length >= bytes);
        return text();
      },
    });
  } finally {
    client.destroy();
    served.destroy();
    server.close();
  }
}

/** Sends each piece after the one before has arrived. */
async function send({ client, served }: Connection, pieces: readonly string[]): Promise<void> {
  let sent = 0;
  for (const piece of pieces) {
    client.write(piece, "latin1");
    sent += piece.length;
    await until(() => served.destroyed || served.bytesRead >= sent);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const halves = (text: string): readonly (readonly string[])[] =>
  Array.from(text, (_, at) => [text.slice(0, at), text.slice(at)].filter((piece) => piece !== ""));

describe("choosePrior", () => {
  it("ENGINE-012: recognizes HTTP/2 by its preface, split at one byte or at every byte", async () => {
    for (const pieces of [...halves(preface), [...preface]])
      await connected(async (connection) => {
        await send(connection, pieces);
        assert.deepEqual([await connection.received(preface.length), connection.outcome], [preface, ["h2"]]);
      });
  });

  const methods = [
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "PATCH",
    "PROPFIND",
    "PRA",
    "PP",
    "QUERY",
    "DELETE",
    "\u0016\u0003\u0001",
  ];
  for (const method of methods)
    it(`ENGINE-012: recognizes HTTP/1.1 by ${JSON.stringify(method)}, split at one byte or at every byte`, async () => {
      const line = `${method} / HTTP/1.1\r\n`;
      for (const pieces of [...halves(line), [...line]])
        await connected(async (connection) => {
          await send(connection, pieces);
          assert.deepEqual([await connection.received(line.length), connection.outcome], [line, ["1.1"]]);
        });
    });

  for (const part of ["P", "PR"])
    it(`reads ${part} once for each byte, and not while none comes`, () =>
      connected(async (connection) => {
        await send(connection, [...part]);
        for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        assert.ok(connection.looks() <= part.length, `looked ${connection.looks()} times`);
        assert.deepEqual(connection.outcome, []);
        connection.client.write("OST");
        assert.equal(await connection.received(part.length + 3), `${part}OST`);
      }));

  for (const part of ["P", "PR"]) {
    it(`reports ${part} as unfinished when its client ends or sends no more`, async () => {
      await connected(async (connection) => {
        connection.client.end(part);
        await until(() => connection.outcome.length > 0);
        assert.deepEqual(connection.outcome, [400]);
      });
      await connected(async (connection) => {
        connection.client.write(part);
        await until(() => connection.outcome.length > 0);
        assert.deepEqual(connection.outcome, [408]);
      }, 20);
    });
  }

  it("cuts a client that ends or stays silent without a byte", async () => {
    await connected(async ({ client, served, outcome }) => {
      client.end();
      await until(() => served.destroyed);
      assert.deepEqual(outcome, []);
    });
    await connected(async ({ served, outcome }) => {
      await until(() => served.destroyed);
      assert.deepEqual(outcome, []);
    }, 20);
  });

  for (const [bytes, chosen] of [
    ["GET / HTTP/1.1\r\n", "1.1"],
    [preface, "h2"],
  ] as const)
    it(`ENGINE-012: reports nothing more about a connection after ${chosen} is chosen, when its client ends it`, () =>
      connected(async ({ client, served, outcome }) => {
        client.end(bytes);
        await until(() => served.readableEnded);
        assert.deepEqual(outcome, [chosen]);
      }));

  it("reports nothing more about a connection after it has closed", () =>
    connected(async ({ client, served, outcome }) => {
      client.write("P");
      await until(() => served.bytesRead === 1);
      client.resetAndDestroy();
      await until(() => served.destroyed);
      await new Promise((resolve) => setTimeout(resolve, 520));
      assert.deepEqual(outcome, []);
    }, 500));
});
