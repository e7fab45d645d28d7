import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { quietHalf, quietRounds } from "./quiet.ts";

describe("quietRounds", () => {
  it("keeps the half in which all servers together were quickest, each by its own measure", () => {
    const cheap = [10, 30, 10, 11];
    const dear = [100, 100, 200, 101];
    deepEqual(quietRounds([cheap, dear]), [0, 3]);
  });

  it("keeps no round because one server was lucky in it", () => {
    deepEqual(
      quietRounds([
        [10, 10, 5],
        [20, 20, 60],
      ]),
      [0, 1],
    );
  });

  it("keeps the only round, and none of none", () => {
    deepEqual([quietRounds([[7]]), quietRounds([[], []]), quietRounds([])], [[0], [], []]);
  });
});

describe("quietHalf", () => {
  it("keeps the same rounds of every server, in their runs", () => {
    const slice = (cpuUs: number): { cpuUs: number; p99Ms: number; perSecond: number } => ({
      cpuUs,
      p99Ms: 1,
      perSecond: 1,
    });
    const measured = new Map([
      [
        "bare",
        [
          [slice(10), slice(19)],
          [slice(11), slice(18)],
        ],
      ],
      [
        "ours",
        [
          [slice(12), slice(30)],
          [slice(13), slice(31)],
        ],
      ],
    ]);
    const kept = Array.from(quietHalf(measured), ([name, runs]) => [
      name,
      runs.map((slices) => slices.map(({ cpuUs }) => cpuUs)),
    ]);
    deepEqual(kept, [
      ["bare", [[10], [11]]],
      ["ours", [[12], [13]]],
    ]);
  });
});
