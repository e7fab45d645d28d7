import { deepEqual, equal } from "node:assert/strict";
import { describe, it } from "node:test";
import type { Judged } from "../evaluate.ts";
import { cellOf } from "../method/stats.ts";
import { bar, doubts, everybody, tableText } from "./table.ts";

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

describe("everybody", () => {
  const cell = (value: number): ReturnType<typeof cellOf> => cellOf([[value]]);
  const row = (id: string, unit: Judged["unit"], peers: Judged["peers"]): Judged => ({
    ...{ id, title: id, unit, is: "atLeast", target: 1, tolerance: 0, verdict: "target", peers, ours: cell(1) },
  });

  it("has a column for every peer, and a dash where one was not asked", () => {
    const { heads, lines } = everybody([
      row("hello", "×", { fastify: cell(0.875), express: cell(0.25), koa: cell(0.5) }),
      { ...row("stack", "×", { fastify: cell(0.625), express: cell(0.125) }), hand: cell(0.75) },
    ]);
    deepEqual(heads.slice(1), ["ours", "by hand", "fastify", "express", "koa"]);
    deepEqual(lines, [
      ["hello", "1.000", "–", "0.875", "0.250", "0.500"],
      ["stack", "1.000", "0.750", "0.625", "0.125", "–"],
    ]);
  });

  it("leaves out what is no quotient of peers to bare: other units, the p99, and ours in other states", () => {
    const peers = { fastify: cell(0.5) };
    const others = [row("own-id", "µs", peers), row("p99", "×", peers), row("devtools", "×", { off: cell(1) })];
    deepEqual(everybody([...others, row("health", "×", {})]).lines, []);
  });

  it("reads in columns on a terminal", () => {
    const table = everybody([row("hello", "×", { fastify: cell(0.5) })]);
    equal(
      tableText(table),
      "CPU of bare ÷ CPU of  ours   by hand  fastify\nhello                 1.000  –        0.500",
    );
  });
});
