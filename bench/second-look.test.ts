import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Judged } from "./evaluate.ts";
import { listsOf } from "./lists.ts";
import { cellOf } from "./method/stats.ts";
import { rows } from "./rows.ts";
import { doubtful } from "./second-look.ts";

/** Every row met, but for those named, and those behind Fastify. */
function judged(short: readonly string[], behind: readonly string[] = []): readonly Judged[] {
  const ours = cellOf([[1]]);
  return rows.map(({ id, title, unit, is, target }) => ({
    ...{ id, title, unit, is, target: target.older, ours, tolerance: 0, peers: {} },
    verdict: short.includes(id) ? "short" : "target",
    fastify: { is, target: 1, ours, verdict: behind.includes(id) ? "short" : "hand-written" },
  }));
}
const again = (short: readonly string[], behind?: readonly string[]) =>
  doubtful(judged(short, behind), [...listsOf("usual"), { id: "hello#2", contenders: [] }]).map(({ id }) => id);

describe("doubtful", () => {
  const cases = {
    "nothing when every row is met": [[], [], []],
    "all parts of a row's list": [["hello"], [], ["hello", "hello#2"]],
    "the list of a row that is behind Fastify": [[], ["stack"], ["stack"]],
    "one list for two rows": [["traced", "p99"], [], ["traced"]],
    "every list of a feature's own cost": [["own-id"], [], ["alone-ours", "alone-hand", "alone-fastify"]],
    "the list of a growth": [["growth-traces"], [], ["traces"]],
    "no list for what no list measures": [["startMs", "bean-idle"], [], []],
  } as const;
  for (const [title, [short, behind, expected]] of Object.entries(cases))
    it(`names ${title}`, () => {
      deepEqual(again(short, behind), expected);
    });
});
