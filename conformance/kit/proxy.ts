/**
 * Puts a mutant between suite and subject, on the bytes of the connection: requests pass untouched, however
 * broken they are, and responses are read, rewritten and sent on.
 *
 *   suite ──bytes──▶ subject
 *   suite ◀─rewrite─ responses, whole │ streams, item by item
 *
 * A response that the mutant leaves alone is sent on byte for byte.
 */
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { ResponseRelay } from "./relay.ts";
import type { Mutant } from "./mutant.ts";
import { MessageReader, requestFraming, requestLine } from "./message-reader.ts";
import { sent, type Sent } from "./exchange.ts";

/** A running proxy. */
export interface Proxy {
  readonly url: URL;
  close(): Promise<void>;
}

/** Listens on a free port of the loopback and stands in for `upstream`. */
export async function proxyFor(upstream: URL, mutant: Pick<Mutant, "rewrite" | "rewriteItem">): Promise<Proxy> {
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const subject = connect({ port: Number(upstream.port), host: upstream.hostname, allowHalfOpen: true });
    for (const socket of [client, subject]) {
      open.add(socket);
      socket.on("error", () => {
        client.destroy();
        subject.destroy();
      });
      socket.on("close", () => open.delete(socket));
    }
    join(client, subject, mutant);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function join(client: Socket, subject: Socket, mutant: Pick<Mutant, "rewrite" | "rewriteItem">): void {
  const requests: Sent[] = [];
  const reader = requestReader(requests);
  const relay = new ResponseRelay(client, subject, requests, mutant);
  client.on("data", (bytes) => {
    reader.push(bytes);
    subject.write(bytes);
  });
  client.on("end", () => subject.end());
  client.on("close", () => subject.destroy());
  subject.on("data", (bytes) => relay.push(bytes));
  subject.on("end", () => relay.finish());
}

/** Notes each request as soon as its head is there: a response may come before the body. */
function requestReader(requests: Sent[]): MessageReader {
  let body: Buffer[] = [];
  return new MessageReader({
    head(head) {
      const { method, target } = requestLine(head.start);
      body = [];
      const parts = body;
      const request = sent(method, target, head.headers);
      Object.defineProperty(request, "body", { get: () => Buffer.concat(parts).toString("utf8"), enumerable: true });
      requests.push(request);
      return requestFraming(head);
    },
    body: (data) => body.push(data),
    end: () => {},
  });
}
