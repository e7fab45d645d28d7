/**
 * Servers that identify themselves as a subject and then misbehave: no exchange with them ends on its own. The suite must
 * end anyway.
 */
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { setTimeout as later } from "node:timers/promises";

const about = JSON.stringify({
  implementation: "hostile",
  version: "1",
  engine: "sockets",
  profile: "default",
  features: ["devtools"],
});

/** Handles a connection after its request. It may write anything for any time. */
type Attack = (socket: Socket) => void;

const every = (socket: Socket, ms: number, write: () => void): void => {
  const timer = setInterval(write, ms);
  socket.on("close", () => clearInterval(timer));
};

/** Writes as fast as the client reads, forever. */
const flood = (socket: Socket, chunk: string): void => {
  const write = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on("drain", write);
  write();
};

const head = (...lines: readonly string[]): string => `HTTP/1.1 200 OK\r\n${lines.join("\r\n")}\r\n\r\n`;
const chunked = head("Content-Type: application/json", "Transfer-Encoding: chunked");
const events = head("Content-Type: text/event-stream", "Connection: close");

/** The attacks, by a readable name. */
export const attacks: Readonly<Record<string, Attack>> = {
  "begins a response and never ends it": (socket) => socket.write(`${chunked}1\r\n[\r\n`),
  "sends a byte at a time": (socket) => {
    socket.write(chunked);
    every(socket, 50, () => socket.write("1\r\n \r\n"));
  },
  "closes in the middle of a body": (socket) => socket.end(`${head("Content-Length: 100")}[1,`),
  "sends headers for ever": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    every(socket, 10, () => socket.write("X-More: and more\r\n"));
  },
  "sends headers as fast as they are read": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    flood(socket, `X-More: ${"more ".repeat(2_000)}\r\n`);
  },
  "sends a body of a gigabyte": (socket) => {
    socket.write(head("Content-Length: 1073741824"));
    flood(socket, " ".repeat(65_536));
  },
  "sends events for ever": (socket) => {
    socket.write(events);
    flood(socket, "data: {}\n\n".repeat(1_000));
  },
  "sends interim responses for ever": (socket) => flood(socket, "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(100)),
  "sends a length that is no number": (socket) => socket.write(`${head("Content-Length: -5")}[1,2,3]`),
  "takes the request and says nothing": () => undefined,
};

/** A listening hostile server. */
export interface HostileServer {
  readonly url: string;
  /** Stops listening. Returns the number of connections that its clients have not closed within two seconds. */
  stop(): Promise<number>;
}

/** Starts one on a free port of the loopback, with an attack for each connection. It identifies itself without an attack. */
export async function startHostile(attackOf: () => Attack): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    socket.once("data", (bytes) => {
      if (!bytes.toString("latin1").startsWith("GET /__subject/about ")) return attackOf()(socket);
      const type = "Content-Type: application/json";
      return socket.end(`${head(type, `Content-Length: ${about.length}`, "Connection: close")}${about}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const none = new Promise<number>((resolve) => server.close(() => resolve(0)));
      const some = later(2_000, undefined, { ref: false }).then(() => sockets.size);
      const open = await Promise.race([none, some]);
      for (const socket of sockets) socket.destroy();
      return open;
    },
  };
}
