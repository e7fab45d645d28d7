import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { historySlice } from "../runs/history.ts";
import { callOf, sqlOf, traceOf } from "../../run/traces.testkit.ts";
import { stage } from "../testing/stage.ts";
import { searchSlice } from "./search.ts";
import { selectionSlice } from "./selection.ts";

const first = traceOf([callOf(0, null, "Web"), callOf(1, 0, "Repo", { args: ["ORD-7"] })], {
  sequence: 1,
  startedAt: 1,
  correlationId: "dev-a",
});
const second = traceOf([callOf(0, null, "Web", { args: ["ORD-8"] }), callOf(1, 0, "Other")], {
  sequence: 2,
  startedAt: 2,
  status: 503,
  correlationId: "of-another-page",
  leaves: [sqlOf(2, 1, "select stock")],
});

describe("searchSlice", () => {
  const cases: Readonly<Record<string, readonly [runs: readonly number[], lit: readonly string[]]>> = {
    "": [[2, 1], []],
    " ord-7": [[1], ["Repo"]],
    "bean:Web arg.0=ord-8": [[2], ["Web"]],
    "sql:stock": [[2], ["Other"]],
    "status:5xx": [[2], []],
    "-status:5xx": [[1], []],
    "is:mine": [[1], []],
    "nobody has this": [[], []],
  };
  for (const [text, [runs, lit]] of Object.entries(cases))
    test(`finds ${runs.length} by ${JSON.stringify(text)} and lights the beans`, async () => {
      const { use } = await stage({ traces: [second, first] });
      const search = use(searchSlice);
      search.mine.value = new Set(["dev-a"]);
      search.text.value = text;
      assert.deepEqual(
        use(historySlice).shown.value.map((run) => run.sequence),
        runs,
      );
      assert.deepEqual([...search.lit.value], lit);
    });

  test("lights only the beans of the selected run", async () => {
    const { use } = await stage({ traces: [second, first] });
    const { text, lit } = use(searchSlice);
    text.value = "ord";
    assert.deepEqual([...lit.value], ["Web", "Repo"]);
    use(selectionSlice).selectTrace(first);
    assert.deepEqual([...lit.value], ["Repo"]);
  });

  test("finds everything, and says why, while the text is malformed", async () => {
    const { use } = await stage({ traces: [second, first] });
    const { text, issues, lit } = use(searchSlice);
    text.value = "beam:Web";
    assert.deepEqual(
      issues.value.map(({ at, length, suggestion }) => ({ at, length, suggestion })),
      [{ at: 0, length: 4, suggestion: "bean:Web" }],
    );
    assert.deepEqual([use(historySlice).shown.value.length, lit.value.size], [2, 0]);
  });
});
