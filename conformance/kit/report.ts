/**
 * One line per requirement: what is promised, whether it is kept, and how that is known.
 *
 *   ran cases + titled tests + clauses ──▶ Report ──▶ screen | report.json | JUnit
 */
import type { Clause } from "../../spec/clauses.ts";
import { requirements, type Requirement, type RequirementId } from "../../spec/requirements.ts";
import type { Titled } from "./clause-titles.ts";
import { describeExchange } from "./exchange.ts";
import type { Report, RequirementResult } from "./report-shape.ts";
import { declared, lacking, type SubjectRun } from "./run.ts";
import { exitCode, verdictOf, type Outcome } from "./verdict.ts";

/** Everything a report is made of. */
export interface Findings {
  readonly runs: readonly SubjectRun[];
  /** The ids to report, in order. */
  readonly ids: readonly RequirementId[];
  readonly clauses: ReadonlyMap<string, Clause>;
  /** Tests titled with ids; empty for a subject that is not this repository's. */
  readonly titled: ReadonlyMap<string, Titled>;
  readonly knownFailing: ReadonlySet<string>;
}

/** The report of a run. */
export function makeReport({ runs, ids, clauses, titled, knownFailing }: Findings): Report {
  const results = ids.map((id) => resultOf(id, runs, clauses.get(id)?.sentence ?? "", titled.get(id)));
  const counts = Object.fromEntries(
    ["pass", "fail", "warn", "note", "error", "n/a", "unrun"].map((verdict) => [
      verdict,
      results.filter((result) => result.verdict === verdict).length,
    ]),
  );
  return {
    report: 1,
    subjects: runs.map(({ url, about }) => ({ url, ...about, features: [...about.features] })),
    conformant: exitCode(results, knownFailing) === 0,
    counts,
    results: [...results],
  };
}

function resultOf(
  id: RequirementId,
  runs: readonly SubjectRun[],
  sentence: string,
  titled: Titled | undefined,
): RequirementResult {
  const requirement: Requirement = requirements[id];
  const { level, surface } = requirement;
  const ran = runs.flatMap(({ about, ran: all }) =>
    all.filter((result) => result.case.id === id).map((result) => ({ ...result, profile: about.profile })),
  );
  const tests = testOutcomes(titled);
  const missing = runs.some(({ about }) => declared(requirement, about))
    ? []
    : lacking(requirement, runs[0]?.about.features ?? []);
  const proven = verdictOf(level, [...ran.map(({ outcome }) => outcome), ...tests]);
  const verdict = proven === "unrun" && missing.length > 0 ? "n/a" : proven;
  return {
    id,
    level,
    surface,
    sentence,
    verdict,
    ...(verdict === "n/a" ? { reason: `the subject does not declare ${missing.join(", ")}` } : {}),
    ...(verdict === "unrun" ? { reason: reasonUnrun(surface) } : {}),
    tests: tests.length,
    cases: ran.map((result) => ({
      title: result.case.title,
      profile: result.profile,
      outcome: result.outcome,
      ...(result.reason === undefined ? {} : { reason: result.reason }),
      exchanges: result.outcome === "held" ? [] : result.exchanges.slice(-12).map(describeExchange),
    })),
  };
}

function testOutcomes(titled: Titled | undefined): readonly Outcome[] {
  if (!titled) return [];
  return [...Array<Outcome>(titled.passed).fill("held"), ...Array<Outcome>(titled.failed).fill("violated")];
}

function reasonUnrun(surface: Requirement["surface"]): string {
  if (surface === "api") return "proven in process, by this repository's tests";
  return surface === "page" ? "proven in a browser, by this repository's tests" : "no subject of the profile it needs";
}

/** A verdict at a glance. */
export const marks = { pass: "✓", fail: "✗", warn: "!", note: "·", error: "?", "n/a": "–", unrun: " " } as const;

/** The report for a person: a line per requirement, failures expanded and repeated at the end. */
export function screen(report: Report): string {
  const bad = report.results.filter(({ verdict }) => verdict === "fail" || verdict === "error" || verdict === "warn");
  const lines = report.results.flatMap((result) => [
    lineOf(result),
    ...(bad.includes(result) ? detailsOf(result) : []),
  ]);
  const again =
    bad.length === 0 ? [] : ["", "Not kept:", ...bad.flatMap((result) => [lineOf(result), ...detailsOf(result)])];
  const counts = Object.entries(report.counts).filter(([, count]) => count > 0);
  const summary = counts.map(([verdict, count]) => `${count} ${verdict}`).join(", ");
  const subjects = report.subjects.map(
    ({ implementation, version, engine, profile, url }) =>
      `${implementation} ${version}, ${engine}, ${profile} at ${url}`,
  );
  return [...lines, ...again, "", ...subjects, `${report.results.length} requirements: ${summary}`].join("\n");
}

function lineOf({ id, level, verdict, sentence, reason }: RequirementResult): string {
  const why = reason === undefined ? "" : ` (${verdict === "n/a" ? "n/a: " : "not run: "}${reason})`;
  return `${marks[verdict]} ${headline({ id, level, sentence })}${why}`;
}

/** A requirement on one line. */
export function headline({ id, level, sentence }: Pick<RequirementResult, "id" | "level" | "sentence">): string {
  return `${id.padEnd(11)} ${level.padEnd(6)} ${sentence}`;
}

/** The cases that were not held, each under `title`, with why, and what was sent and came back. */
export function brokenCases(
  { cases }: RequirementResult,
  title: (found: RequirementResult["cases"][number]) => string,
): readonly string[] {
  return cases
    .filter(({ outcome }) => outcome !== "held")
    .flatMap((found) => [
      `    ${title(found)}`,
      `      ${found.reason ?? ""}`,
      ...found.exchanges.map((exchange) => `      ${exchange}`),
    ]);
}

function detailsOf(result: RequirementResult): readonly string[] {
  const details = brokenCases(result, ({ title, profile }) => `${title} [${profile}]`);
  return details.length > 0
    ? details
    : [`    one of its ${result.tests} tests fails: see the report of make test or make e2e`];
}
