/**
 * createAsk: the last request counts, and a failure is kept until a request succeeds.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { signal } from "@preact/signals";
import { settled } from "../testing/stage.ts";
import { createAsk } from "./asking.ts";

describe("createAsk", () => {
  test("shows the response, and keeps the reason of a failure until the next success", async () => {
    const failure = signal<string | null>(null);
    const shown: string[] = [];
    const ask = createAsk(failure);
    await ask(() => Promise.reject(new Error("gone")));
    assert.equal(failure.value, "gone");
    await ask(async () => () => void shown.push("here"));
    assert.deepEqual([failure.value, shown], [null, ["here"]]);
  });

  test("ignores a late response or failure of an earlier request", async () => {
    const failure = signal<string | null>(null);
    const shown: string[] = [];
    const ask = createAsk(failure);
    const asked = [
      ask(async () => () => void shown.push("late")),
      ask(() => Promise.reject(new Error("too late"))),
      ask(async () => () => void shown.push("last")),
    ];
    await Promise.all(asked);
    assert.deepEqual([failure.value, shown], [null, ["last"]]);
  });

  test("an overtaken request ends with the last one", async () => {
    const shown: string[] = [];
    const ask = createAsk(signal<string | null>(null));
    const first = ask(async () => () => void shown.push("late"));
    let answer = (_show: () => void): void => undefined;
    void ask(() => new Promise((resolve) => (answer = resolve)));
    void first.then(() => shown.push("over"));
    await settled();
    answer(() => void shown.push("last"));
    await first;
    assert.deepEqual(shown, ["last", "over"]);
  });
});
