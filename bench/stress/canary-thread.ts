/** The canary's thread: see canary.ts. */
import { get } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

const { port, path, everyMs } = workerData as { port: number; path: string; everyMs: number };
const times: number[] = [];
let failures = 0;
let isOver = false;

function ask(): void {
  if (isOver) return;
  const startedAt = performance.now();
  const again = (isGood: boolean): void => {
    if (isOver) return;
    times.push(performance.now() - startedAt);
    if (!isGood) failures += 1;
    setTimeout(ask, everyMs);
  };
  get({ port, host: "127.0.0.1", path, agent: false }, (response) => {
    response.resume().once("end", () => again(response.statusCode === 200));
    response.once("error", () => again(false));
  }).once("error", () => again(false));
}

parentPort?.on("message", () => {
  isOver = true;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage({ times, failures });
});
ask();
