/**
 * The last minute in the page: how much of it is known.
 */

import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import type { Trace } from "../../run/shapes.ts";
import { MAX_TRACES } from "../../run/wire.ts";
import { runOf, settled, stage } from "../testing/stage.ts";
import { minuteSlice } from "./minute.ts";

/** The clock stands still, since the lists are made before the tests run. */
const NOW = Date.parse("2026-01-01T12:00:00Z");
beforeEach(() => void mock.method(Date, "now", () => NOW));
afterEach(() => mock.restoreAll());

/** So many runs, of which the oldest began so many seconds ago. */
const listOf = (length: number, secondsAgo: number): Trace[] =>
  Array.from({ length }, (_, i) => runOf(i + 1, { startedAt: NOW - (secondsAgo * 1_000 * (i + 1)) / length }));

async function secondsAfter(
  ...lists: readonly (readonly [list: readonly Trace[], hasMissed: boolean])[]
): Promise<number> {
  const { use } = await stage();
  const fresh = minuteSlice(use);
  for (const [list, hasMissed] of lists) fresh.listed(list, hasMissed);
  return Math.round(fresh.seconds());
}

describe("minuteSlice", () => {
  const full = listOf(MAX_TRACES, 5);
  const cases = {
    "knows the whole minute if the list is not full": [[[listOf(3, 5), false]], 60],
    "knows the whole minute of an application without runs": [[[[], false]], 60],
    "knows the time since the oldest run of a full list": [[[full, false]], 5],
    "knows a second at least": [[[listOf(MAX_TRACES, 0.2), false]], 1],
    "knows no less after a later list if the page missed no run": [
      [
        [listOf(3, 5), false],
        [full, false],
      ],
      60,
    ],
    "knows the time since the oldest run if the page missed some": [
      [
        [listOf(3, 5), false],
        [full, true],
      ],
      5,
    ],
  } as const;
  for (const [title, [lists, expected]] of Object.entries(cases))
    it(title, async () => assert.equal(await secondsAfter(...lists), expected));

  it("knows less after a gap in which the page missed runs", async () => {
    const { use, kept, stream } = await stage({ traces: [runOf(1, { startedAt: NOW - 9_000 })] });
    kept.splice(0, 1, ...full.map((run) => ({ ...run, sequence: run.sequence + 500 })));
    stream.gap();
    await settled();
    assert.equal(Math.round(use(minuteSlice).seconds()), 5);
  });

  it("counts what the application lists when the page opens", async () => {
    const { use } = await stage({ traces: listOf(3, 5) });
    assert.deepEqual(
      [use(minuteSlice).minute.requests(Date.now()).count, Math.round(use(minuteSlice).seconds())],
      [3, 60],
    );
  });
});
