/**
 * A Playwright reporter in addition to `list`. It writes .build/reports/<project>.json for .ci/run and the conformance report:
 * the counts, and the results of the clauses with ids in titles. It ends with "N passed, N failed".
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
    // There are no retries (playwright.config.ts), so a test with an unexpected result has failed.
    const passed = ran.filter((test) => test.outcome() === "expected");
    const counts = { passed: passed.length, failed: ran.length - passed.length, skipped: tests.length - ran.length };
    const clauses = ran.flatMap((test) => clauseIds(test.title).map((id) => ({ id, ok: passed.includes(test) })));
    mkdirSync(reports, { recursive: true });
    writeFileSync(new URL(`${this.#project}.json`, reports), JSON.stringify({ ...counts, clauses }));
    if (counts.skipped > 0) process.stdout.write(`${counts.skipped} skipped\n`);
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  }
}
