/**
 * run-file: the name of a run's file.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { traceOf } from "./traces.testkit.ts";
import { runFileName } from "./run-file.ts";

describe("runFileName", () => {
  test("describes the run, in characters that every file system accepts", () => {
    assert.equal(runFileName(traceOf([], { path: "/a/../ü?/7", status: 404, sequence: 9 })), "run-GET-a-7-404-9.json");
    assert.equal(runFileName(traceOf([], { path: "/" })), "run-GET-200-1.json");
  });
});
