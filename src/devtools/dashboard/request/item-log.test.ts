/**
 * The log of events, rows and messages: bounded and counted, and marked where an item breaks its contract.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { faultOf, MAX_ITEMS, misfit, NO_ITEMS, responseWords, withEvents, withItems } from "./item-log.ts";

const tick = { schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } };
const item = (name: string, text: string) => ({ number: 1, name, text });

describe("withItems", () => {
  test("numbers all items and keeps the newest", () => {
    const some = Array.from({ length: MAX_ITEMS }, (_, at) => ({ name: "", text: String(at) }));
    const { items, count } = withItems(withItems(NO_ITEMS, [{ name: "", text: "first" }]), some);
    assert.deepEqual(
      [count, items.length, items[0], items.at(-1)],
      [
        MAX_ITEMS + 1,
        MAX_ITEMS,
        { number: 2, name: "", text: "0" },
        { number: MAX_ITEMS + 1, name: "", text: String(MAX_ITEMS - 1) },
      ],
    );
  });
});

describe("withEvents", () => {
  test("says when they came, if that is known", () => {
    const events = [{ event: "tick", id: "7", data: "1" }];
    const shown = { number: 1, name: "tick", id: "7", text: "1" };
    assert.deepEqual(withEvents(NO_ITEMS, events, 1_500), { items: [{ ...shown, time: "+1.50 ms" }], count: 1 });
    assert.deepEqual(withEvents(NO_ITEMS, events), { items: [{ ...shown, time: undefined }], count: 1 });
  });
});

describe("faultOf", () => {
  test("finds the event that is not declared, and the event or row that breaks its schema", () => {
    const events = { schema: null, kind: "events", events: { tick } } as const;
    const rows = { schema: tick.schema, kind: "stream" } as const;
    assert.deepEqual(
      [
        faultOf(events, item("tick", '{"n":1}')),
        faultOf(events, item("tick", '{"n":"1"}')),
        faultOf(events, item("toString", "{}")),
        faultOf(rows, item("", '{"n":1}')),
        faultOf(rows, item("", "no JSON")),
        faultOf({ schema: null, kind: "stream" }, item("", "no JSON")),
        faultOf(undefined, item("tick", "{}")),
      ],
      [undefined, "breaks its schema", "not declared", undefined, "breaks its schema", undefined, undefined],
    );
  });
});

describe("misfit", () => {
  test("does not compare a value that was hidden or cut in the recording", () => {
    assert.deepEqual(
      ['{"n":"[redacted]"}', '{"n":{"$string":"a","$truncated":9}}'].map((text) => misfit(tick, item("", text))),
      [undefined, undefined],
    );
  });
});

describe("responseWords", () => {
  test("are the kind and the media type", () => {
    assert.deepEqual(
      [
        null,
        { schema: null, kind: "empty" } as const,
        { schema: {} },
        { schema: null, kind: "text", type: "text/csv" } as const,
        { schema: {}, kind: "stream", type: "application/jsonl" } as const,
        { schema: null, kind: "redirect" } as const,
      ].map(responseWords),
      ["no content", "no content", "JSON", "text, text/csv", "rows, application/jsonl", "redirect"],
    );
  });
});
