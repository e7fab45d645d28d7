/**
 * Explain: the findings about one run, or what sets some runs apart from others, as lines for a terminal.
 *
 *    65 %  HTTP below TaxRateClient.rateOf took 528 ms, 65 % of the run: GET rates/FR
 *          528 ms · src/tax.ts:12
 *
 *   15 of 15, 0 of 42   region of Rates.of is FR
 */
import { explain } from "../../run/explain/explain.ts";
import { sentenceOf, signOf, type Finding } from "../../run/explain/findings.ts";
import { hasFailed } from "../../run/explain/last-good.ts";
import type { Difference, Shared } from "../../run/explain/share.ts";
import { WHERE, whereOf } from "../../run/explain/where.ts";
import { count, duration, traceKey } from "../../run/format.ts";
import type { Trace } from "../../run/shapes.ts";
import type { Command } from "./args.ts";
import type { Setting } from "./commands.ts";
import { lastGoodRun } from "./last-good-run.ts";
import { runNamed } from "./named-run.ts";
import { cutTo, printable, printableJson } from "./printable.ts";
import { sharedBy } from "./run-sets.ts";
import type { Screen } from "./screen.ts";

type ExplainCommand = Extract<Command, { readonly kind: "explain" }>;

/** `explain`. */
export async function printExplanation(command: ExplainCommand, setting: Setting): Promise<number> {
  const { client, screen, print } = setting;
  const { id, set, against, isJson } = command;
  if (id === undefined) {
    const shared = await sharedBy(client, { set, ids: [], against });
    if (isJson) print(printableJson(shared));
    else for (const line of sharedLines(shared, screen)) print(line);
    return 0;
  }
  const trace = await runNamed(client, id);
  const good = await lastGoodRun(client, trace);
  const findings = explain(trace, good, hasFailed(trace) ? await client.read("requests") : []);
  const { parts, steps } = whereOf(trace);
  if (isJson)
    print(printableJson({ comparedWith: good === undefined ? null : traceKey(good), parts, steps, findings }));
  else for (const line of findingLines(trace, findings, good, screen)) print(line);
  return 0;
}

const SIGN = 6;

/** The findings of a run, and where its time went. */
export function findingLines(
  trace: Trace,
  findings: readonly Finding[],
  good: Trace | undefined,
  { width, paint }: Screen,
): readonly string[] {
  const found = findings.flatMap((one) => {
    const { frame, costUs } = one;
    const about = [costUs === null ? "" : duration(costUs), frame === null ? "" : `${frame.file}:${frame.line}`];
    const rest = about.filter((part) => part !== "").join(" · ");
    const indent = "".padStart(SIGN + 2);
    const sentence = cutTo(printable(sentenceOf(one)), width - SIGN - 2);
    return [
      `${paint("strong", signOf(one, trace).padStart(SIGN))}  ${sentence}`,
      ...(rest === "" ? [] : [paint("muted", cutTo(`${indent}${printable(rest)}`, width))]),
    ];
  });
  const parts = whereOf(trace).parts.map(({ kind, us }) => `${WHERE[kind]} ${duration(us)}`);
  const compared = good === undefined ? [] : [`compared with ${traceKey(good)}, the last run that worked`];
  return [
    ...(found.length === 0 ? ["nothing stands out"] : found),
    "",
    cutTo(`where the ${duration(trace.durationUs)} went: ${parts.join(", ")}`, width),
    ...compared.map((line) => paint("muted", cutTo(line, width))),
  ];
}

/** How many facts of a group have a line. */
const FACTS = 6;

/** What some runs share. */
export function sharedLines({ ofSet, ofRest, differences, same, looked }: Shared, screen: Screen): readonly string[] {
  const { width, paint } = screen;
  const head = `${count(ofSet, "run")} against ${count(ofRest, "run")}, ${count(looked, "fact")} looked at`;
  const found = differences.flatMap((one) => differenceLines(one, { ofSet, ofRest }, screen));
  const common = same.map(({ text }) => text).join(", ");
  return [
    paint("muted", cutTo(head, width)),
    "",
    ...(found.length === 0 ? ["no fact sets them apart, beyond what chance would"] : found),
    ...(common === "" ? [] : ["", paint("muted", cutTo(printable(`in all: ${common}`), width))]),
  ];
}

function differenceLines(
  { facts, inSet, inRest, runs }: Difference,
  { ofSet, ofRest }: Pick<Shared, "ofSet" | "ofRest">,
  { width, paint }: Screen,
): readonly string[] {
  const counts = `${inSet} of ${ofSet}, ${inRest} of ${ofRest}`;
  const lines = facts.slice(0, FACTS).map(({ text }, at) => {
    const before = (at === 0 ? counts : "").padEnd(counts.length);
    return `${paint("strong", before)}  ${cutTo(printable(text), Math.max(8, width - counts.length - 2))}`.trimEnd();
  });
  const more =
    facts.length > FACTS ? [`${count(facts.length - FACTS, "more", "more")} that always come with these`] : [];
  const which = `${more.map((text) => `${text} · `).join("")}such as ${runs.slice(0, 3).join(", ")}`;
  return [...lines, paint("muted", cutTo(`${"".padStart(counts.length + 2)}${printable(which)}`, width))];
}
