import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PeerEvents } from "./peer-events.ts";

describe("PeerEvents", () => {
  test("calls the listeners of an event in their order, and no others", () => {
    const heard: unknown[] = [];
    const events = new PeerEvents();
    events
      .on("message", (...args: unknown[]) => heard.push(["first", ...args]))
      .on("message", (...args: unknown[]) => heard.push(["second", ...args]))
      .on("close", () => heard.push("close"));
    events.emit("message", "text", false);
    events.emit("error");
    assert.deepEqual(heard, [
      ["first", "text", false],
      ["second", "text", false],
    ]);
  });
});
