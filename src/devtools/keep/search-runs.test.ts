/** Search over kept runs: pages of hits, and the proof that a searching process keeps serving (SEARCH). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseQuery, type Query } from "../run/search/query.ts";
import type { KeptRun } from "./kept-runs.ts";
import { after, searchRuns } from "./search-runs.ts";

/** Runs, the newest first. Every second one was a POST. */
const runs = (count: number): KeptRun[] =>
  Array.from({ length: count }, (_, at) => {
    const sequence = count - at;
    const column = { instance: "i", sequence, kind: "request", method: sequence % 2 === 0 ? "POST" : "GET" } as const;
    const document = {
      ...column,
      path: `/${sequence}`,
      route: null,
      status: 200,
      startedAt: 5,
      durationUs: 7,
      calls: [],
      id: "a",
      correlationId: null,
      aborted: false,
      failed: false,
      broken: false,
      leaves: [],
      text: "\n",
    };
    return { key: `i.${sequence}`, document };
  });

const query = (text: string): Query => {
  const parsed = parseQuery(text);
  return parsed.query ?? assert.fail(JSON.stringify(parsed));
};
const posts = query("method:POST");

describe("searchRuns", () => {
  it("has the columns of each hit, the number of searched runs, and the duration", async (t) => {
    let now = 0;
    t.mock.method(performance, "now", () => (now += 1));
    const { hits, next, searched, tookUs } = await searchRuns(runs(3), posts, { limit: 10, cursor: undefined });
    assert.deepEqual(
      hits.map(({ calls: _, leaves: __, parts: ___, ...columns }) => columns),
      [
        {
          instance: "i",
          sequence: 2,
          kind: "request",
          method: "POST",
          path: "/2",
          route: null,
          status: 200,
          startedAt: 5,
          durationUs: 7,
        },
      ],
    );
    assert.ok(hits.every(({ calls, leaves, parts }) => [calls, leaves, parts].every(Array.isArray)));
    assert.deepEqual([next, searched, tookUs], [null, 3, 1_000]);
  });

  it("SEARCH-004: returns hits a page at a time, and a cursor only if there is more", async () => {
    const page = async (limit: number, cursor?: string): Promise<readonly unknown[]> => {
      const { hits, next } = await searchRuns(runs(7), posts, { limit, cursor });
      return [hits.map(({ sequence }) => sequence), next];
    };
    assert.deepEqual(await page(2), [[6, 4], "i.4"]);
    assert.deepEqual(await page(2, "i.4"), [[2], null]);
    assert.deepEqual(await page(3), [[6, 4, 2], null]);
    assert.deepEqual(await page(3, "i.1"), [[], null]);
    assert.deepEqual(await page(3, "i.99"), [[], null]);
  });

  it("lets others run after 8 ms, checked every 64 runs, and continues for the same time", async (t) => {
    let now = 0;
    t.mock.method(performance, "now", () => now);
    let turns = 0;
    const immediate = globalThis.setImmediate;
    t.mock.method(globalThis, "setImmediate", (run: () => void) => ((turns += 1), immediate(run)));
    const looked = async (count: number, msEach: number): Promise<number> => {
      turns = 0;
      const list = runs(count);
      for (const one of list) {
        const { method } = one.document;
        Object.defineProperty(one.document, "method", { get: () => ((now += msEach), method) });
      }
      await searchRuns(list, query("method:PUT"), { limit: 10, cursor: undefined });
      return turns;
    };
    const each = 8 / 64;
    assert.deepEqual([await looked(63, 1), await looked(64, each), await looked(64, each / 2)], [0, 1, 0]);
    assert.deepEqual([await looked(128, each / 2), await looked(320, each / 2), await looked(200, each)], [1, 2, 3]);
  });
});

describe("after", () => {
  it("is all of them without a cursor, those after it, and nothing if it is gone", () => {
    const list = [{ key: "a" }, { key: "b" }, { key: "c" }];
    assert.equal(after(list, undefined), list);
    assert.deepEqual([after(list, "a"), after(list, "c"), after(list, "x")], [list.slice(1), [], []]);
  });
});
