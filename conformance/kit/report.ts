/**
 * One line per requirement: the promise, whether it is kept, and the evidence.
 *
 *   ran cases + clauses ──▶ Report ──▶ screen | report.json | JUnit
 */
import type { Clause } from "../../spec/clauses.ts";
import { requirements, type Requirement, type RequirementId } from "../../spec/requirements.ts";
import { sharedCauses, type Cause } from "./causes.ts";
import { curl } from "./curl.ts";
import { describeExchange, short } from "./exchange.ts";
import type { Report, RequirementResult } from "./report-shape.ts";
import { declared, lacking, type Ran, type SubjectRun } from "./run.ts";
import type { Suite } from "./suite.ts";
import { exitCode, verdictOf } from "./verdict.ts";

/** The input of a report. */
export interface Findings {
  readonly runs: readonly SubjectRun[];
  /** The ids to report, in order. */
  readonly ids: readonly RequirementId[];
  readonly clauses: ReadonlyMap<string, Clause>;
  /** Ids that are known to fail. */
  readonly knownFailing?: ReadonlySet<string>;
  /** The suite that found them. */
  readonly suite?: Suite;
}

/** The report of a run. */
export function makeReport({ runs, ids, clauses, knownFailing = new Set(), suite }: Findings): Report {
  const results = ids.map((id) => resultOf(id, runs, clauses.get(id), knownFailing.has(id)));
  const counts = Object.fromEntries(
    ["pass", "fail", "warn", "note", "error", "n/a", "unrun"].map((verdict) => [
      verdict,
      results.filter((result) => result.verdict === verdict).length,
    ]),
  );
  const left = runs.reduce((sum, run) => sum + run.left, 0);
  const all = runs.reduce((sum, run) => sum + run.ran.length, left);
  const ended = left === 0 ? {} : { ended: `the deadline came when ${all - left} of ${all} cases had been run` };
  const broken = runs.flatMap(({ ran }) => ran.filter(({ outcome }) => outcome !== "held"));
  return {
    report: 1,
    ...(suite === undefined ? {} : { suite }),
    subjects: runs.map(({ url, about }) => ({ url, ...about, features: [...about.features] })),
    conformant: left === 0 && exitCode(results, knownFailing) === 0,
    ...ended,
    scores: { source: scoreOf(results, "source"), house: scoreOf(results, "house") },
    counts,
    shared: sharedCauses(broken),
    results,
  };
}

const levels = ["MUST", "SHOULD", "MAY"] as const;

type Score = Report["scores"]["source"];

function scoreOf(results: readonly RequirementResult[], origin: Clause["origin"]): Score {
  const ran = results.filter((result) => result.origin === origin && !isUnproven(result));
  const byLevel = levels.map((level) => [level, ran.filter((result) => result.level === level)] as const);
  const counted = byLevel.filter(([, all]) => all.length > 0).map(([level, all]) => [level, keptOf(all)] as const);
  return { ...keptOf(ran), ...Object.fromEntries(counted) };
}

function keptOf(results: readonly RequirementResult[]): { kept: number; of: number } {
  return { kept: results.filter(({ verdict }) => verdict === "pass").length, of: results.length };
}

/** Did nothing run that could prove it? */
const isUnproven = ({ verdict }: RequirementResult): boolean => verdict === "n/a" || verdict === "unrun";

function resultOf(
  id: RequirementId,
  runs: readonly SubjectRun[],
  clause: Clause | undefined,
  known: boolean,
): RequirementResult {
  const requirement: Requirement = requirements[id];
  const { level, surface } = requirement;
  const ran = runs.flatMap((run) =>
    run.ran.filter((result) => result.case.id === id).map((result) => caseResult(result, run)),
  );
  const missing = runs.some(({ about }) => declared(requirement, about))
    ? []
    : lacking(requirement, runs[0]?.about.features ?? []);
  const proven = verdictOf(
    level,
    ran.map(({ outcome }) => outcome),
  );
  const verdict = proven === "unrun" && missing.length > 0 ? "n/a" : proven;
  return {
    id,
    level,
    origin: clause?.origin ?? "house",
    surface,
    sentence: clause?.sentence ?? "",
    verdict,
    ...(verdict === "n/a" ? { reason: `the subject does not declare ${missing.join(", ")}` } : {}),
    ...(verdict === "unrun" ? { reason: reasonUnrun(surface, runs) } : {}),
    ...(known ? { known } : {}),
    cases: ran,
  };
}

function caseResult(ran: Ran, run: SubjectRun): RequirementResult["cases"][number] {
  const { outcome, reason, comparison, exchanges } = ran;
  const failed = ran.failed.slice(0, mostShown);
  return {
    title: ran.case.title,
    profile: run.about.profile,
    outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(comparison === undefined ? {} : { comparison: { ...comparison, rows: [...comparison.rows] } }),
    failed: failed.map(describeExchange),
    ...(failed.length === 0 ? {} : { commands: failed.map(({ sent }) => curl(sent, run) ?? "") }),
    exchanges: outcome === "held" ? [] : exchanges.slice(-mostShown).map(describeExchange),
  };
}

const mostShown = 12;

function reasonUnrun(surface: Requirement["surface"], runs: readonly SubjectRun[]): string {
  if (surface === "page") return "proven in a browser, by this repository's tests";
  return runs.some(({ left }) => left > 0) ? "the deadline came first" : "no subject of the profile it needs";
}

/** The symbols of the verdicts. */
export const marks = { pass: "✓", fail: "✗", warn: "!", note: "·", error: "?", "n/a": "–", unrun: " " } as const;

