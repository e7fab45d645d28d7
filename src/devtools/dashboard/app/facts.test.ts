import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { FakeDocument, setGlobals } from "../testing/fake-page.ts";
import { settled, stage } from "../testing/stage.ts";
import { factsSlice } from "./facts.ts";

const document = new FakeDocument();
let restore = (): void => undefined;
beforeEach(() => (restore = setGlobals({ document })));
afterEach(() => restore());

describe("factsSlice", () => {
  test("sends nothing while its tab is closed, and reads metrics, health and jobs every 2 seconds while it is open", async () => {
    const asked: string[] = [];
    const { use, pass } = await stage({ onRead: (name) => asked.push(name) });
    const { follow, metrics } = use(factsSlice);
    pass(10_000);
    assert.deepEqual(asked, []);
    const stop = follow();
    await settled();
    assert.deepEqual(asked.splice(0), ["aggregates", "startup", "metrics", "health", "jobs"]);
    assert.equal(metrics.value, 3);
    pass(2_000);
    await settled();
    assert.deepEqual(asked.splice(0), ["metrics", "health", "jobs"]);
    document.visibilityState = "hidden";
    pass(2_000);
    document.visibilityState = "visible";
    stop();
    pass(2_000);
    await settled();
    assert.deepEqual(asked, []);
  });

  test("does not ask again while the earlier request is open", async () => {
    let asked = 0;
    const { use, pass } = await stage({ onRead: (name) => (name === "metrics" && asked++, new Promise(() => {})) });
    const stop = use(factsSlice).follow();
    pass(20_000);
    await settled();
    assert.equal(asked, 1);
    stop();
  });

  test("says why something cannot be read, and keeps the earlier values", async () => {
    let down = false;
    const { use } = await stage({ onRead: (name) => (down && name !== "metrics" ? undefined : { name }) });
    const { aggregates, failure, load, loadMetrics } = use(factsSlice);
    await load();
    down = true;
    await load();
    await loadMetrics();
    assert.deepEqual([aggregates.value, failure.value], [{ name: "aggregates" }, "no such thing"]);
    down = false;
    await load();
    assert.equal(failure.value, null);
  });

  test("puts a dead letter back into its engine, reads the jobs again, and says why if that failed", async () => {
    const posted: string[] = [];
    const asked: string[] = [];
    const onPost = (_: unknown, name: string): void => {
      posted.push(name);
      if (posted.length > 1) throw new Error("pg-boss is not connected");
    };
    const { use } = await stage({ onRead: (name) => asked.push(name), onPost });
    const { retry, failure } = use(factsSlice);
    const letter = { id: "7/8", job: "mail", input: {}, reason: "no", issues: [], run: null };
    await retry(letter);
    await settled();
    assert.deepEqual([posted, asked, failure.value], [["jobs/mail/7%2F8"], ["metrics", "health", "jobs"], null]);
    await retry(letter);
    assert.equal(failure.value, "pg-boss is not connected");
  });
});
