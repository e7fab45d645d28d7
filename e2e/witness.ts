/**
 * A proxy between browser and application that records requests and responses. A browser hides blocked responses from its page,
 * and from the tool that drives it.
 *
 *   browser ──bytes──▶ witness ──bytes──▶ application        seen: "GET /framework/dev/api/graph 403"
 */
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** A running witness. */
export interface Witness {
  readonly port: number;
  /** Method, target and status of each completed request, in the order of the responses. */
  readonly seen: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Listens on a free port and passes everything on to `port`. */
export async function startWitness(port: number): Promise<Witness> {
  const seen: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((browser) => {
    const application = connect(port, "127.0.0.1");
    const asked: string[] = [];
    for (const socket of [browser, application]) {
      open.add(socket);
      socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket));
    }
    browser.on("data", (bytes: Buffer) => {
      for (const [, what] of bytes.toString("latin1").matchAll(/^([A-Z]+ \S+) HTTP\/1\.1\r$/gm)) asked.push(what ?? "");
    });
    application.on("data", (bytes: Buffer) => {
      const heads = bytes.toString("latin1").matchAll(/^HTTP\/1\.1 (\d{3}) /gm);
      for (const [, status] of heads) seen.push(`${asked.shift()} ${status}`);
    });
    browser.pipe(application).pipe(browser);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const stop = async (): Promise<void> => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, "close");
  };
  return { port: (server.address() as AddressInfo).port, seen, stop };
}
