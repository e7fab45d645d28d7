/** The figures of the process: what makes each of them move. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { collectGarbage, until } from "../../testing/harness.testkit.ts";
import { type RuntimeMetrics, RuntimeMonitor } from "./runtime-metrics.ts";

/** Keeps the event loop busy. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe("RuntimeMonitor", () => {
  let monitor: RuntimeMonitor;
  beforeEach(() => (monitor = new RuntimeMonitor(() => 7)));
  afterEach(() => monitor.stop());

  test("reads what is known at once", () => {
    const { cpuSeconds, memoryBytes, openConnections, heapSpaces, processStartedAt } = monitor.read();
    assert.ok(cpuSeconds.user > 0 && memoryBytes.rss > memoryBytes.heapUsed && memoryBytes.heapUsed > 0);
    assert.ok(Math.abs(processStartedAt + process.uptime() - Date.now() / 1_000) < 1);
    assert.deepEqual([openConnections, heapSpaces.some(({ name }) => name === "old_space")], [7, true]);
  });

  test("a delay of the event loop is in every reading of the window", async () => {
    const late = (): number => monitor.read().eventLoopDelaySeconds?.max ?? 0;
    // Its first sample begins the measurement.
    await until(() => (block(150), late() > 0.1));
    assert.ok(late() > 0.1 && late() < 10);
    const { min, mean, p50, p90, p99, max } = monitor.read().eventLoopDelaySeconds ?? {};
    const ordered = [min, p50, p90, p99];
    assert.deepEqual(
      ordered.toSorted((a = 0, b = 0) => a - b),
      ordered,
    );
    assert.ok(mean !== undefined && max !== undefined && mean < max);
  });

  test("a busy loop has a utilization near 1", async () => {
    const before = monitor.read();
    block(200);
    await new Promise(setImmediate);
    const { eventLoopUtilization = 0, eventLoopSeconds } = monitor.read();
    assert.ok(eventLoopUtilization > 0.5 && eventLoopUtilization <= 1, String(eventLoopUtilization));
    const active = ({ eventLoopSeconds: seconds }: RuntimeMetrics): number => seconds?.active ?? 0;
    assert.ok((eventLoopSeconds?.active ?? 0) - active(before) >= 0.19);
  });

  test("counts each pause of the garbage collection by its kind, and tells the listeners", async () => {
    const heard: string[] = [];
    monitor.onGarbageCollection((kind, seconds) => void (seconds > 0 && heard.push(kind)));
    collectGarbage();
    await until(() => heard.includes("major"));
    const major = monitor.read().garbageCollections.find(({ kind }) => kind === "major");
    assert.equal(major?.seconds.buckets.at(-1)?.count, heard.filter((kind) => kind === "major").length);
    assert.ok((major?.seconds.sum ?? 0) > 0);
  });

  test("stops its timer and its listener", async () => {
    const heard: string[] = [];
    monitor.onGarbageCollection((kind) => void heard.push(kind));
    monitor.stop();
    const other = new RuntimeMonitor();
    collectGarbage();
    await until(() => other.read().garbageCollections.length > 0);
    other.stop();
    assert.deepEqual(heard, []);
  });
});
