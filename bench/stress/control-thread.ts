/** A bare server that does nothing, on a thread of its own: how slow it answers is how busy the machine is. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";

const server = createServer((_request, response) => response.end("ok"));
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));
