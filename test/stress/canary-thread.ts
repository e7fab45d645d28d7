/** The canary's threads: a client, and a minimal server on the same wire. See canary.ts. */
import { createServer } from "node:http";
import { createSecureServer, createServer as createHttp2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { certificate } from "../certificate.ts";
import { getOnce, type Wire } from "./wires.ts";

const { wire, port, everyMs } = workerData as { wire: Wire; port?: number; everyMs: number };
const counts = { times: [] as number[], failures: 0 };
const state = { isOver: false };
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
const tell = (message: unknown): void => parentPort?.postMessage(message);

async function ask(to: number): Promise<void> {
  while (!state.isOver) {
    const startedAt = performance.now();
    const status = await getOnce(wire, to, { path: "/canary" }).then(
      (response) => response.status,
      () => 0,
    );
    if (state.isOver) return;
    counts.times.push(performance.now() - startedAt);
    if (status !== 200) counts.failures += 1;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

function bareServer({ engine, isHttp2 }: Wire) {
  const ok = (_request: unknown, response: { end(text: string): unknown }): unknown => response.end("ok");
  if (engine === "tls") return createSecureServer({ ...certificate, allowHTTP1: true }, ok);
  return isHttp2 ? createHttp2Server(ok) : createServer(ok);
}

if (port === undefined) {
  const server = bareServer(wire);
  server.listen(0, "127.0.0.1", () => tell((server.address() as AddressInfo).port));
} else {
  parentPort?.on("message", () => {
    state.isOver = true;
    tell(counts);
  });
  void ask(port);
}
