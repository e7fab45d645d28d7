/** What `explain` prints about one run and about sets of them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { explain } from "../../run/explain/explain.ts";
import { whatTheyShare } from "../../run/explain/share.ts";
import { callOf, httpOf, traceOf } from "../../run/traces.testkit.ts";
import { findingLines, sharedLines } from "./explain.ts";
import { columnsOf } from "./printable.ts";
import { screenOf } from "./screen.ts";

const wide = screenOf({}, {}, 110);

describe("findingLines", () => {
  const error = { name: "RangeError", message: "no \u001b[31mstock" };
  const call = callOf(0, null, "Stock", { method: "take", error, durationUs: 9_900, async: true });
  const trace = traceOf([call], {
    durationUs: 10_000,
    status: 500,
    error,
    leaves: [httpOf(0, 0, null, { startUs: 1_000, durationUs: 7_000 })],
  });

  it("has a sign and a sentence for each finding, then where the time went", () => {
    assert.deepEqual(findingLines(trace, explain(trace), undefined, wide), [
      "     !  RangeError: no \\u{1b}[31mstock was thrown in Stock.take",
      "  70 %  HTTP below Stock.take took 7.00 ms, 70 % of the run: GET a",
      "        7.00 ms",
      "  29 %  Stock.take took 2.90 ms itself, in nothing that it called",
      "        2.90 ms",
      '     →  the critical path by own time: Stock.take 9.90 ms (Stock.take waits for "GET http://a/")',
      "        9.90 ms",
      "",
      "where the 10.0 ms went: HTTP 7.00 ms, outside beans 100 µs, beans 2.90 ms",
    ]);
  });

  it("names the run that it was compared with, and fits the screen", () => {
    const narrow = findingLines(trace, explain(trace), { ...trace, sequence: 7 }, screenOf({}, {}, 40));
    assert.equal(narrow.at(-1), "compared with i1.7, the last run that w…");
    assert.deepEqual(
      narrow.filter((line) => columnsOf(line) > 40),
      [],
    );
    const empty = traceOf([]);
    assert.equal(findingLines(empty, explain(empty), undefined, wide)[0], "nothing stands out");
  });
});

describe("sharedLines", () => {
  const run = (sequence: number, region: string, status: number) =>
    traceOf([callOf(0, null, "Rates", { args: [region], params: ["region"] })], { sequence, status });
  const failed = [1, 2, 3, 4, 5, 6].map((n) => run(n, "FR", 500));
  const worked = Array.from({ length: 12 }, (_, at) => run(20 + at, "DE", 200));

  it("has the counts of both sides before the facts, and runs to look at", () => {
    const lines = sharedLines(whatTheyShare(failed, worked, { without: new Set(["status"]) }), wide);
    assert.deepEqual(lines.slice(0, 6), [
      "6 runs against 12 runs, 9 facts looked at",
      "",
      "6 of 6, 0 of 12  region of Rates.run is FR",
      "                 such as i1.1, i1.2, i1.3",
      "0 of 6, 12 of 12  region of Rates.run is DE",
      "                  such as i1.1, i1.2, i1.3",
    ]);
    assert.match(lines.at(-1) ?? "", /^in all: the route is GET \/x\/\{id\}, /);
  });

  it("says that nothing sets them apart", () => {
    const lines = sharedLines(whatTheyShare(worked.slice(0, 4), worked.slice(4)), wide);
    assert.equal(lines[2], "no fact sets them apart, beyond what chance would");
  });
});
