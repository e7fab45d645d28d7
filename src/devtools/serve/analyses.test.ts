/** The endpoint of analyses: the runs of a question, and what is rejected. */
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { Framework } from "framework";
import { Devtools } from "../index.ts";
import type { Answers, Questions, SentRun } from "../run/analyses.ts";
import { whyOf } from "../run/explain/why.ts";
import { traceKey } from "../run/format.ts";
import type { Trace } from "../run/shapes.ts";
import { traceOf } from "../run/traces.testkit.ts";

const json = { "Content-Type": "application/json" };

/** An application that rejects bodies over 10 bytes, with one run that failed. */
async function served(t: TestContext) {
  const app = Framework.create({ maxBodyBytes: 10, logger: { warn: () => undefined, error: () => undefined } });
  app.get("/fails", () => {
    throw new RangeError("no stock");
  });
  Devtools.create().install(app);
  await app.start(0);
  t.after(() => app.stop());
  const at = `${app.url}/framework/dev/api`;
  const post = (name: string, body: string, headers: Record<string, string> = json, method = "POST") =>
    fetch(`${at}/analyses/${name}`, method === "POST" ? { method, body, headers } : { method, headers });
  const ask = <K extends keyof Answers>(name: K, question: Questions[K]) => post(name, JSON.stringify(question));
  /** Status, detail and missing keys of a Problem. */
  const problemOf = async (response: Response): Promise<readonly unknown[]> => {
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    const { status, detail, missing } = (await response.json()) as Readonly<Record<string, unknown>>;
    assert.equal(status, response.status);
    return [status, detail, ...(missing === undefined ? [] : [missing])];
  };
  await (await fetch(`${app.url}/fails`)).text();
  const [run] = (await (await fetch(`${at}/requests`)).json()) as Trace[];
  return { post, ask, problemOf, run: run ?? assert.fail("no run") };
}

const other: Trace = traceOf([], { instance: "other", sequence: 7 });
const why = (run: SentRun): Questions["why"] => ({ run, own: null, good: null, others: [] });

describe("analysesOf", () => {
  it("DEV-090: explains a run that is held, and one that is sent, beyond the application's own bound of a body", async (t) => {
    const { ask, run } = await served(t);
    for (const sent of [traceKey(run), run]) {
      const response = await ask("why", why(sent));
      assert.deepEqual([response.status, await response.json()], [200, whyOf(run, undefined)]);
    }
    const response = await ask("share", { set: [traceKey(run)], rest: [other], without: [], commits: {} });
    const { ofSet, ofRest } = (await response.json()) as Answers["share"];
    assert.deepEqual([ofSet, ofRest], [1, 1]);
  });

  it("DEV-091: names the runs that are not held", async (t) => {
    const { ask, problemOf, run } = await served(t);
    const response = await ask("why", { ...why("i1.1"), others: [traceKey(run), "i2.2", ""] });
    assert.deepEqual(await problemOf(response), [404, "a run is not held", ["i1.1", "i2.2", ""]]);
  });

  it("DEV-092: rejects what is no question, and what is too large", async (t) => {
    const { ask, post, problemOf, run } = await served(t);
    const no = "this is no question for why";
    for (const body of ["", "no json", "null", "[]", "{}", JSON.stringify({ ...why("a.1"), run: 1 })])
      assert.deepEqual(await problemOf(await post("why", body)), [400, no], body);
    const damaged = { ...run, calls: [{}] } as unknown as Trace;
    assert.deepEqual(await problemOf(await ask("why", why(damaged))), [400, no]);
    assert.deepEqual(await problemOf(await ask("file", { text: "hello" })), [400, "The file is not JSON."]);
    assert.deepEqual(await problemOf(await post("why", "{}", { "Content-Type": "text/plain" })), [
      415,
      "a question is application/json",
    ]);
    const deep = JSON.stringify({ a: other, b: { ...other, response: { ...other.response, body: "deep" } } });
    const nested = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    assert.equal((await post("compare", deep.replace('"deep"', nested))).status, 400);
    const many = await ask("why", { ...why(other), others: Array.from({ length: 501 }, () => "a.1") });
    assert.deepEqual(await problemOf(many), [400, "more than 500 runs"]);
    const [status] = await problemOf(await ask("file", { text: " ".repeat(33_600_000) }));
    assert.equal(status, 413);
  });

  it("DEV-093: takes POST alone, for the analyses that there are", async (t) => {
    const { post, problemOf } = await served(t);
    for (const method of ["GET", "PUT", "DELETE"]) {
      const response = await post("why", "", json, method);
      assert.equal(response.headers.get("allow"), "POST");
      assert.deepEqual(await problemOf(response), [405, undefined]);
    }
    for (const name of ["whys", "constructor", "why/x"])
      assert.deepEqual(await problemOf(await post(name, "{}")), [404, "there is no such analysis"], name);
  });

  it("is behind the guard, and has its headers", async (t) => {
    const { post } = await served(t);
    const foreign = await post("why", "{}", { ...json, Origin: "http://evil.example" });
    assert.deepEqual([foreign.status, foreign.headers.get("cache-control")], [403, "no-store"]);
    const own = await post("why", "{}");
    assert.equal(own.headers.get("cross-origin-resource-policy"), "same-origin");
  });
});
