/** LeafValues: the values of leaves, which count against the memory of their trace (LEAF). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { beginRecording, type Recording } from "../recorder.ts";
import { plainSnapshots } from "../../capture/plain-snapshots.testkit.ts";
import { createRedactor } from "../../capture/redact.ts";
import { LeafValues } from "./leaf-values.ts";

const redactor = createRedactor({});

/** An instance with a form that shows its argument. */
class Said {
  readonly what: unknown;
  constructor(what: unknown) {
    this.what = what;
  }
}

/** A capture of one recording, and how often a text was searched. */
function subject(budget = 10_000): { capture: LeafValues; recording: Recording; looks: () => number } {
  const snapshots = plainSnapshots(redactor, {
    forms: new Map([[Said.prototype, (said: object) => (said as Said).what]]),
  });
  let looks = 0;
  const text = snapshots.text.bind(snapshots);
  snapshots.text = (...given) => ((looks += 1), text(...given));
  const recording = beginRecording(0, budget);
  const capture = new LeafValues(snapshots, redactor, { budget: 0, secrets: recording.secrets }).within(recording);
  return { capture, recording, looks: () => looks };
}

describe("LeafValues.text", () => {
  it("takes two bytes a character from the memory of its trace", () => {
    const { capture, recording } = subject(1_000);
    assert.equal(capture.text("x".repeat(400)), "x".repeat(400));
    assert.equal(recording.budget, 200);
  });

  it("shows 64 characters if there is no room left", () => {
    const { capture } = subject(0);
    assert.equal(capture.text("x".repeat(64)), "x".repeat(64));
    assert.equal(capture.text("x".repeat(100)), `${"x".repeat(64)}… 36 more`);
  });
});

describe("LeafValues.statement", () => {
  it("searches a repeated one only once for secrets, and counts 16 bytes for it then", () => {
    const { capture, recording, looks } = subject(1_000);
    for (let n = 0; n < 3; n += 1) assert.equal(capture.statement("select 1"), "select 1");
    assert.deepEqual([looks(), recording.budget], [1, 1_000 - 16 - 16 - 16]);
  });

  it("LEAF-010: hides the secrets of a repeated one each time", () => {
    const { capture, looks } = subject();
    for (let n = 0; n < 2; n += 1)
      assert.equal(
        capture.statement("select * where password = 'hunter2-x'"),
        "select * where password = '[redacted]'",
      );
    assert.equal(looks(), 2);
  });

  it("shows a remembered one while there is room for it, and cuts it then", () => {
    const { capture, recording } = subject(10_000);
    const long = `select '${"x".repeat(100)}'`;
    assert.equal(capture.statement(long), long);
    recording.budget = long.length;
    assert.deepEqual([capture.statement(long), recording.budget], [long, long.length - 16]);
    recording.budget = long.length - 1;
    assert.equal(capture.statement(long), `${long.slice(0, -1)}… 1 more`);
  });

  it("remembers none of more than 4,096 characters", () => {
    const { capture, looks } = subject(1_000_000);
    for (const chars of [4_096, 4_097]) {
      const before = looks();
      for (let n = 0; n < 2; n += 1) capture.statement("x".repeat(chars));
      assert.equal(looks() - before, chars === 4_096 ? 1 : 2, `${chars}`);
    }
  });

  it("remembers 500 at most", () => {
    const { capture, looks } = subject(1_000_000);
    for (let n = 0; n < 500; n += 1) capture.statement(`select ${n}`);
    capture.statement("select 0");
    assert.equal(looks(), 500);
    capture.statement("select 500");
    capture.statement("select 0");
    assert.equal(looks(), 502);
  });
});

describe("LeafValues.operation", () => {
  const operations: Readonly<Record<string, string>> = {
    "select 1": "SELECT",
    "  (\n;With a as (select 1) select 2": "WITH",
    "-- a line\nupdate t": "UPDATE",
    "/* one *//* two ** three */ insert": "INSERT",
    "/* never closed": "",
    "1 + 1": "",
    "": "",
    [`${" ".repeat(1_023)}select`]: "S",
    [`${" ".repeat(1_024)}select`]: "",
    [`${"x".repeat(40)} y`]: "X".repeat(32),
  };
  for (const [statement, operation] of Object.entries(operations))
    it(`is ${operation || "nothing"} for ${JSON.stringify(statement.trim().slice(0, 40))}`, () => {
      const { capture } = subject();
      assert.equal(capture.operation(statement), operation);
      capture.statement(statement);
      assert.equal(capture.operation(statement), operation);
    });
});

describe("LeafValues.value, values and object", () => {
  it("count their content against the memory of the trace, and are cut without room", () => {
    const { capture, recording } = subject(400);
    assert.deepEqual(capture.values([1, { a: "b" }]), [1, { a: "b" }]);
    const left = recording.budget;
    assert.ok(left > 0 && left < 400, `${left}`);
    assert.deepEqual(capture.value("ab"), "ab");
    assert.ok(recording.budget < left);
    recording.budget = -50;
    const cut = JSON.stringify(capture.value(Array.from({ length: 50 }, () => "a text")));
    assert.ok(!cut.includes("a text"), cut);
  });

  it("show a value that is not a JSON object under value", () => {
    const { capture } = subject();
    assert.deepEqual(capture.object({ a: 1, password: "hunter2-x" }), { a: 1, password: "[redacted]" });
    assert.deepEqual(capture.object([1]), { value: [1] });
    assert.deepEqual(
      [new Said(null), new Said("text"), new Said({ a: 1 })].map((said) => capture.object(said)),
      [{ value: null }, { value: "text" }, { $class: "Said", a: 1 }],
    );
  });
});

describe("LeafValues.headers", () => {
  it("LEAF-010: hides the secret ones, and counts each", () => {
    const { capture, recording } = subject(1_000);
    assert.deepEqual(capture.headers({ Accept: "a", Authorization: "Bearer hunter2-x" }), {
      accept: ["a"],
      authorization: ["[redacted]"],
    });
    assert.equal(recording.budget, 1_000 - (64 + 6 + 2) - (64 + 13 + 32));
    assert.equal(recording.secrets.text("it is hunter2-x"), "it is [redacted]");
  });

  it("shows only as many as there is room for", () => {
    const { capture } = subject(64 + 1 + 2);
    assert.deepEqual(capture.headers({ a: "1", b: "2" }), { a: ["1"] });
  });
});

describe("LeafValues.error", () => {
  it("LEAF-007: is name and message, and counts them", () => {
    const { capture, recording } = subject(1_000);
    assert.deepEqual(capture.error(new RangeError("no")), { name: "RangeError", message: "no" });
    assert.equal(recording.budget, 1_000 - 2 * (10 + 2));
  });
});

describe("LeafValues.within", () => {
  it("LEAF-009: keeps the secrets of one run out of another", () => {
    const { capture, recording } = subject();
    const other = beginRecording(0, 1_000);
    capture.within(other).value({ password: "hunter2-x" });
    assert.deepEqual([other.secrets.isEmpty, recording.secrets.isEmpty, recording.budget], [false, true, 10_000]);
    assert.ok(other.budget < 1_000);
  });
});
