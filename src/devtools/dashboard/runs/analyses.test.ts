/**
 * analysesSlice: how runs are named in a question.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { applicationSlice } from "../store/application.ts";
import { runOf, stage } from "../testing/stage.ts";
import { analysesSlice } from "./analyses.ts";

describe("analysesSlice", () => {
  test("names runs by their keys, sends whole what the application does not hold, and leaves out what nobody has", async () => {
    const { use, kept, arrive, frame } = await stage({ traces: [runOf(1)] });
    arrive(runOf(2));
    frame();
    const analyse = use(analysesSlice);
    const forms: string[] = [];
    const ask = () =>
      analyse("share", (send) => {
        const sent = [1, 2, 3].flatMap((sequence) => send({ instance: "i1", sequence }));
        forms.push(sent.map((one) => (typeof one === "string" ? one : `whole ${one.sequence}`)).join());
        return { set: sent, rest: [], without: [], commits: {} };
      });
    assert.equal((await ask()).ofSet, 2);
    assert.deepEqual(forms, ["i1.1,i1.2,i1.3", "i1.1,whole 2"]);
    kept.length = 0;
    assert.equal((await ask()).ofSet, 2);
    assert.deepEqual(forms.slice(2), ["i1.1,whole 2", "whole 1,whole 2"]);
  });

  test("sends a run from a file whole, since the application may hold another one under its key", async () => {
    const { use } = await stage({ traces: [runOf(1)] });
    const saved = { trace: runOf(1), graph: { nodes: [], edges: [], unspied: [] }, entries: [] };
    use(applicationSlice).opened.value = new Map([["i1.1", saved]]);
    const found = await use(analysesSlice)("why", (send) => {
      assert.deepEqual(
        send(runOf(1)).map((one) => typeof one),
        ["object"],
      );
      return { run: send(runOf(1))[0] ?? "", own: null, good: null, others: [] };
    });
    assert.equal(found.rows.length, 1);
  });

  test("sends a run whole that has parts in other services", async () => {
    const { use } = await stage({ traces: [runOf(1)] });
    const [own] = use(applicationSlice).traces.value;
    assert.ok(own);
    const whole = { ...own, calls: [] };
    await use(analysesSlice)("compare", (send) => {
      const hit = { instance: "i1", sequence: 1, calls: [0] };
      assert.deepEqual([send(own), send(hit), send(whole)], [["i1.1"], ["i1.1"], [whole]]);
      return { a: "i1.1", b: whole };
    });
  });

  test("rejects when the application does not respond", async () => {
    const down = { now: false };
    const { use } = await stage({ traces: [runOf(1)], down });
    down.now = true;
    await assert.rejects(
      use(analysesSlice)("why", () => ({ run: "i1.1", own: null, good: null, others: [] })),
      { message: "Failed to fetch" },
    );
  });
});
