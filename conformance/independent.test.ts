/** The suite holds the specification and not our accidents: an implementation without our code passes, too. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cases } from "./cases/index.ts";
import { runAgainst } from "./kit/run.ts";
import { startIndependent } from "./subject/independent.ts";

describe("the independent implementation", () => {
  it("passes every clause of what it claims to have", async () => {
    const { url, close } = await startIndependent();
    try {
      const { ran } = await runAgainst(new URL(url), cases);
      const broken = ran.filter(({ outcome }) => outcome !== "held");
      assert.deepEqual(
        broken.map((result) => `${result.case.id} ${result.case.title}: ${result.reason ?? ""}`),
        [],
      );
      assert.ok(ran.length >= 40, `only ${ran.length} cases apply to it`);
    } finally {
      await close();
    }
  });
});
