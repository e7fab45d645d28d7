/** Messages of `node:sqlite`, as leaves. */
import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { describe, it } from "node:test";
import { leavesOf } from "./published.testkit.ts";

describe("node:sqlite", () => {
  it("a statement is an ended leaf with its nanoseconds as the duration", async () => {
    const leaves = await leavesOf(() => {
      const until = performance.now() + 3;
      while (performance.now() < until);
      for (const duration of [1_500_000, 2_000_000n, "3000000", undefined])
        channel("sqlite.db.query").publish({ sql: "select 'a'", duration });
    });
    assert.deepEqual(
      leaves.map(({ kind, name, detail, durationUs }) => [kind, name, detail, durationUs]),
      [1_500, 2_000, 0, 0].map((durationUs) => [
        "sql",
        "SELECT",
        { system: "sqlite", statement: "select 'a'", parameters: [], rows: null },
        durationUs,
      ]),
    );
  });
});
