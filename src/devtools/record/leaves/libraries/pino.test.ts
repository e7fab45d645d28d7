/** Messages of pino, as leaves. */
import assert from "node:assert/strict";
import { channel } from "node:diagnostics_channel";
import { describe, it } from "node:test";
import { leavesOf } from "./published.testkit.ts";

describe("pino", () => {
  it("is a line with its level, its message and its fields", async () => {
    const instance = { levels: { labels: { 30: "info", 50: "error" } } };
    const leaves = await leavesOf(() => {
      const publish = (message: object): void => channel("tracing:pino_asJson:start").publish(message);
      publish({ instance, arguments: [{ order: 7, password: "x" }, "paid", 50] });
      publish({ instance, arguments: [{}, "odd", 35] });
      publish({ arguments: [{}, "no labels", 30] });
      publish({ instance: {}, arguments: [{}, undefined, 30] });
    });
    assert.deepEqual(
      leaves.map(({ kind, name, detail }) => [kind, name, detail]),
      [
        ["log", "error", { level: "error", message: "paid", fields: { order: 7, password: "[redacted]" } }],
        ["log", "35", { level: "35", message: "odd", fields: {} }],
        ["log", "30", { level: "30", message: "no labels", fields: {} }],
        ["log", "30", { level: "30", message: "", fields: {} }],
      ],
    );
  });
});
