/** Runs of responses that break their contracts have the issues (TRACE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans, Framework, type FrameworkOptions } from "framework";
import { Devtools } from "../index.ts";
import type { Trace } from "../run/shapes.ts";

const logger = { warn: () => undefined, error: () => undefined };

/** The run of a response that breaks its contract by these issues. */
async function runOf(value: unknown, issues: readonly object[], options: FrameworkOptions = {}): Promise<Trace> {
  const schema = {
    "~standard": { version: 1, vendor: "x", validate: () => (issues.length === 0 ? { value } : { issues }) },
  } as never;
  const app = Framework.create({ logger, ...options });
  const beans = Beans.builder().start();
  app.get("/", { responses: { 200: schema } }, () => value as never).beans(beans);
  Devtools.create().install(app, beans);
  await app.fetch(new Request("http://localhost/"));
  const list = new Request("http://localhost/framework/dev/api/requests");
  const [trace] = (await (await app.fetch(list, { peerAddress: "127.0.0.1" })).json()) as Trace[];
  assert.ok(trace);
  return trace;
}

const issue = (path: readonly PropertyKey[], message: string): object => ({ path, message });

describe("Trace.contractIssues", () => {
  it("are the places and messages of the issues, also if the response became a 500", async () => {
    const issues = [issue(["lines", 0, "a/b"], "wrong"), issue([], "bad")];
    const expected = [
      { pointer: "/lines/0/a~1b", message: "wrong" },
      { pointer: "", message: "bad" },
    ];
    const run = await runOf({}, issues, { responseChecks: "warn" });
    const enforced = await runOf({}, issues, { responseChecks: "enforce" });
    const shaped = await runOf({}, issues);
    assert.deepEqual([run.status, run.contractIssues], [200, expected]);
    assert.deepEqual([enforced.status, enforced.contractIssues], [500, expected]);
    assert.deepEqual([shaped.status, shaped.contractIssues], [500, expected]);
  });

  it("are the first 20, and the number of the others", async () => {
    const { contractIssues = [] } = await runOf(
      {},
      Array.from({ length: 25 }, (_, at) => issue([at], "wrong")),
    );
    assert.deepEqual([contractIssues.length, contractIssues.at(-1)], [21, { pointer: "", message: "and 5 more" }]);
  });

  it("quote no secret, whether its name or its value marks it", async () => {
    const secret = "hunter-77-zebra";
    const { contractIssues } = await runOf({ password: secret }, [
      issue(["password"], `expected a number, received "${secret}"`),
      issue([], `received {"password":"${secret}"}`),
      issue(["name"], `"${secret}" is no name`),
    ]);
    assert.deepEqual(contractIssues, [
      { pointer: "/password", message: "[redacted]" },
      { pointer: "", message: 'received {"password":"[redacted]"}' },
      { pointer: "/name", message: '"[redacted]" is no name' },
    ]);
  });

  it("are absent if nothing is broken or nothing is checked", async () => {
    const runs = [await runOf({}, []), await runOf({}, [issue([], "x")], { responseChecks: "off" })];
    assert.deepEqual(
      runs.map((run) => "contractIssues" in run),
      [false, false],
    );
  });
});
