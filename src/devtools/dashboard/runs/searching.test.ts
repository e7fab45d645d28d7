import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf, sqlOf, traceOf } from "../../run/traces.testkit.ts";
import { applicationSlice } from "../store/application.ts";
import { searchSlice } from "../store/search.ts";
import { selectionSlice } from "../store/selection.ts";
import { settled, stage } from "../testing/stage.ts";
import { historySlice } from "./history.ts";
import { searchHelpSlice } from "./search-help.ts";
import { followSearch } from "./searching.ts";

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

describe("followSearch", () => {
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
      const stop = followSearch(use);
      search.mine.value = new Set(["dev-a"]);
      search.text.value = text;
      await settled();
      stop();
      assert.deepEqual(
        use(historySlice).shown.value.map((run) => run.sequence),
        runs,
      );
      assert.deepEqual([...search.lit.value], lit);
    });

  test("lights only the beans of the selected run", async () => {
    const { use } = await stage({ traces: [second, first] });
    const { text, lit } = use(searchSlice);
    followSearch(use);
    text.value = "ord";
    await settled();
    assert.deepEqual([...lit.value], ["Web", "Repo"]);
    use(selectionSlice).selectTrace(first);
    assert.deepEqual([...lit.value], ["Repo"]);
  });

  test("finds everything, and says why, while the text is malformed", async () => {
    const { use } = await stage({ traces: [second, first] });
    const { text, issues, lit } = use(searchSlice);
    followSearch(use);
    text.value = "beam:Web";
    await settled();
    assert.deepEqual(
      issues.value.map(({ at, length, suggestion }) => ({ at, length, suggestion })),
      [{ at: 0, length: 4, suggestion: "bean:Web" }],
    );
    assert.deepEqual([use(historySlice).shown.value.length, lit.value.size], [2, 0]);
  });

  test("asks about runs that arrive alone, and keeps what was found until a new text has a result", async () => {
    const { use, kept, arrive, frame } = await stage({ traces: [first] });
    const { text, searching } = use(searchSlice);
    const { shown } = use(historySlice);
    const numbers = (): readonly number[] => shown.value.map(({ sequence }) => sequence);
    followSearch(use);
    text.value = "bean:Web";
    assert.deepEqual([searching.value, numbers()], [false, [1]]);
    await settled();
    kept.push(second);
    arrive(second);
    frame();
    assert.deepEqual([searching.value, numbers()], [true, [1]]);
    await settled();
    assert.deepEqual(numbers(), [2, 1]);
    text.value = "status:5xx";
    assert.deepEqual(numbers(), [2, 1]);
    await settled();
    assert.deepEqual(numbers(), [2]);
    text.value = "";
    assert.deepEqual([searching.value, numbers()], [false, [2, 1]]);
  });

  test("says why nothing was searched, and searches when the application is back", async () => {
    const down = { now: false };
    const { use } = await stage({ traces: [second, first], down });
    const { text, failure, searching } = use(searchSlice);
    const { online } = use(applicationSlice);
    followSearch(use);
    down.now = true;
    online.value = false;
    text.value = "status:5xx";
    await settled();
    assert.deepEqual([failure.value, searching.value], ["Failed to fetch", false]);
    down.now = false;
    online.value = true;
    await settled();
    assert.deepEqual([failure.value, use(historySlice).shown.value.length], [null, 1]);
  });

  test("finds in a run that the application does not hold", async () => {
    const { use, kept } = await stage({ traces: [second, first] });
    kept.length = 0;
    const { text } = use(searchSlice);
    followSearch(use);
    text.value = "status:5xx";
    for (let turn = 0; turn < 3; turn += 1) await settled();
    assert.deepEqual(
      use(historySlice).shown.value.map(({ sequence }) => sequence),
      [2],
    );
  });
});

describe("searchHelpSlice", () => {
  test("reads the fields once", async () => {
    const down = { now: false };
    const { use } = await stage({ down });
    const { fields, failure, load } = use(searchHelpSlice);
    await load();
    assert.deepEqual(fields.value[0], {
      name: "bean",
      help: "a bean that was called",
      example: "bean:OrderRepository",
    });
    down.now = true;
    await load();
    assert.equal(failure.value, null);
  });
});
