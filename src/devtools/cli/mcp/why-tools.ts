/**
 * Why tools: compare two runs, and report the findings of one.
 *
 *   explain_run ──▶ the run, and the last one of the same request that worked ──▶ findings, each with its call and line
 */
import { responseOf } from "../../run/compare/compare.ts";
import { diffJson, type Difference } from "../../run/compare/diff.ts";
import { divergences, type Divergence } from "../../run/compare/divergence.ts";
import { explain } from "../../run/explain/explain.ts";
import { candidatesOf, isSameRequest } from "../../run/explain/last-good.ts";
import { nameOf, type Finding } from "../../run/explain/findings.ts";
import { traceKey } from "../../run/format.ts";
import { MAX_QUERY_CHARS } from "../../run/search/index.ts";
import type { DevtoolsClient } from "../terminal/client.ts";
import { runNamed } from "../terminal/named-run.ts";
import { valueText } from "../terminal/value-text.ts";
import type { AgentComparison, AgentDifference, AgentExplanation, AgentFinding, Trace } from "../../run/shapes.ts";
import { text } from "./inputs.ts";
import { cut, pageOf } from "./pages.ts";
import { notice, paged, pagingOf, runInput, type Tool } from "./tool.ts";
import { Places, runOf } from "./views.ts";

const VALUE_CHARS = 160;
/** How many differences of one thing are named. */
const NAMED = 5;

/** `compare_runs`. */
export const compareRuns: Tool = {
  name: "compare_runs",
  description:
    "Holds two runs of a request against each other and tells what differs first and whose code made it: use it when one worked and the other did not.",
  inputs: paged({ a: runInput, b: runInput }),
  output: "AgentComparison",
  isReadOnly: true,
  async run(given, { client }): Promise<AgentComparison> {
    const [traceA, traceB] = await Promise.all([
      runNamed(client, given.text("a") ?? ""),
      runNamed(client, given.text("b") ?? ""),
    ]);
    const places = new Places(await client.read("sources"));
    const [a, b] = [runOf(traceA), runOf(traceB)];
    const all = divergences(traceA, traceB).map((one) => differenceOf(one, places));
    const [first = null] = all;
    const response = diffJson(responseOf(traceA), responseOf(traceB)).slice(0, NAMED).map(sidesOf);
    const head = { a, b, first, response };
    const { items, next } = pageOf(all, head, pagingOf("compare_runs", given, { a: a.id, b: b.id }));
    return { ...head, differences: items, next, notice };
  },
};

const differenceOf = ({ kind, by, at, differences, isExpected }: Divergence, places: Places): AgentDifference => ({
  kind,
  by: by === null ? null : places.call(by),
  seenAt: nameOf(at),
  differences: differences.slice(0, NAMED).map(sidesOf),
  isExpected,
});

const sidesOf = (difference: Difference): AgentDifference["differences"][number] => ({
  path: cut(difference.path.replace(/^\$\.?/, ""), 200),
  a: difference.kind === "added" ? "" : valueText(difference.before, VALUE_CHARS),
  b: difference.kind === "removed" ? "" : valueText(difference.after, VALUE_CHARS),
});

/** `explain_run`. */
export const explainRun: Tool = {
  name: "explain_run",
  description:
    "States the facts of a run, each with its call and line: what threw, breaks the contract, differs from the last run that worked, was swallowed or not awaited, is repeated, runs in sequence or is slow; use it first on any run that is wrong or slow.",
  inputs: paged({
    id: runInput,
    good: text("A run of the same request that worked; without it the last one that did, if one is kept."),
  }),
  output: "AgentExplanation",
  isReadOnly: true,
  async run(given, { client }): Promise<AgentExplanation> {
    const trace = await runNamed(client, given.text("id") ?? "");
    const named = given.text("good");
    const good = named === undefined ? await lastGood(client, trace) : await runNamed(client, named);
    const places = new Places(await client.read("sources"));
    const [run, comparedWith] = [runOf(trace), good === undefined ? null : runOf(good)];
    const findings = explain(trace, good).map((one) => findingOf(one, places));
    const of = { id: run.id, good: comparedWith?.id ?? null };
    const { items, next } = pageOf(findings, { run, comparedWith }, pagingOf("explain_run", given, of));
    return { run, comparedWith, findings: items, next, notice };
  },
};

function findingOf({ kind, message, call, leafId, frame, code, costUs }: Finding, places: Places): AgentFinding {
  const line = frame === null ? (call === null ? null : places.of(call)) : `${frame.file}:${frame.line}`;
  const shownCode = code === null ? null : cut(code, 200);
  const shownCall = call === null ? null : places.call(call);
  return { kind, message: cut(message, 500), call: shownCall, line, code: shownCode, leaf: leafId, costUs };
}

/** The bodies of this many runs are read to find one with the same request. */
const READ = 10;

/**
 * The last run before this one that worked, of the same request (path, query and body). Not a replay, which lacks the effects of
 * its recorded beans. A run of an earlier process takes precedence over one of the same process, since code changes between
 * processes. Undefined if none is kept.
 */
async function lastGood(client: DevtoolsClient, trace: Trace): Promise<Trace | undefined> {
  if (trace.route === null) return undefined;
  const { method, path, route } = trace;
  const asked = [`route=${JSON.stringify(`${method} ${route}`)}`, `path=${JSON.stringify(path)}`];
  const query = [...asked, "status<400", "-is:broken", "-is:failed"].join(" ");
  // A path may be longer than a query may be, and is then compared with nothing.
  if (query.length > MAX_QUERY_CHARS) return undefined;
  // Later runs come before it, in any number.
  const { hits } = await client.search(query, 100, traceKey(trace));
  for (const hit of candidatesOf(hits, trace).slice(0, READ)) {
    const read = await client.run(traceKey(hit));
    if (read !== undefined && isSameRequest(read, trace)) return read;
  }
  return undefined;
}
