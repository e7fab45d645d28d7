import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { quietRounds } from "./quiet.ts";

describe("quietRounds", () => {
  it("keeps the share in which all servers together were quickest, each by its own measure", () => {
    const cheap = [10, 30, 10, 11];
    const dear = [100, 100, 200, 101];
    deepEqual(quietRounds([cheap, dear], 1 / 2), [0, 3]);
  });

  it("keeps no round because one server was lucky in it", () => {
    deepEqual(
      quietRounds(
        [
          [10, 10, 5],
          [20, 20, 60],
        ],
        1 / 2,
      ),
      [0, 1],
    );
  });

  it("keeps the only round, and none of none", () => {
    deepEqual([quietRounds([[7]], 1 / 2), quietRounds([[], []], 1 / 2), quietRounds([], 1 / 2)], [[0], [], []]);
  });
});
