import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Judged } from "../evaluate.ts";
import { cellOf } from "../method/stats.ts";
import { bar, doubts } from "./table.ts";

describe("bar", () => {
  it("tells direction and unit, and of a target that fits the machine three digits", () => {
    deepEqual(
      [bar("atLeast", 0.97, "×"), bar("atMost", 26.27391, "ns"), bar("atMost", 2_500, "ns")],
      ["≥ 0.97", "≤ 26.3 ns", "≤ 2500 ns"],
    );
  });
});

describe("doubts", () => {
  const row = (unit: Judged["unit"], tolerance: number): Judged => ({
    ...{ id: "a", title: "a", unit, is: "atLeast", target: 1, tolerance, verdict: "target", peers: {} },
    ours: cellOf([[1]]),
  });

  it("counts the rows whose control proves nothing", () => {
    const said = (...rows: readonly Judged[]): string | undefined =>
      /more than 10 % in (.+),/.exec(doubts(rows) ?? "")?.[1];
    deepEqual([said(row("×", 0.11), row("×", 0.09)), said(row("×", 0.2), row("×", 0.3))], ["one row", "2 rows"]);
  });

  it("has none while controls stay put, whatever they stray by in other units", () => {
    equal(doubts([row("×", 0.1), row("ns", 40)]), undefined);
  });
});
