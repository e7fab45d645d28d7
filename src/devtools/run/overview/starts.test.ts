/**
 * Starts that the page saw, and the changes between two of them.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { StartUp } from "../shapes.ts";
import { graphOf } from "../traces.testkit.ts";
import { afterStart, isSeenStarts, seenStart, sinceLastStart } from "./starts.ts";

const startOf = (instance: string): StartUp => ({
  instance,
  startedAt: 5,
  durationUs: 1,
  beans: [],
  droppedBeans: 0,
  hooks: [],
  notBuilt: [],
  chain: [],
  error: null,
});
const route = (path: string) => ({ method: "GET", path, pathParams: [], beans: [] });

const before = seenStart("shop", startOf("i1"), graphOf({ A: ["B"], B: [] }), [route("/a"), route("/b")]);
const now = seenStart(
  "shop",
  startOf("i2"),
  {
    ...graphOf({ A: [], C: [] }),
    nodes: graphOf({ A: [], C: [] }).nodes.map((n) => (n.id === "A" ? { ...n, stereotype: "service" } : n)),
  },
  [route("/b"), route("/c")],
);

describe("afterStart", () => {
  test("keeps the start before the present one, also when the page is loaded again", () => {
    const seen = afterStart(afterStart(null, before), now);
    assert.deepEqual(seen, { current: now, previous: before });
    assert.deepEqual(afterStart(seen, now), seen);
  });

  test("compares no two applications", () => {
    assert.deepEqual(afterStart({ current: { ...before, app: "other" }, previous: null }, now), {
      current: now,
      previous: null,
    });
  });
});

describe("sinceLastStart", () => {
  test("names new, removed and changed beans and routes", () => {
    assert.deepEqual(sinceLastStart({ current: now, previous: before }), [
      ["new route", "GET /c"],
      ["bean, now service", "A"],
      ["new bean", "C"],
      ["removed route", "GET /a"],
      ["removed bean", "B"],
    ]);
    assert.deepEqual(sinceLastStart({ current: now, previous: { ...now, instance: "i1" } }), []);
    assert.equal(sinceLastStart({ current: now, previous: null }), null);
  });
});

describe("isSeenStarts", () => {
  const cases = {
    "accepts what was stored": [JSON.parse(JSON.stringify({ current: now, previous: before })), true],
    "accepts a first start": [{ current: now, previous: null }, true],
    "rejects another value": [{ current: {}, previous: null }, false],
    "rejects a text": ["starts", false],
    "rejects a broken earlier start": [{ current: now, previous: 7 }, false],
  } as const;
  for (const [title, [value, expected]] of Object.entries(cases))
    test(title, () => assert.equal(isSeenStarts(value), expected));
});
