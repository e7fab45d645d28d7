import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Reviver, SeenErrors } from "../../capture/revive.ts";
import type { Call, Json, WhatIf } from "../../run/shapes.ts";
import { flawOfWhatIf, readWhatIf, SupposedCalls } from "./what-if.ts";

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const call = (id: number, args: readonly Json[], more: Partial<Call> = {}): Call => ({
  id,
  parentId: null,
  depth: 0,
  bean: "Store",
  declaredBy: "Store",
  stereotype: "repository",
  method: "find",
  args,
  result: 1,
  error: null,
  startUs: id,
  durationUs: 1,
  async: true,
  ...more,
});

describe("readWhatIf", () => {
  it("reads outcomes: a value, an error, a time, and a time with either", () => {
    const list = [
      { call: 0, returns: null },
      { call: 1, throws: { name: "Error", message: "" } },
      { call: 2, afterMs: 60_000 },
      { call: 3, returns: { $date: "2026-01-01T00:00:00.000Z" }, afterMs: 1 },
    ];
    assert.deepEqual(readWhatIf(encoded(list)), list);
  });

  const wrong: Readonly<Record<string, unknown>> = {
    "no list": { call: 1, returns: 1 },
    "an empty list": [],
    "21 outcomes": Array.from({ length: 21 }, () => ({ call: 1, returns: 1 })),
    "no outcome": [{ call: 1 }],
    "two outcomes": [{ call: 1, returns: 1, throws: { name: "Error", message: "" } }],
    "no call": [{ returns: 1 }],
    "a negative call": [{ call: -1, returns: 1 }],
    "a fraction": [{ call: 1.5, returns: 1 }],
    "a call that is a text": [{ call: "1", returns: 1 }],
    "an error without a name": [{ call: 1, throws: { name: "", message: "" } }],
    "an error with a status of success": [{ call: 1, throws: { name: "HttpError", message: "", status: 200 } }],
    "an error that is a text": [{ call: 1, throws: "Error" }],
    "an error with a stack": [{ call: 1, throws: { name: "Error", message: "", stack: [] } }],
    "a time of zero": [{ call: 1, afterMs: 0 }],
    "half a millisecond": [{ call: 1, afterMs: 0.5 }],
    "a time over a minute": [{ call: 1, afterMs: 60_001 }],
    "another member": [{ call: 1, returns: 1, bean: "Store" }],
    "a value that is null": [null],
  };
  for (const [what, value] of Object.entries(wrong))
    it(`rejects ${what}`, () => assert.equal(readWhatIf(encoded(value)), undefined));
  it("rejects what is not JSON", () => assert.equal(readWhatIf("e30x"), undefined));
});

describe("SupposedCalls", () => {
  const calls = [call(0, [7]), call(1, [8]), call(2, [7]), call(3, [7], { method: "save", async: false })];

  it("finds the call by its bean, method and arguments, and by how many equal ones preceded it", () => {
    const supposed = new SupposedCalls(calls, [
      { call: 2, returns: "second" },
      { call: 3, afterMs: 5 },
    ] as WhatIf[]);
    const take = (method: string, args: readonly Json[]): unknown => supposed.take("Store", method, args);
    assert.deepEqual(
      [take("find", [8]), take("find", [7]), take("find", [7]), take("find", [7]), take("save", [7])],
      [
        undefined,
        undefined,
        { bean: "Store", method: "find", async: true, afterMs: 0, outcome: { result: "second", error: null } },
        undefined,
        { bean: "Store", method: "save", async: false, afterMs: 5, outcome: undefined },
      ],
    );
    assert.equal(supposed.take("Other", "find", [7]), undefined);
  });
});

describe("flawOfWhatIf", () => {
  const flaw = (...given: WhatIf[]): string | undefined =>
    flawOfWhatIf([call(0, [])], given, new Reviver(new Map(), new SeenErrors()));

  it("names the call that there is not, and the outcome that cannot be made", () => {
    assert.deepEqual(
      [
        flaw({ call: 0, returns: { $date: "2026-01-01T00:00:00.000Z" } }, { call: 0, afterMs: 1 }),
        flaw({ call: 1, returns: 1 }),
        flaw({ call: 0, returns: { a: { $function: "x" } } }),
        flaw({ call: 0, throws: { name: "OwnError", message: "" } }),
        flaw({ call: 0, throws: { name: "HttpError", message: "gone", status: 410 } }),
      ].map((one) => one?.split(":").slice(0, 2).join(":")),
      [
        undefined,
        "the run has no call 1",
        "Store.find() cannot have this outcome: result.a is a function",
        "Store.find() cannot have this outcome: its error is an instance of OwnError, which this process has not thrown yet",
        undefined,
      ],
    );
  });
});
