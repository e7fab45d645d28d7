/** Log lines: which leaves of a run are lines, their callers, and how they are found. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf, logOf, traceOf } from "../../run/traces.testkit.ts";
import { linesWith, logLines } from "./log-lines.ts";

const { calls } = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Repo")]);

describe("logLines", () => {
  const lines = logLines({ calls, leaves: [logOf(0, 1, "Found it"), logOf(3, null, "done")] });
  test("are the leaves that are log lines, with the call that wrote each", () => {
    assert.deepEqual(
      lines.map(({ leaf, caller, fields }) => [leaf.detail.message, caller?.bean, fields]),
      [
        ["Found it", "Repo", '{"at":0}'],
        ["done", undefined, '{"at":3}'],
      ],
    );
  });

  test("are found by message, level, field and writer, in any case", () => {
    const found = (text: string): number[] => linesWith(lines, text).map(({ leaf }) => leaf.id);
    assert.deepEqual(["", "found", "INFO", '"at":3', "repo.run", "nothing"].map(found), [
      [0, 3],
      [0],
      [0, 3],
      [3],
      [0],
      [],
    ]);
  });
});
