import { deepEqual } from "node:assert/strict";
import { describe, it } from "node:test";
import { listsOf } from "./lists.ts";
import { rows } from "./rows.ts";

describe("listsOf", () => {
  for (const peers of ["usual", "all"] as const)
    it(`holds bare, its twin and at most eight servers in every list (${peers} peers)`, () => {
      const odd = listsOf(peers).filter(({ contenders }) => {
        const [bare, twin] = contenders;
        return bare?.name !== "bare" || twin?.name !== "twin" || contenders.length > 8;
      });
      deepEqual(odd, []);
    });

  it("lets the twin do exactly what bare does", () => {
    const odd = listsOf("all").filter(({ contenders: [bare, twin] }) => {
      return JSON.stringify({ ...bare, name: "" }) !== JSON.stringify({ ...twin, name: "" });
    });
    deepEqual(odd, []);
  });

  it("has the list of every row", () => {
    const ids = new Set(listsOf("usual").map(({ id }) => id));
    const missing = rows.filter(({ source }) => "list" in source && !ids.has(source.list)).map(({ id }) => id);
    deepEqual(missing, []);
  });

  it("has the hand-written server in every stack", () => {
    const stacks = listsOf("usual").filter(({ id }) => id === "stack" || id === "traced");
    deepEqual(
      stacks.map(({ contenders }) => contenders.some(({ name }) => name === "hand")),
      [true, true],
    );
  });
});
