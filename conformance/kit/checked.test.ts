/** A member is checked only when it is read. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Type } from "typebox";
import { checked } from "./checked.ts";

const Line = Type.Object({ path: Type.String(), status: Type.Integer(), agent: Type.Optional(Type.String()) });

describe("checked", () => {
  it("returns valid members, and members that the shape does not name", () => {
    const line = checked("the line", Line, { path: "/", status: 200, more: [1] });
    assert.deepEqual([line.path, line.status, line.agent, { ...line }], ["/", 200, undefined, { ...line }]);
    assert.equal(JSON.stringify(line), '{"path":"/","status":200,"more":[1]}');
  });

  it("rejects a missing or invalid member, but only when it is read", () => {
    const line = checked("the line", Line, { status: "200", agent: 1 });
    assert.throws(() => line.path, { name: "Violation", message: "the line has no path" });
    assert.throws(() => line.status, /^Violation: the line does not fit its shape: status, where it must be integer$/);
    assert.throws(() => line.agent, /agent, where it must be string/);
    assert.throws(() => JSON.stringify(line), /status/);
  });

  it("does not accept a list or a text as an object", () => {
    for (const value of [[], "x", null, undefined])
      assert.throws(() => checked("the line", Line, value), /^Violation: the line is .*, no object$/);
  });
});
