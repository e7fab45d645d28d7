/** The first difference of a replay. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Call, Trace } from "../shapes.ts";
import { callOf, traceOf } from "../traces.testkit.ts";
import { differencesOf } from "./differences.ts";

const ended = { bean: "Repo", method: "run", reason: "the recording has no call of Repo.run()" };

function told(calls: readonly Call[], again: readonly Call[], more: Partial<Trace> = {}): string | null {
  const a = traceOf(calls);
  const replayOf = { instance: "i1", sequence: 1, beans: ["Repo"], notes: [], ended: null };
  const b = traceOf(again, { sequence: 2, replayOf, ...more });
  return differencesOf(a, b).first;
}

const web = callOf(0, null, "Web", { durationUs: 90 });
const repo = callOf(1, 0, "Repo");
const below = callOf(2, 1, "Database");
const clock = callOf(2, 0, "Clock");

describe("firstDifference", () => {
  it("finds no difference if only the work below a recorded bean is missing", () => {
    assert.equal(told([web, repo, below], [web, repo]), "The replay did the same, and responded with the same.");
  });

  it("names a call that only one of them made", () => {
    const [run, again] = ["the original run", "the replay"].map(
      (who) => `First difference: Clock.run() was called in ${who} alone.`,
    );
    assert.deepEqual([told([web, repo, clock], [web, repo]), told([web, repo], [web, repo, clock])], [run, again]);
  });

  it("takes a result as later than the calls before its return, and as the cause of differences around it", () => {
    const changed = { ...clock, result: 2 };
    const outer = { ...web, result: 2 };
    const text = "First difference: Clock.run(): $.result was null, is 2.";
    assert.equal(told([web, repo, clock], [outer, repo, changed]), text);
    const args = told([web, repo, clock], [outer, repo, { ...clock, args: [9] }]);
    assert.equal(args, "First difference: Clock.run(): $.args[0] was 2, is 9.");
  });

  it("compares the response when all calls are the same", () => {
    const response = { headers: {}, body: { a: 1 }, bytes: 7 };
    assert.equal(told([web], [web], { response }), 'First difference: the response: $.body was null, is {"a":1}.');
  });

  it("says what another outcome of a call leads to, which is the response and not the call", () => {
    const whatIf = [{ call: 1, returns: 9 }];
    const replayOf = { instance: "i1", sequence: 1, beans: [], whatIf, notes: [], ended: null };
    const changed = { ...repo, result: 9 };
    assert.equal(
      told([web, repo], [web, changed], { replayOf }),
      "With another outcome of Repo.run(), the response is the same.",
    );
    const both = { ...replayOf, whatIf: [...whatIf, { call: 2, afterMs: 1 }] };
    assert.equal(
      told([web, repo, clock], [web, changed, clock], { replayOf: both, status: 500 }),
      "With other outcomes of Repo.run() and Clock.run(), the response differs: $.status was 200, is 500.",
    );
  });

  it("says why a replay has ended, and nothing about runs that are not a replay of each other", () => {
    const replayOf = { instance: "i1", sequence: 1, beans: ["Repo"], notes: [], ended };
    assert.equal(told([web, repo], [web], { replayOf }), `The replay has ended: ${ended.reason}.`);
    assert.equal(told([web], [web], { replayOf: undefined }), null);
    assert.equal(told([web], [web], { replayOf: { ...replayOf, sequence: 7 } }), null);
  });
});
