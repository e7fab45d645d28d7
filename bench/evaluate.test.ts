import { deepEqual, equal, throws } from "node:assert/strict";
import { describe, it } from "node:test";
import { evaluate, outcomeOf } from "./evaluate.ts";
import { footprintOf, listsOf } from "./lists.ts";
import { ordered } from "./method/list.ts";
import { cellOf, difference, isSlower, onTop, quantile, quotient, strays, type Values } from "./method/stats.ts";
import { tableOf, withTable } from "./report.ts";
import { parts, rows } from "./rows.ts";
import { work } from "./work.ts";

const cost: Readonly<Record<string, number>> = { ours: 12.5, hand: 12, fastify: 25, log: 12, on: 20, many: 10.5 };
const flat = (value: number): Values => [
  [value, value],
  [value, value],
];
const valuesOf = (names: readonly string[]): ReadonlyMap<string, Values> =>
  new Map(names.map((name) => [name, flat(cost[name] ?? 10)]));
const lists = [
  ...listsOf("usual"),
  ...["startMs", "routesMs", "rssMb", "connectionKb", "loadedMb"].map((id) => ({
    id,
    contenders: footprintOf(work()),
  })),
];
const samples = new Map([
  ...lists.map(({ id, contenders }) => [id, valuesOf(contenders.map(({ name }) => name))] as const),
  ["traced-p99", valuesOf(["bare", "bare-twin", "ours", "hand", "fastify"])] as const,
  ["http2-p99", valuesOf(["bare", "bare-twin", "ours", "fastify"])] as const,
  ["calls", valuesOf(["direct", "direct-twin", "idle"])] as const,
  ["requests", valuesOf(["direct", "direct-twin", "recorded"])] as const,
  ["tools", valuesOf(["request", "request-twin", "call"])] as const,
]);

describe("evaluate", () => {
  const lines = evaluate(samples, 20, parts);
  const line = (id: string) => lines.find((candidate) => candidate.row.id === id);

  it("has a line for every row, and none without samples", () => {
    deepEqual(
      lines.map(({ row }) => row.id),
      rows.map(({ id }) => id),
    );
    throws(() => evaluate(new Map(), 20, parts), /the row hello was not measured/);
  });

  it("leaves out the rows of a list that broke off, and no others", () => {
    const rest = new Map([...samples].filter(([id]) => !id.startsWith("traced")));
    deepEqual(
      evaluate(rest, 20, parts, ["traced"]).map(({ row }) => row.id),
      rows.filter(({ list }) => !list.startsWith("traced")).map(({ id }) => id),
    );
    throws(() => evaluate(rest, 20, parts, ["socket"]), /the row traced was not measured/);
  });

  it("divides bare by ours, by the hand-written baseline and by every peer in the same way", () => {
    const { cells, overHand, overFastify } = line("stack") ?? {};
    deepEqual(
      ["ours", "hand", "fastify"].map((name) => cells?.get(name)?.median.toFixed(2)),
      ["0.80", "0.83", "0.40"],
    );
    deepEqual([overHand?.median.toFixed(2), overFastify?.median], ["0.96", 2]);
  });

  it("calls no figure reached or short if it is closer to its target than the control deviates", () => {
    deepEqual(
      [outcomeOf(0.1, 0.02), outcomeOf(-0.01, 0.02), outcomeOf(0.01, 0.02), outcomeOf(-0.1, 0.02)],
      ["reached", "too close to tell", "too close to tell", "short"],
    );
    deepEqual([line("stack")?.outcome, line("own-id")?.outcome], ["reached", "reached"]);
  });

  it("prints a column for the hand-written baseline and for each peer, and replaces the earlier table", () => {
    const table = tableOf(lines);
    const head = table.split("\n")[0] ?? "";
    deepEqual(head.split(" | ").slice(4), [
      "hand-written",
      "ours ÷ hand-written",
      "ours ÷ Fastify",
      "fastify",
      "hono |",
    ]);
    equal(table.split("\n").length, rows.length + 2);
    const page = withTable("a\n<!-- written by make bench -->\n\nold\n\n<!-- end -->\nz", table);
    deepEqual(
      [page.includes("old"), page.includes(table), page.startsWith("a\n"), page.endsWith("\nz")],
      [false, true, true, true],
    );
    throws(() => withTable("no place", table), /the page has no <!-- written by make bench -->/);
  });
});

describe("the arithmetic", () => {
  it("interpolates quantiles for values in any order, and rejects an empty list", () => {
    deepEqual(
      [0, 0.25, 0.5, 1].map((q) => quantile([4, 1, 3, 2], q)),
      [1, 1.75, 2.5, 4],
    );
    throws(() => quantile([], 0.5), RangeError);
  });

  it("pairs two servers round by round, so that a busy moment of both cancels out", () => {
    const [busy, twice] = [[[10, 40, 10]], [[20, 80, 20]]];
    deepEqual([quotient(twice, busy).median, difference(twice, busy).high, onTop(twice, busy).median], [2, 25, 10]);
  });

  it("measures how far the runs of a twin deviate, in either direction", () => {
    equal(strays(cellOf([[1.02], [0.96], [1]]), 1).toFixed(6), "0.020000");
  });

  it("calls a server slower by the median and most runs, not by one lucky or unlucky run", () => {
    deepEqual(
      [isSlower(cellOf([[1.1], [1.1], [1.1]])), isSlower(cellOf([[1], [1], [9]])), isSlower(cellOf([[1.04]]))],
      [true, false, false],
    );
  });

  it("puts every server in every place, and after every other one, equally often", () => {
    for (const size of [2, 3, 6, 7, 8]) {
      const servers = Array.from({ length: size }, (_, at) => at);
      const pairs = new Map<string, number>();
      for (let round = 0; round < size * 2; round += 1)
        ordered(servers, round).forEach((server, at, all) => {
          if (at > 0) pairs.set(`${all[at - 1]} ${server}`, (pairs.get(`${all[at - 1]} ${server}`) ?? 0) + 1);
        });
      deepEqual([pairs.size, new Set(pairs.values()).size], [size * (size - 1), 1]);
    }
  });
});
