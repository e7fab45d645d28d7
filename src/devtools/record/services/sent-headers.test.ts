/** Sent headers: the facts that one pass over a request's head finds. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SentHeaders } from "./sent-headers.ts";

const sent = (...lines: readonly (readonly [string, string])[]): SentHeaders =>
  new SentHeaders({ requestHeaders: () => lines });

describe("SentHeaders", () => {
  it("keeps every line in order, names in lower case, and the first Host", () => {
    const { lines, chars, host } = sent(["Host", "a:1"], ["X-A", "1"], ["host", "b"], ["x-a", "Zwei"]);
    assert.deepEqual([lines, chars, host], [["host", "a:1", "x-a", "1", "host", "b", "x-a", "Zwei"], 23, "a:1"]);
    assert.deepEqual([sent().lines, sent().host], [[], undefined]);
  });

  it("TRACE-005: the correlation is the one valid value of one line", () => {
    assert.equal(sent(["x-a", "a-1"]).correlationId, null);
    const of = (...values: readonly string[]): string | null =>
      sent(...values.map((value) => ["X-Framework-DEV", value] as const)).correlationId;
    assert.deepEqual(
      [of("a-1"), of(), of("a", "b"), of("a b"), of(""), of("a".repeat(129))],
      ["a-1", null, null, null, null, null],
    );
  });

  it("sees the headers of a browser or a proxy, and the header of a replay, in any case", () => {
    for (const name of [
      "Origin",
      "SEC-FETCH-SITE",
      "forwarded",
      "Via",
      "X-Real-IP",
      "x-forwarded-for",
      "x-forwarded-host",
    ])
      assert.equal(sent([name, ""]).isForwarded, true, name);
    const plain = sent(["X-Origin", "a"], ["User-Agent", "b"]);
    assert.deepEqual([plain.isForwarded, plain.asksForReplay], [false, false]);
    assert.equal(sent(["x-framework-REPLAY", "a"]).asksForReplay, true);
  });
});
