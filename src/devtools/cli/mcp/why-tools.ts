/**
 * Why tools: compare two runs, and report the findings of one.
 *
 *   explain_run ──▶ the run, and the last one of the same request that worked ──▶ findings, each with its call and line
 */
import { responseOf } from "../../run/compare/compare.ts";
import { diffJson, type Difference } from "../../run/compare/diff.ts";
import { divergences, type Divergence } from "../../run/compare/divergence.ts";
import { explain } from "../../run/explain/explain.ts";
import { hasFailed } from "../../run/explain/last-good.ts";
import { nameOf, sentenceOf, type Finding } from "../../run/explain/findings.ts";
import { WHERE, whereOf } from "../../run/explain/where.ts";
import { outsideName } from "../../run/outside.ts";
import { lastGoodRun } from "../terminal/last-good-run.ts";
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
    const good = named === undefined ? await lastGoodRun(client, trace) : await runNamed(client, named);
    const places = new Places(await client.read("sources"));
    const [run, comparedWith] = [runOf(trace), good === undefined ? null : runOf(good)];
    const beside = hasFailed(trace) ? await client.read("requests") : [];
    const findings = explain(trace, good, beside).map((one) => findingOf(one, places));
    const of = { id: run.id, good: comparedWith?.id ?? null };
    const head = { run, comparedWith, ...timeOf(trace) };
    const { items, next } = pageOf(findings, head, pagingOf("explain_run", given, of));
    return { ...head, findings: items, next, notice };
  },
};

/** How many steps outside of beans are named. */
const STEPS = 12;

function timeOf(trace: Trace): Pick<AgentExplanation, "time" | "outside"> {
  const { parts, steps } = whereOf(trace);
  return {
    time: parts.map(({ kind, us }) => ({ part: WHERE[kind], us })),
    outside: steps.slice(0, STEPS).map((step) => ({ part: cut(outsideName(step), 100), us: step.us })),
  };
}

function findingOf(one: Finding, places: Places): AgentFinding {
  const { kind, call, leafId, frame, code, costUs } = one;
  const line = frame === null ? (call === null ? null : places.of(call)) : `${frame.file}:${frame.line}`;
  const shownCode = code === null ? null : cut(code, 200);
  const shownCall = call === null ? null : places.call(call);
  return { kind, message: cut(sentenceOf(one), 500), call: shownCall, line, code: shownCode, leaf: leafId, costUs };
}
