/**
 * Servers for clients of PostgreSQL and Redis within the process of the test.
 *
 *   pg, postgres.js ──▶ socket ──▶ one message after the other ──▶ PGlite, the real PostgreSQL as WebAssembly
 *   node-redis ──▶ socket ──▶ a Map, for the few commands that the tests send
 *
 * conformance/watched-clients.test.ts has the real servers.
 */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { PGlite } from "@electric-sql/pglite";

/** A server, and how to end it. */
export interface TestServer {
  readonly port: number;
  close(): Promise<void>;
}

async function listening(connected: (socket: Socket) => void): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    connected(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return { port: (server.address() as AddressInfo).port, close };
}

/** A PostgreSQL without concurrent transactions, since all connections share one session. */
export async function postgresServer(): Promise<TestServer> {
  const database = await PGlite.create();
  const { port, close } = await listening((socket) => {
    let [rest, isFirst, working] = [Buffer.alloc(0), true, Promise.resolve()];
    const send = async (message: Uint8Array): Promise<void> => {
      const reply = await database.execProtocolRaw(message);
      if (!socket.destroyed) socket.write(reply);
    };
    socket.on("data", (data: Buffer) => {
      rest = Buffer.concat([rest, data]);
      for (;;) {
        // The first message has no type. The length counts itself.
        const at = isFirst ? 0 : 1;
        const size = rest.length >= at + 4 ? at + rest.readUInt32BE(at) : Number.POSITIVE_INFINITY;
        if (rest.length < size) return;
        const message = Uint8Array.prototype.slice.call(rest, 0, size);
        rest = rest.subarray(size);
        if (!isFirst && message[0] === 0x58) return void socket.end();
        isFirst = false;
        working = working.then(() => send(message)).catch(() => void socket.destroy());
      }
    });
  });
  return { port, close: () => close().then(() => database.close()) };
}

/** A Redis with GET, SET and MULTI. Any other command is an error. */
export const redisServer = (): Promise<TestServer> =>
  listening((socket) => {
    const values = new Map<string, string>();
    let queued: string[][] | undefined;
    const replyTo = ([name = "", key = "", value = ""]: readonly string[]): string => {
      const found = values.get(key);
      if (name === "GET") return found === undefined ? "$-1\r\n" : `$${found.length}\r\n${found}\r\n`;
      if (name !== "SET") return `-ERR unknown command '${name}'\r\n`;
      values.set(key, value);
      return "+OK\r\n";
    };
    const handle = (command: string[]): string => {
      const [name] = command;
      if (name === "CLIENT") return "+OK\r\n";
      if (name === "MULTI") return ((queued = []), "+OK\r\n");
      if (name === "EXEC" && queued !== undefined) {
        const replies = queued.map(replyTo);
        queued = undefined;
        return `*${replies.length}\r\n${replies.join("")}`;
      }
      return queued === undefined ? replyTo(command) : (queued.push(command), "+QUEUED\r\n");
    };
    let rest = "";
    socket.setEncoding("utf8").on("data", (data: string) => {
      rest += data;
      for (;;) {
        const parts = rest.split("\r\n");
        const size = 1 + 2 * Number(parts[0]?.slice(1));
        if (!(parts.length > size)) return;
        rest = parts.slice(size).join("\r\n");
        socket.write(handle(parts.slice(2, size + 1).filter((_, at) => at % 2 === 0)));
      }
    });
  });
