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

  it("lets every twin do exactly what the one before it does", () => {
    const odd = listsOf("all").flatMap(({ id, contenders }) =>
      contenders.flatMap((twin, at) => {
        const model = contenders[at - 1];
        const expected = `${model?.name === "bare" ? "" : `${model?.name ?? ""}-`}twin`;
        const isTwin = twin.name === expected && JSON.stringify({ ...model, name: expected }) === JSON.stringify(twin);
        return twin.name.endsWith("twin") && !isTwin ? [`${id}: ${twin.name}`] : [];
      }),
    );
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
      stacks.map(({ contenders }) => contenders.filter(({ name }) => name.startsWith("hand")).map(({ name }) => name)),
      [
        ["hand", "hand-twin"],
        ["hand", "hand-twin"],
      ],
    );
  });
});