/** The report for a person: a line per requirement that ran, or for all. Broken ones come at the end, in full. */
export function screen(report: Report, { all = false }: { readonly all?: boolean } = {}): string {
  const { results, shared, subjects, ended, suite } = report;
  const shown = results.filter((result) => all || !isUnproven(result));
  const bad = results.filter(({ verdict }) => verdict === "fail" || verdict === "error" || verdict === "warn");
  const listed = results.filter(({ known, verdict }) => known === true && verdict === "pass").map(({ id }) => id);
  return [
    ...shown.map(lineOf),
    ...(bad.length === 0 ? [] : ["", "Not kept:", ...bad.flatMap((result) => [lineOf(result), ...detailsOf(result)])]),
    ...(shared.length === 0 ? [] : ["", "Clauses that fail on one exchange:", ...shared.map(causeLine)]),
    ...(listed.length === 0 ? [] : ["", `Listed as known to fail, and kept: ${listed.join(", ")}`]),
    "",
    ...subjects.map(({ implementation, version, engine, profile, url }) =>
      short(`${implementation} ${version}, ${engine}, ${profile} at ${url}`, longest),
    ),
    ...(suite === undefined ? [] : [suiteLine(suite)]),
    scoreLine(report),
    ...(ended === undefined ? [] : [`Not whole: ${ended}.`]),
  ].join("\n");
}

/** `suite 0.1.0 at 4f2c…, 2026-11-28T12:00:00.000Z, Node 20.20.2`. */
export function suiteLine({ version, commit, date, node }: Suite): string {
  return `suite ${version}${commit === null ? "" : ` at ${commit}`}, ${date}, Node ${node}`;
}

/** The score of each origin and level, `source: MUST 59 of 59, SHOULD 2 of 3; house: MUST 12 of 120`, and what was not run. */
export function scoreLine({ results, counts }: Pick<Report, "results" | "counts">): string {
  const scores = (["source", "house"] as const).flatMap((origin) => {
    const score = scoreOf(results, origin);
    const ran = levels.flatMap((level) => (score[level] === undefined ? [] : [[level, score[level]] as const]));
    return ran.length === 0
      ? []
      : [`${origin}: ${ran.map(([level, { kept, of }]) => `${level} ${kept} of ${of}`).join(", ")}`];
  });
  const others = (["note", "error", "n/a", "unrun"] as const).flatMap((verdict) => {
    const count = counts[verdict] ?? 0;
    return count === 0 ? [] : [`${count} ${verdictWords[verdict]}`];
  });
  return [...scores, ...(others.length === 0 ? [] : [others.join(", ")])].join("; ");
}

const verdictWords = {
  note: "noted",
  error: "where the suite failed",
  "n/a": "not applicable",
  unrun: "not run",
} as const;

function lineOf({ id, level, origin, verdict, sentence, reason, known }: RequirementResult): string {
  const why = reason === undefined ? "" : ` (${verdict === "n/a" ? "n/a: " : "not run: "}${reason})`;
  return `${marks[verdict]} ${headline({ id, level, origin, sentence })}${known === true ? " (known)" : ""}${why}`;
}

/** A requirement on one line. */
export function headline({
  id,
  level,
  origin,
  sentence,
}: Pick<RequirementResult, "id" | "level" | "origin" | "sentence">): string {
  return `${id.padEnd(12)} ${level.padEnd(6)} ${origin.padEnd(6)} ${sentence}`;
}

function causeLine({ cause, ids }: Cause): string {
  return `    ${cause}: ${ids.join(", ")}`;
}

/** The failed cases, each under `title`, with expected and actual values, and the failed exchanges marked. */
export function brokenCases(
  { cases }: RequirementResult,
  title: (found: RequirementResult["cases"][number]) => string,
): readonly string[] {
  return cases
    .filter(({ outcome }) => outcome !== "held")
    .flatMap((found) => [
      `    ${title(found)}`,
      ...compared(found).map((line) => `      ${line}`),
      ...found.failed.filter((one) => !found.exchanges.includes(one)).flatMap((one) => exchangeLines(found, one)),
      ...found.exchanges.flatMap((one) => exchangeLines(found, one)),
    ]);
}

/** An exchange. A failed one is followed by the command that repeats its request. */
function exchangeLines({ failed, commands }: RequirementResult["cases"][number], one: string): readonly string[] {
  const at = failed.indexOf(one);
  const command = commands?.[at] ?? "";
  return [`    ${at < 0 ? " " : "✗"} ${one}`, ...(command === "" ? [] : [`      $ ${command}`])];
}

const longest = 500;

function compared({ reason = "", comparison }: RequirementResult["cases"][number]): readonly string[] {
  if (comparison === undefined) return [short(reason, 2 * longest)];
  const { what, expected, seen, rows } = comparison;
  if (rows.length === 0) return [what, `  expected ${short(expected, longest)}`, `  seen     ${short(seen, longest)}`];
  const failing = rows.filter(({ held }) => !held);
  return [
    `${what}, ${failing.length} of ${rows.length} rows:`,
    ...rows.map((row) => {
      const values = `  expected ${short(row.expected, longest)}   seen ${short(row.seen, longest)}`;
      return `  ${row.held ? "✓" : "✗"} ${short(row.name, 60)}${row.held ? "" : values}`;
    }),
  ];
}

function detailsOf(result: RequirementResult): readonly string[] {
  return brokenCases(result, ({ title, profile }) => `${title} [${profile}]`);
}
