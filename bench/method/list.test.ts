import { deepEqual, equal, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import { work } from "../work.ts";
import { isWarm, maxAlive, measureList, ordered, together } from "./list.ts";
import { ownEntry } from "./server-process.ts";

const shape = {
  runs: 2,
  warming: { measuredMs: 20, rounds: 2 },
  rounds: 2,
  warmMs: 20,
  measuredMs: 300,
  connections: 2,
};

/** How many texts there are, and how often they occur. */
function tally(texts: readonly string[]): [number, ReadonlySet<number>] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [counts.size, new Set(counts.values())];
}

const host = () => ({ node: process.execPath, entry: ownEntry, pinned: false });
const module = (name: string): string => new URL(`../servers/${name}.js`, import.meta.url).href;

describe("ordered", () => {
  for (let members = 2; members <= maxAlive; members += 1)
    it(`has each of ${members} come in every place and right behind every other equally often`, () => {
      const list = Array.from({ length: members }, (_, member) => member);
      const rounds = Array.from({ length: 2 * members }, (_, round) => ordered(list, round));
      const places = rounds.flatMap((order) => order.map((member, place) => `${member} at ${place}`));
      const pairs = rounds.flatMap((order) => order.slice(1).map((to, at) => `${to} behind ${order[at]}`));
      deepEqual(tally(places), [members * members, new Set([2])]);
      deepEqual(tally(pairs), [members * (members - 1), new Set([2])]);
    });
});

describe("isWarm", () => {
  const cases = {
    "nobody is before there was a round to compare with": [[9, 9, 9, 9, 9], false],
    "whoever is as cheap as before is": [[90, 10, 12, 11, 10, 9.5, 30], true],
    "whoever has just become cheaper is not": [[90, 40, 12, 11, 10, 9.5, 30], false],
  } as const;
  for (const [title, [cpuUs, expected]] of Object.entries(cases))
    it(title, () => {
      equal(isWarm(cpuUs), expected);
    });
});

describe("together", () => {
  it("is the runs of both, by server", () => {
    const of = (cpuUs: number) => [[{ cpuUs, p99Ms: 1 }]];
    const both = together(new Map([["bare", of(1)]]), new Map([["bare", of(2)]]));
    deepEqual([...both], [["bare", [...of(1), ...of(2)]]]);
  });
});

describe("measureList", () => {
  it("gives a slice for every server, run and round", async () => {
    const contenders = [
      { name: "bare", module: module("bare"), work: work() },
      { name: "ours", module: module("ours"), work: work() },
    ];
    const measured = await measureList(contenders, host, shape);
    const seen = [...measured].map(([name, runs]) => [name, runs.map((run) => run.map(({ cpuUs }) => cpuUs > 0))]);
    const all = [
      [true, true],
      [true, true],
    ];
    deepEqual(seen, [
      ["bare", all],
      ["ours", all],
    ]);
  });

  it("measures nobody whose answer differs", async () => {
    const other = { name: "other", module: module("bare"), work: { ...work(), use: ["cors" as const] } };
    await rejects(
      measureList([other], host, shape),
      /^Error: other answers GET \/hello with Access-Control-Allow-Origin undefined, not \*$/,
    );
  });

  it("says so when a server does not start", async () => {
    const absent = { name: "absent", module: module("absent"), work: work() };
    await rejects(measureList([absent], host, shape), /ended with 1 before it listened/);
  });

  it("refuses more servers than may be alive", async () => {
    const one = { name: "bare", module: module("bare"), work: work() };
    await rejects(
      measureList(
        Array.from({ length: 9 }, () => one),
        host,
        shape,
      ),
      /at most 8 may be alive/,
    );
  });
});
