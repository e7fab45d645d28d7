/** Steps of the application, as leaves. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { step } from "../../index.ts";
import { faultsOf, leavesOf } from "./libraries/published.testkit.ts";
import { Watched } from "./watched.testkit.ts";

describe("step", () => {
  it("is a leaf of its kind and name, with its notes and its error", async () => {
    const leaves = await leavesOf(() => {
      step("cache", "prices", (note) => note({ command: "get", key: "prices", hit: true }));
      const fails = (): never => {
        throw new RangeError("no");
      };
      assert.throws(() => step("span", "fails", fails));
    });
    assert.deepEqual(
      leaves.map(({ kind, name, error, durationUs }) => [kind, name, error, durationUs === null]),
      [
        ["cache", "prices", null, false],
        ["span", "fails", { name: "RangeError", message: "no" }, false],
      ],
    );
    assert.deepEqual(leaves[0]?.detail, { system: "", command: "GET", key: "prices", args: [], hit: true });
  });

  it("reports an unreadable note once", async () => {
    const key = {
      get key(): never {
        throw new Error("key");
      },
    };
    const watched = new Watched({}, () => {
      for (let n = 0; n < 2; n += 1) step("cache", "prices", (note) => note(key));
    });
    assert.equal((await watched.trace()).leaves.length, 2);
    assert.deepEqual(faultsOf(watched), ["devtools: what step publishes could not be shown: Error: key"]);
  });
});
