/** explain_set: which runs are compared, and what sets them apart. */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { after, before, beforeEach, describe, it } from "node:test";
import { callOf, runOf } from "../../run/search/runs.testkit.ts";
import type { AgentSetExplanation, Trace } from "../../run/shapes.ts";
import { hitOf, keptRuns, Responding } from "./responding.testkit.ts";

let devtools: Responding;
before(async () => void (devtools = await new Responding().start()));
beforeEach(() => void devtools.seen.splice(0));
after(() => devtools.stop());

/** A run that asked for the rate of a region. */
const ran = (sequence: number, region: string, status: number): Trace =>
  runOf({
    instance: "now",
    sequence,
    status,
    calls: [callOf(0, "Rates", "of", { args: [region], params: ["region"] })],
  });
const failed = [1, 2, 3, 4, 5, 6].map((n) => ran(n, "FR", 500));
const worked = Array.from({ length: 12 }, (_, at) => ran(20 + at, "DE", 200));

/** Devtools that keep these runs, and find those of a status. */
function keeps(...runs: readonly Trace[]): void {
  devtools.responses = {
    ...keptRuns(runs),
    search: ({ url = "" }: IncomingMessage, response: ServerResponse): void => {
      const query = new URL(url, devtools.url).searchParams.get("q") ?? "";
      const found = runs.filter(({ status }) => query === "" || query === `status:${status}`);
      response.end(JSON.stringify({ hits: found.map(hitOf), next: null, searched: runs.length, tookUs: 1 }));
    },
  };
}

const asked = (given: object): Promise<AgentSetExplanation> =>
  devtools.called<AgentSetExplanation>("explain_set", given);

describe("explain_set", () => {
  it("compares the runs of a query with all others, without what the query asks for itself", async () => {
    keeps(...failed, ...worked);
    const { ofSet, ofRest, differences, same } = await asked({ set: "status:500" });
    assert.deepEqual([ofSet, ofRest], [6, 12]);
    assert.deepEqual(differences[0], {
      facts: ["region of Rates.of is FR"],
      inSet: 6,
      inRest: 0,
      lift: null,
      p: 0.00011,
      runs: failed.slice(0, 5).map(({ sequence }) => `now.${sequence}`),
    });
    assert.deepEqual(differences[1]?.facts, ["region of Rates.of is DE"]);
    assert.ok(same.includes("Rates.of is called"));
  });

  it("compares named runs with those of a query, and reads each side once", async () => {
    keeps(...failed, ...worked);
    const { ofSet, ofRest, differences } = await asked({ ids: "now.1 now.2, now.3 4 5 6", against: "status:200" });
    assert.deepEqual([ofSet, ofRest, differences[0]?.inSet], [6, 12, 6]);
    const read = devtools.seen.filter((path) => path.startsWith("runs/"));
    assert.deepEqual([read.length, new Set(read).size], [18, 18]);
  });

  it("finds nothing among runs that do not differ", async () => {
    keeps(...[1, 2, 3, 4, 5, 6].map((n) => ran(n, "DE", 500)), ...worked);
    assert.deepEqual((await asked({ set: "status:500" })).differences, []);
  });

  it("asks for the runs in question, and says when a side is empty", async () => {
    keeps(...worked);
    const wanted = /^explain_set takes either set, a query such as status:5xx, or ids$/;
    assert.match(await devtools.rejected("explain_set", {}), wanted);
    assert.match(await devtools.rejected("explain_set", { set: "status:200", ids: "1" }), wanted);
    assert.match(await devtools.rejected("explain_set", { set: "status:404" }), /^no kept run matches "status:404"$/);
    assert.match(
      await devtools.rejected("explain_set", { set: "status:200" }),
      /^there are no other runs to compare with$/,
    );
  });

  it("accepts a cursor only for the same comparison", async () => {
    keeps(...failed, ...worked);
    const { next } = await asked({ set: "status:500", maxChars: 2_000 });
    assert.equal(next, null);
    const cursor = "1-00000000";
    assert.match(
      await devtools.rejected("explain_set", { set: "status:500", cursor }),
      /no cursor of this call of explain_set/,
    );
  });
});
