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
  const row = (unit: Judged["unit"], tolerance: number, reached = 0.95): Judged => ({
    ...{ id: "a", title: "a", unit, is: "atLeast", target: 1, tolerance, verdict: "target", peers: {} },
    ours: cellOf([[reached]]),
  });

  it("counts the rows that lean on a control which proves nothing", () => {
    const said = (...rows: readonly Judged[]): string | undefined =>
      /more than 10 % in (.+),/.exec(doubts(rows) ?? "")?.[1];
    deepEqual(
      [said(row("×", 0.11), row("×", 0.09)), said(row("×", 0.2), row("×", 0.3))],
      ["one row that leans on it", "2 rows that lean on it"],
    );
  });

  it("has none while controls stay put, whatever they stray by in other units", () => {
    equal(doubts([row("×", 0.1), row("ns", 40)]), undefined);
  });

  it("has none about a row that is beyond its target anyway", () => {
    equal(doubts([row("×", 0.2, 1.1), { ...row("×", 0.2, 0.9), is: "atMost" }]), undefined);
  });
});
