import { deepEqual, equal, rejects } from "node:assert/strict";
import { describe, it } from "node:test";
import { work } from "../work.ts";
import { areWarm, measureList, rotated } from "./list.ts";
import { ownEntry } from "./server-process.ts";

const shape = { runs: 2, rounds: { least: 2, most: 2 }, warmMs: 20, measuredMs: 300, connections: 2 };
const host = () => ({ node: process.execPath, entry: ownEntry, pinned: false });
const module = (name: string): string => new URL(`../servers/${name}.js`, import.meta.url).href;

describe("rotated", () => {
  it("lets every member start once in as many rounds", () => {
    deepEqual(
      [0, 1, 2, 3].map((round) => rotated(["a", "b", "c"], round).join("")),
      ["abc", "bca", "cab", "abc"],
    );
  });
});

describe("areWarm", () => {
  const server = (...cpu: readonly number[]) => cpu.map((cpuUs) => ({ cpuUs, p99Ms: 1 }));
  const cases = {
    "nobody is before there was a round to compare with": [[server(9, 9, 9, 9, 9)], false],
    "whoever is as cheap as before is": [[server(90, 10, 12, 11, 10, 9.5, 30)], true],
    "whoever has just become cheaper is not": [[server(90, 40, 12, 11, 10, 9.5, 30)], false],
    "one that is not keeps all waiting": [[server(10, 10, 10, 10, 10, 10), server(30, 20, 20, 20, 20, 10)], false],
  } as const;
  for (const [title, [slices, expected]] of Object.entries(cases))
    it(title, () => {
      equal(areWarm(slices), expected);
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
