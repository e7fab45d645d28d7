/**
 * A Playwright reporter beside its own `list`: leaves .build/reports/<project>.json, which .ci/run and the conformance
 * report read: the counts, and what became of the clauses whose ids titles begin with. Ends with "N passed, N failed".
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { clauseIds } from "./clause-ids.mjs";

const reports = new URL("../.build/reports/", import.meta.url);

export default class CountReporter {
  #suite;
  #project = "";

  onBegin(config, suite) {
    this.#suite = suite;
    this.#project = suite.suites[0]?.title ?? "none";
  }

  onEnd() {
    const tests = this.#suite.allTests();
    const ran = tests.filter((test) => test.outcome() !== "skipped");
    // There are no retries (playwright.config.ts), so a test that is not as expected has failed.
    const passed = ran.filter((test) => test.outcome() === "expected");
    const counts = { passed: passed.length, failed: ran.length - passed.length, skipped: tests.length - ran.length };
    const clauses = ran.flatMap((test) => clauseIds(test.title).map((id) => ({ id, ok: passed.includes(test) })));
    mkdirSync(reports, { recursive: true });
    writeFileSync(new URL(`${this.#project}.json`, reports), JSON.stringify({ ...counts, clauses }));
    if (counts.skipped > 0) process.stdout.write(`${counts.skipped} skipped\n`);
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  }
}
