import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Judged } from "./evaluate.ts";
import { listsOf } from "./lists.ts";
import { everything, furtherLook } from "./looks.ts";
import { cellOf } from "./method/stats.ts";
import { rows } from "./rows.ts";

/** Every row met, but for those named, and those behind Fastify. */
function judged(short: readonly string[], behind: readonly string[] = []): readonly Judged[] {
  const ours = cellOf([[1]]);
  return rows.map(({ id, title, unit, is, target }) => ({
    ...{ id, title, unit, is, target: target.older, ours, tolerance: 0, peers: {} },
    verdict: short.includes(id) ? "short" : "target",
    fastify: { is, target: 1, ours, verdict: behind.includes(id) ? "short" : "hand-written" },
  }));
}
const lists = [...listsOf("usual"), { id: "hello#2", contenders: [] }];

/** What is looked at once more, by name. */
function again(short: readonly string[], behind?: readonly string[]): readonly string[] {
  const look = furtherLook(judged(short, behind), lists);
  if (look === undefined) return [];
  const servers = look.footprints.map(({ name }) => `start of ${name}`);
  return [...look.lists.map(({ id }) => id), ...servers, ...(look.micro ? ["parts"] : [])];
}

const starts = ["bare", "twin", "ours", "fastify", "hono"].map((name) => `start of ${name}`);

describe("furtherLook", () => {
  const cases = {
    "nothing when every row is met": [[], [], []],
    "all parts of a row's list": [["hello"], [], ["hello", "hello#2"]],
    "the list of a row that is behind Fastify": [[], ["stack"], ["stack"]],
    "one list for two rows": [["traced", "p99"], [], ["traced"]],
    "every list of a feature's own cost": [["own-id"], [], ["alone-ours", "alone-hand", "alone-fastify"]],
    "the list of a growth": [["growth-traces"], [], ["traces"]],
    "start and memory where no list is behind them": [["startMs"], [], starts],
    "the parts for the cost of a call": [["bean-idle"], [], ["parts"]],
    "all kinds at once": [["health", "rssMb"], ["bean-recorded"], ["health", ...starts, "parts"]],
  } as const;
  for (const [title, [short, behind, expected]] of Object.entries(cases))
    it(`is at ${title}`, () => {
      deepEqual(again(short, behind), expected);
    });
  it("is no look when every row is met", () => {
    deepEqual(furtherLook(judged([]), lists), undefined);
  });
});

describe("everything", () => {
  it("is all lists, the start of plain servers, and the parts", () => {
    const { footprints, ...rest } = everything(lists);
    deepEqual(rest, { lists, micro: true });
    deepEqual(footprints.map(({ name }) => `start of ${name}`).toSorted(), starts.toSorted());
  });
});
