import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { HistoryPage, SearchPage, Session } from "../../run/shapes.ts";
import { comparisonSlice } from "../compare/compare.ts";
import { applicationSlice } from "../store/application.ts";
import { panelsSlice } from "../store/panels.ts";
import { searchSlice } from "../store/search.ts";
import { selectionSlice } from "../store/selection.ts";
import { runOf, stage } from "../testing/stage.ts";
import { earlierSlice, sessionName } from "./earlier.ts";

const session = (instance: string, current: boolean): Session => ({
  instance,
  startedAt: 5,
  app: "shop",
  commit: "1a2b3c4d5e",
  branch: "main",
  runs: 2,
  skipped: 0,
  current,
});
const former = (sequence: number) => runOf(sequence, { instance: "old", startedAt: 1_000 - sequence });
const pages: Readonly<Record<string, HistoryPage>> = {
  "": { runs: [former(2)], next: "old.2" },
  "old.2": { runs: [former(1)], next: null },
};
const found: SearchPage = {
  hits: [{ ...former(1), kind: "request", calls: [1], leaves: [], parts: [], route: null }],
  next: null,
  searched: 40,
  tookUs: 1500,
};

/** The application's kept runs that the page lacks. */
function kept(name: string, query: Readonly<Record<string, string>>): unknown {
  if (name === "sessions") return { sessions: [session("i1", true), session("old", false)], file: "runs.jsonl" };
  if (name === "history") return pages[query["cursor"] ?? ""];
  if (name === "search") return query["q"] === "ord" ? found : undefined;
  if (name === "runs/old.9") return { instance: "old", sequence: 9 };
  return name === "runs/old.1" ? former(1) : undefined;
}

describe("earlierSlice", () => {
  test("lists sessions, and the runs of one page by page, only on request", async () => {
    const asked: string[] = [];
    const { use } = await stage({
      onRead: (name, query) => {
        asked.push(`${name} ${query["cursor"] ?? ""}`);
        return kept(name, query);
      },
    });
    const { sessions, listed, toggleSessions, toggleSession, more } = use(earlierSlice);
    assert.deepEqual([sessions.value, asked], [null, []]);
    await toggleSessions();
    assert.deepEqual(
      sessions.value?.map(({ instance }) => instance),
      ["i1", "old"],
    );
    await toggleSession("old");
    await more();
    await more();
    assert.deepEqual(
      listed.value?.rows.map(({ sequence }) => sequence),
      [2, 1],
    );
    assert.deepEqual(asked, ["sessions ", "history ", "history old.2"]);
    await toggleSession("old");
    assert.equal(listed.value, null);
  });

  test("searches everything for the text in the field, and says what is wrong", async () => {
    const { use } = await stage({ onRead: kept });
    const { listed, failure, searchKept } = use(earlierSlice);
    use(searchSlice).text.value = "ord";
    await searchKept();
    assert.deepEqual([listed.value?.rows.length, listed.value?.said], [1, "40 runs searched in 1.50 ms"]);
    use(searchSlice).text.value = "other";
    await searchKept();
    assert.equal(failure.value, "no such thing");
  });

  test("opens a run, which is then in the list, selected, and comparable with a present one", async () => {
    const now = runOf(7);
    const { use } = await stage({ traces: [now], onRead: kept });
    await use(earlierSlice).open("old.1");
    const { trace, mark, runOf: find } = use(selectionSlice);
    assert.deepEqual([trace.value?.instance, use(applicationSlice).traces.value.length], ["old", 2]);
    mark("a", former(1));
    mark("b", find("i1.7") ?? now);
    assert.deepEqual(
      [use(comparisonSlice).comparison.value?.a.instance, use(comparisonSlice).comparison.value?.b.instance],
      ["old", "i1"],
    );
  });

  test("says why a run cannot be opened", async () => {
    const { use } = await stage({ onRead: kept });
    const { notice } = use(panelsSlice);
    await use(earlierSlice).open("old.8");
    assert.equal(notice.value, "Run old.8 cannot be opened: no such thing");
    assert.equal(use(selectionSlice).trace.value, null);
  });

  test("ignores a late response to an earlier request", async () => {
    let finish = (_: unknown): void => undefined;
    const slow = new Promise((resolve) => (finish = resolve));
    const { use } = await stage({ onRead: (name, query) => (query["session"] === "slow" ? slow : kept(name, query)) });
    const { listed, toggleSession } = use(earlierSlice);
    const first = toggleSession("slow");
    await toggleSession("old");
    finish({ runs: [], next: null });
    await first;
    assert.deepEqual([listed.value?.of, listed.value?.rows.length], ["old", 1]);
  });
});

describe("sessionName", () => {
  test("is when it started, and the commit, or the instance if that is unknown", () => {
    assert.match(sessionName(session("old", false)), /^1 Jan \d\d:\d\d:00 · main 1a2b3c4$/);
    assert.match(sessionName({ ...session("0123456789", false), commit: null, branch: null }), / · 01234567$/);
  });
});
