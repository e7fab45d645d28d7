/** Turns: how much runs in each turn of the event loop, and in which order (ENGINE). */
import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import { Turns } from "./turns.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("Turns", () => {
  it("runs a limited number of jobs each turn, in their order, later ones after the waiting", async () => {
    const turns = new Turns(2);
    const ran: number[] = [];
    const add = (...jobs: readonly number[]): void => {
      for (const job of jobs) turns.run(() => void ran.push(job));
    };
    add(1, 2, 3, 4, 5);
    deepEqual(ran, [1, 2]);
    await turn();
    deepEqual(ran, [1, 2, 3, 4]);
    add(6);
    deepEqual(ran, [1, 2, 3, 4]);
    await turn();
    deepEqual(ran, [1, 2, 3, 4, 5, 6]);
    await turn();
    add(7, 8, 9);
    deepEqual(ran, [1, 2, 3, 4, 5, 6, 7, 8]);
    await turn();
    equal(ran.length, 9);
  });

  it("runs a job added by a job after the waiting ones", async () => {
    const turns = new Turns(2);
    const ran: number[] = [];
    for (const job of [1, 2, 3, 4])
      turns.run(() => {
        ran.push(job);
        if (job === 3) turns.run(() => void ran.push(5));
      });
    await turn();
    await turn();
    deepEqual(ran, [1, 2, 3, 4, 5]);
  });

  it("waits for no turn when nothing ran in the one before", ({ mock }) => {
    const scheduled: (() => void)[] = [];
    mock.method(globalThis, "setImmediate", (run: () => void) => scheduled.push(run));
    const turns = new Turns(1);
    turns.run(() => undefined);
    turns.run(() => undefined);
    for (let at = 0; at < scheduled.length && at < 10; at += 1) scheduled[at]?.();
    equal(scheduled.length, 2);
  });

  it("does not count a job that returns false", async () => {
    const turns = new Turns(1);
    const ran: number[] = [];
    for (let job = 0; job < 1_000; job += 1)
      turns.run(() => {
        ran.push(job);
        return job % 500 === 0;
      });
    equal(ran.length, 1);
    await turn();
    equal(ran.length, 501);
    await turn();
    equal(ran.length, 1_000);
  });

  it("runs a hundred thousand in time", async () => {
    const turns = new Turns(100);
    const ran: number[] = [];
    for (let job = 0; job < 100_000; job += 1) turns.run(() => void ran.push(job));
    while (ran.length < 100_000) await turn();
    equal(ran.at(-1), 99_999);
  });
});
