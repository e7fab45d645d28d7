import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventIdOf } from "./event-id.ts";

describe("eventIdOf", () => {
  test("is the event's id, decoded as UTF-8 from a header that is read byte by byte", () => {
    const header = Buffer.from("ü-7 €").toString("latin1");
    const headers = [undefined, "", "a-7", header, "\xe4-7", "ü€"];
    assert.deepEqual(headers.map(eventIdOf), [undefined, "", "a-7", "ü-7 €", "ä-7", "ü€"]);
  });
});
