/**
 * A node:test reporter that writes one JSON object at the end: how many tests (not suites) passed,
 * failed and were skipped, and the full names of the failed ones. Empty describes count as nothing.
 */

/** @param {AsyncIterable<{ type: string, data: any }>} events */
export default async function* countReporter(events) {
  const counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
  const names = [];
  for await (const { type, data } of events) {
    if (type === "test:start") names[data.nesting] = data.name;
    if (type !== "test:pass" && type !== "test:fail") continue;
    const path = [...names.slice(0, data.nesting), data.name].join(" › ");
    count(counts, type, data, path);
  }
  yield JSON.stringify(counts);
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
