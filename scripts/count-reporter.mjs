/**
 * A node:test reporter that writes one JSON object at the end: how many tests (not suites) passed,
 * failed and were skipped, the full names of the failed ones, and what became of the clauses whose ids
 * the titles begin with. Empty describes count as nothing.
 */
import { clauseIds } from "./clause-ids.mjs";

/** @param {AsyncIterable<{ type: string, data: any }>} events */
export default async function* countReporter(events) {
  const counts = { passed: 0, failed: 0, skipped: 0, failures: [], clauses: [] };
  const names = [];
  for await (const { type, data } of events) {
    if (type === "test:start") names[data.nesting] = data.name;
    if (type !== "test:pass" && type !== "test:fail") continue;
    const titles = [...names.slice(0, data.nesting), data.name];
    count(counts, type, data, titles.join(" › "));
    counts.clauses.push(...clausesOf(titles, type, data));
  }
  yield JSON.stringify(counts);
}

function clausesOf(titles, type, data) {
  if (data.details?.type === "suite" || data.skip !== undefined || data.todo !== undefined) return [];
  return [...new Set(titles.flatMap(clauseIds))].map((id) => ({ id, ok: type === "test:pass" }));
}

function count(counts, type, data, path) {
  const suite = data.details?.type === "suite";
  if (type === "test:fail" && data.todo === undefined) {
    // A suite fails when a child does; it is a finding of its own only when its hooks or body failed.
    const byChild = data.details?.error?.failureType === "subtestsFailed";
    if (suite && byChild) return;
    counts.failed += 1;
    counts.failures.push(`${path}: ${message(data.details?.error)}`);
  } else if (suite) return;
  else if (data.skip !== undefined || data.todo !== undefined) counts.skipped += 1;
  else counts.passed += 1;
}

function message(error) {
  const cause = error?.cause;
  const text = String(cause instanceof Error ? cause.message : (cause ?? error?.message ?? "failed"));
  return text.split("\n").find((line) => line.trim() !== "") ?? "failed";
}
