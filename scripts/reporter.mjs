/**
 * The node:test reporter of `make test`: prints failed and skipped tests, and the number of passed ones.
 *
 * Node's own reporters print every test, and write no file for .ci/run and the conformance report. This one writes
 * .build/reports/test.json: the counts, and the results of the clauses with ids in titles.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { inspect } from "node:util";
import { clauseIds } from "./clause-ids.mjs";

/** @param {AsyncIterable<{ type: string, data: any }>} events */
export default async function* reporter(events) {
  const counts = { passed: 0, failed: 0, skipped: 0, clauses: [] };
  const files = new Map();
  for await (const { type, data } of events) {
    const file = files.get(data.file) ?? { titles: [], stderr: "" };
    files.set(data.file, file);
    if (type === "test:stderr") file.stderr += data.message;
    if (type !== "test:start" && type !== "test:pass" && type !== "test:fail") continue;
    file.titles.length = data.nesting;
    // No title if its suite belongs to another file: a folder's files are suites of one process.
    const titles = [...file.titles.filter((title) => title !== undefined), data.name];
    if (type === "test:start") file.titles.push(data.name);
    else yield* counted(counts, type === "test:pass", data, titles, file);
  }
  mkdirSync(".build/reports", { recursive: true });
  writeFileSync(".build/reports/test.json", JSON.stringify(counts));
  if (counts.skipped > 0) yield `${counts.skipped} skipped\n`;
  yield `${counts.passed} passed, ${counts.failed} failed\n`;
}

function* counted(counts, passed, { details, skip, todo, file, name }, titles, { stderr }) {
  const title = titles.join(" › ");
  const error = details.error?.cause ?? details.error;
  // A suite or a file fails if a child does. It is reported separately only if its hooks or body failed.
  if (details.error?.failureType === "subtestsFailed") return;
  if (skip !== undefined || todo !== undefined) {
    counts.skipped += 1;
    if (typeof skip === "string") yield `- ${title}: ${skip}\n`;
    return;
  }
  // Node reports a file as a test if it contains none, or could not be loaded.
  if (passed && (details.type === "suite" || name === file)) return;
  counts[passed ? "passed" : "failed"] += 1;
  for (const id of new Set(titles.flatMap(clauseIds))) counts.clauses.push({ id, ok: passed });
  if (!passed) yield `\n✖ ${title}\n${file}\n${inspect(error)}\n${stderr}`;
}
