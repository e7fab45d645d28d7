import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CheckRunner, type CheckResult, type HealthCheck } from "./health-checks.ts";

const forever = (): Promise<boolean> => new Promise(() => undefined);

async function outcome(check: HealthCheck, timeoutMs = 20): Promise<Omit<CheckResult, "durationUs">> {
  const { durationUs, ...rest } = await new CheckRunner(check, timeoutMs, 0).result();
  assert.ok(Number.isInteger(durationUs) && durationUs >= 0);
  return rest;
}

/** Results that a check in plain JavaScript may have. */
const wrong = (value: unknown): HealthCheck => (() => value) as HealthCheck;

describe("CheckRunner", () => {
  for (const [name, check] of Object.entries({
    "returns true": () => true,
    "returns nothing": () => undefined,
    "resolves to true": () => Promise.resolve(true),
    "resolves to nothing": () => Promise.resolve(),
  } satisfies Record<string, HealthCheck>)) {
    test(`counts a check that ${name} as up`, async () => assert.deepEqual(await outcome(check), { status: "UP" }));
  }

  for (const [name, [check, error]] of Object.entries({
    "returns false": [() => false, "returned false"],
    throws: [
      () => {
        throw new Error("rejected");
      },
      "rejected",
    ],
    rejects: [() => Promise.reject(new Error("rejected")), "rejected"],
    "rejects with nothing": [() => Promise.reject(), "undefined"],
    "resolves to false": [() => Promise.resolve(false), "returned false"],
    hangs: [forever, "timed out after 20 ms"],
    "returns a string": [wrong("UP"), "returned string, not a boolean"],
    "returns null": [wrong(null), "returned object, not a boolean"],
    "has a then that throws": [
      wrong({
        get then() {
          throw new Error("boo");
        },
      }),
      "boo",
    ],
  } satisfies Record<string, [HealthCheck, string]>)) {
    test(`counts a check that ${name} as down`, async () =>
      assert.deepEqual(await outcome(check), { status: "DOWN", error }));
  }

  test("starts a check once for all simultaneous requests, and again after that", async () => {
    let starts = 0;
    let finish = (_up: boolean): void => undefined;
    const runner = new CheckRunner(
      () => {
        starts += 1;
        return new Promise<boolean>((resolve) => (finish = resolve));
      },
      1_000,
      0,
    );
    const asked = Array.from({ length: 1_000 }, () => runner.result());
    finish(true);
    const results = await Promise.all(asked);
    assert.deepEqual([starts, results.every(({ status }) => status === "UP")], [1, true]);
    void runner.result();
    assert.equal(starts, 2);
    finish(true);
  });

  test("aborts the signal of a run that it gives up, and ignores its late result", async () => {
    const signals: AbortSignal[] = [];
    const late: ((up: boolean) => void)[] = [];
    const runner = new CheckRunner(
      (signal) => {
        signals.push(signal);
        return new Promise<boolean>((resolve) => late.push(resolve));
      },
      10,
      60_000,
    );
    assert.equal((await runner.result()).status, "DOWN");
    assert.equal(signals[0]?.aborted, true);
    late[0]?.(true);
    await new Promise((done) => setImmediate(done));
    assert.equal((await runner.result()).status, "DOWN");
  });

  test("does not abort the signal of a run that ended in time", async () => {
    const signals: AbortSignal[] = [];
    const runner = new CheckRunner(async (signal) => void signals.push(signal), 10, 0);
    await runner.result();
    await new Promise((done) => setTimeout(done, 25));
    assert.deepEqual(
      signals.map((signal) => signal.aborted),
      [false],
    );
  });

  test("is not started again while a run that was given up has not ended, and immediately when it has", async () => {
    const settle: (() => void)[] = [];
    const runner = new CheckRunner(() => new Promise<void>((resolve) => settle.push(resolve)), 50, 0);
    const first = await runner.result();
    const asked = await Promise.all(Array.from({ length: 1_000 }, () => runner.result()));
    assert.deepEqual(
      [settle.length, first.status, asked.every(({ error }) => error === "not started: an earlier run has not ended")],
      [1, "DOWN", true],
    );
    settle[0]?.();
    await new Promise((done) => setImmediate(done));
    const second = runner.result();
    settle[1]?.();
    assert.deepEqual([settle.length, (await second).status], [2, "UP"]);
  });

  test("is DOWN without being started while a run that was given up has not ended", async (t) => {
    t.mock.method(performance, "now", () => 0);
    let starts = 0;
    const runner = new CheckRunner(() => ((starts += 1) === 1 ? Promise.resolve() : forever()), 1, 0);
    await runner.result();
    await runner.result();
    const notStarted = { status: "DOWN", durationUs: 0, error: "not started: an earlier run has not ended" };
    assert.deepEqual([runner.result(), starts], [notStarted, 2]);
  });

  test("has no age and no number before its first result", () => {
    const runner = new CheckRunner(() => true, 1, 0);
    assert.deepEqual([runner.ageMs, runner.results], [0, 0]);
  });

  test("starts again after thirty timeouts, then sixty, when no run ever ends", async (t) => {
    let starts = 0;
    let now = 0;
    t.mock.method(performance, "now", () => now);
    const runner = new CheckRunner(() => ((starts += 1), forever()), 1, 0);
    const startsAt = async (time: number): Promise<number> => {
      now = time;
      await runner.result();
      return starts;
    };
    assert.deepEqual(
      [await startsAt(0), await startsAt(29), await startsAt(30), await startsAt(89), await startsAt(90)],
      [1, 1, 2, 2, 3],
    );
  });

  test("reuses a result for the cache time and not longer", async (t) => {
    let starts = 0;
    let now = 1_000;
    t.mock.method(performance, "now", () => now);
    const runner = new CheckRunner(
      () => {
        starts += 1;
      },
      10,
      500,
    );
    void runner.result();
    now += 499;
    const cached = runner.result();
    now += 1;
    void runner.result();
    assert.deepEqual([starts, cached instanceof Promise], [2, false]);
  });
});
