/**
 * Recorded calls: which of them a call matches, and the message if it matches none.
 *
 * Spec: spec/replay.md
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../run/shapes.ts";
import type { RecordedCall } from "./flaws.ts";
import { RecordedCalls } from "./recorded-calls.ts";

const call = (bean: string, method: string, args: readonly Json[], more: Partial<RecordedCall> = {}): RecordedCall => ({
  bean,
  method,
  args,
  result: null,
  error: null,
  async: false,
  endUs: 0,
  ...more,
});

/** Why a call of `A.read` with these arguments does not match the one recorded with the others. */
const unlike = (recorded: readonly Json[], args: readonly Json[]): RecordedCall | string =>
  new RecordedCalls([call("A", "read", recorded)]).take("A", "read", args);

const none = "no call of A.read() was recorded with these arguments: ";

describe("RecordedCalls", () => {
  it("takes the first remaining one with the same bean, method and arguments", () => {
    const all = [
      call("A", "read", [{ a: 1, b: 2 }], { result: 1 }),
      call("A", "write", [{ a: 1, b: 2 }], { result: 2 }),
      call("B", "read", [{ a: 1, b: 2 }], { result: 3 }),
      call("A", "read", [{ b: 2, a: 1 }], { result: 4 }),
      call("A", "read", []),
    ];
    const calls = new RecordedCalls(all);
    assert.equal(calls.take("B", "read", [{ a: 1, b: 2 }]), all[2]);
    assert.deepEqual(calls.left, [all[0], all[1], all[3], all[4]]);
    assert.equal(calls.take("A", "read", [{ b: 2, a: 1 }]), all[0]);
    assert.equal(calls.take("A", "read", [{ a: 1, b: 2 }]), all[3]);
    assert.deepEqual(calls.left, [all[1], all[4]]);
    assert.equal(
      calls.take("A", "read", [{ a: 1, b: 2 }]),
      "the recording has 2 calls of A.read() with these arguments, and this is one more",
    );
    assert.equal(
      calls.take("B", "read", [{ a: 1, b: 2 }]),
      "the recording has one call of B.read() with these arguments, and this is one more",
    );
  });

  it("REPLAY-006: reports that there is no such call", () => {
    const calls = new RecordedCalls([call("A", "read", []), call("B", "write", [])]);
    assert.equal(calls.take("A", "write", []), "the recording has no call of A.write()");
    assert.equal(calls.take("B", "read", []), "the recording has no call of B.read()");
  });

  it("REPLAY-006: names the first place at which arguments differ from those of a remaining call", () => {
    assert.equal(unlike([1, "a"], [1, "b"]), `${none}args[1] was "a", and is "b"`);
    assert.equal(unlike([{ a: [1, { b: 2 }] }], [{ a: [1, { b: 3 }] }]), `${none}args[0].a[1].b was 2, and is 3`);
    assert.equal(unlike([[1]], [{ 0: 1 }]), `${none}args[0] was [1], and is {"0":1}`);
    assert.equal(unlike([{ a: 1 }], [{ a: 1, b: 2 }]), `${none}args[0].b was null, and is 2`);
    assert.equal(unlike([{ toString: 1 }], [{}]), `${none}args[0].toString was 1, and is null`);
    assert.equal(unlike([{ a: 1 }], [null]), `${none}args[0] was {"a":1}, and is null`);
    assert.equal(unlike([1], [{ a: 1 }]), `${none}args[0] was 1, and is {"a":1}`);
    assert.equal(
      unlike(["x".repeat(78)], ["y".repeat(79)]),
      `${none}args[0] was "${"x".repeat(78)}", and is "${"y".repeat(78)}…`,
    );
  });

  it("REPLAY-006: compares with the method's first remaining call, otherwise with its first", () => {
    const calls = new RecordedCalls([
      call("B", "read", [3]),
      call("A", "write", [4]),
      call("A", "read", [1]),
      call("A", "read", [2]),
    ]);
    calls.take("A", "read", [1]);
    assert.equal(calls.take("A", "read", [9]), `${none}args[0] was 2, and is 9`);
    calls.take("A", "read", [2]);
    assert.equal(calls.take("A", "read", [9]), `${none}args[0] was 1, and is 9`);
    assert.equal(unlike([{ a: null }], [{}]), `${none}they differ`);
  });

  it("separates arguments with keys in another order in a list", () => {
    assert.equal(unlike([["a", "b"]], [["b", "a"]]), `${none}args[0][0] was "a", and is "b"`);
  });

  it("knows whether a method returned a promise", () => {
    const calls = new RecordedCalls([
      call("A", "read", [1]),
      call("A", "read", [2], { async: true }),
      call("B", "x", []),
    ]);
    const asked = [
      ["A", "read"],
      ["B", "x"],
      ["A", "x"],
      ["B", "read"],
    ] as const;
    assert.deepEqual(
      asked.map(([bean, method]) => calls.isAsync(bean, method)),
      [true, false, false, false],
    );
  });
});
