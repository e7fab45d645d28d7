/**
 * `make conformance-faults`: makes faults from the shapes, not from the cases, and checks whether the suite notices them.
 *
 *   node .build/conformance/faults-main.js             every one
 *   FAST=1 …                                           a sample of them, COUNT= so many; of the legal variations those of
 *                                                      one subject
 *   SEED=1 …                                           other samples
 *   EACH=3 …                                           so many conditional faults of each chapter and kind of condition, 0: none
 *   ONLY=metrics,Trace.calls,occurrence …              of these chapters or kinds of condition, or with such a word in the name
 *   BY=1 …                                             runs every case that a fault touches, and says which notice it
 *
 * Exit code 0: each fault is noticed or unspecified in its chapter, and enough of the conditional ones are noticed. 1: not.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { cases } from "./cases/index.ts";
import { conditionalFaults } from "./faults/conditional.ts";
import { nameOf, type Fault } from "./faults/fault.ts";
import { generateFaults, headersNamed } from "./faults/generate.ts";
import { judgeAgain, judgeFault, leavesOpen, type Court, type Judged } from "./faults/judge.ts";
import { readChapters, type Chapter } from "./kit/chapters.ts";
import {
  generateVariations,
  subjectOf,
  variedSubjects,
  type Variation,
  type VariedSubject,
} from "./faults/variations.ts";
import type { Relay } from "./kit/relay.ts";
import { runOne, type Ran } from "./kit/run.ts";
import { reference, touches } from "./kit/selftest.ts";
import { subjectsOfAllProfiles, type RunningSubjects } from "./subjects.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** This many faults at the same time, each on its own subjects, since most of a run is waiting. */
const lanes = 6;
/** Longer than any promise of the subject takes. */
const timeoutMs = 1_500;
const sampleSize = 200;
/** For each chapter and kind of condition. */
const conditionalOfEach = 6;
/** The share of conditional faults that must be noticed, since no case checks every response under every condition. */
const conditionalShare = 0.85;
const isFast = process.env["FAST"] === "1";
const seed = Number(process.env["SEED"] ?? 10_008);

/** The requested faults. The same seed chooses the same ones. */
function chosen(all: readonly Fault[]): readonly Fault[] {
  const only = process.env["ONLY"]?.split(",");
  const wanted = all.filter(
    (fault) =>
      only?.some((word) => [fault.chapter, fault.when?.by].includes(word) || nameOf(fault).includes(word)) ?? true,
  );
  if (!isFast && process.env["COUNT"] === undefined) return wanted;
  const count = Math.min(Number(process.env["COUNT"] ?? sampleSize), wanted.length);
  say(`a sample of ${count} (SEED=${seed})`);
  const size = { minLength: count, maxLength: count };
  return fc.sample(fc.shuffledSubarray([...wanted], size), { seed, numRuns: 1 })[0] ?? [];
}

/** A sample of the conditional faults, since there are too many to run. */
function conditional(seen: readonly Ran[], chapters: readonly Chapter[]): readonly Fault[] {
  const each = Number(process.env["EACH"] ?? conditionalOfEach);
  const { faults, candidates } = conditionalFaults(seen, chapters, { each, seed });
  const left = candidates - faults.length;
  say(
    `${faults.length} conditional faults, ${each} of each chapter and kind of condition; ${left} left out (SEED=${seed})`,
  );
  return faults;
}

/** Judges the faults in parallel, then repeats doubtful ones one by one. */
async function judged(faults: readonly Fault[], courts: readonly Court[]): Promise<readonly Judged[]> {
  const waiting = faults.values();
  const found: Judged[] = [];
  const lane = async (court: Court): Promise<void> => {
    for (const fault of waiting) {
      const one = await judgeFault(fault, court);
      found.push(one);
      if (isBad(one) || one.fate === "survived") say(complaint(one));
      if (found.length % 200 === 0) say(`${found.length} of ${faults.length}`);
    }
  };
  await Promise.all(courts.map(lane));
  const [alone] = courts;
  const sure: Judged[] = [];
  for (const one of found) sure.push(alone === undefined ? one : await judgeAgain(one, alone));
  return sure.filter(({ fate }) => fate !== "without effect");
}

const isBad = ({ fault, fate }: Judged): boolean =>
  fate === "crashed" || (fate === "survived" && fault.when === undefined);

/** The error if too few conditional faults are noticed. */
function tooFew(found: readonly Judged[]): readonly string[] {
  const mine = found.filter(({ fault, fate }) => fault.when !== undefined && fate !== "unspecified");
  const noticed = mine.filter(({ fate }) => fate === "noticed").length;
  say(`${noticed} of ${mine.length} conditional faults are noticed`);
  // A sample is too small for a share.
  return !isFast && noticed < conditionalShare * mine.length
    ? [`✗ fewer of the conditional faults are noticed than ${100 * conditionalShare} %`]
    : [];
}

function complaint({ fault, fate, by }: Judged): string {
  return `${fault.when === undefined ? "✗" : "–"} ${fate}: ${nameOf(fault)} (${fault.chapter}) ${by.join(" ").split("\n", 1)[0] ?? ""}`;
}

/** Rows of chapters that leave something open although every such fault is noticed, or there is none. */
function idle(found: readonly Judged[], chapters: readonly Chapter[]): readonly string[] {
  const open = found.filter(({ fate }) => fate === "unspecified");
  return chapters.flatMap(({ name, unspecified }) =>
    unspecified
      .filter((row) => !open.some(({ fault }) => leavesOpen(row, fault)))
      .map(({ target }) => `✗ unspecified, yet nothing of it survives: ${target} (${name})`),
  );
}

/** A line for each chapter: how many faults are noticed, and how many legal variations it has. */
function table(found: readonly Judged[], legal: readonly Variation[]): readonly string[] {
  const names = [...new Set([...found.map(({ fault }) => fault.chapter), ...legal.map(({ chapter }) => chapter)])];
  const line = (name: string, cells: readonly string[]): string =>
    name.padEnd(18) + cells.map((cell) => cell.padStart(12)).join("");
  const row = (name: string, of: (fault: Judged["fault"]) => boolean, varied: readonly Variation[]): string => {
    const mine = found.filter(({ fault }) => of(fault));
    const count = (fate: Judged["fate"]): number => mine.filter((one) => one.fate === fate).length;
    const owed = mine.length - count("unspecified");
    const rate = owed === 0 ? "–" : `${((100 * count("noticed")) / owed).toFixed(1)} %`;
    const counts = [owed, count("noticed"), count("survived"), count("unspecified"), varied.length];
    return line(name, [...counts.slice(0, 3).map(String), rate, ...counts.slice(3).map(String)]);
  };
  return [
    line("chapter", ["faults", "noticed", "survived", "rate", "unspecified", "legal"]),
    ...names.toSorted().map((name) =>
      row(
        name,
        ({ chapter }) => chapter === name,
        legal.filter(({ chapter }) => chapter === name),
      ),
    ),
    row("always", ({ when }) => when === undefined, legal),
    row("conditional", ({ when }) => when !== undefined, []),
  ];
}

async function main(): Promise<number> {
  const running: RunningSubjects[] = [];
  for (let lane = 0; lane < lanes; lane += 1) running.push(await subjectsOfAllProfiles());
  try {
    const seen = await referenceOf(running);
    const unkept = seen.filter(({ outcome }) => outcome !== "held");
    if (unkept.length > 0)
      throw new Error(
        `fails without a fault: ${unkept.map((ran) => `${ran.case.id}: ${ran.reason ?? ""}`).join("; ")}`,
      );
    const chapters = readChapters();
    const subjects = sampled(variedSubjects(variations(seen, chapters)));
    const legal = subjects.flatMap((one) => one.all);
    const varied = await variationsThatFail(seen, subjects, running);
    const all = [...generateFaults(seen, chapters), ...conditional(seen, chapters)];
    const faults = chosen(all);
    if (faults.length === 0) throw new Error("there is no such fault");
    const exhaustive = process.env["BY"] === "1";
    const courts = running.map(({ subjects }) => ({ seen, subjects, chapters, exhaustive, timeoutMs }));
    const found = await judged(faults, courts);
    const stale = faults.length === all.length ? idle(found, chapters) : [];
    return report(found, { legal, complaints: [...varied, ...stale, ...tooFew(found)], exhaustive });
  } finally {
    await Promise.all(running.map((subjects) => subjects.stop()));
  }
}

/** What each case saw without a fault. The lanes share the work. A case that fails in parallel runs again alone. */
async function referenceOf(running: readonly RunningSubjects[]): Promise<readonly Ran[]> {
  const shares = running.map(({ subjects }, lane) =>
    reference(
      cases.filter((_, at) => at % lanes === lane),
      subjects,
    ),
  );
  const ran = (await Promise.all(shares)).flat();
  const [first] = running;
  const again = ran.filter(({ outcome }) => outcome !== "held").map((one) => one.case);
  const alone = first === undefined ? [] : await reference(again, first.subjects);
  return [...ran.filter(({ outcome }) => outcome === "held"), ...alone];
}

/** The cases that fail on a legal variation, each with that variation. */
async function variationsThatFail(
  seen: readonly Ran[],
  varied: readonly VariedSubject[],
  running: readonly RunningSubjects[],
): Promise<readonly string[]> {
  const waiting = varied.flatMap((subject) => seen.map((ran) => ({ subject, ran }))).values();
  const suspects: { readonly subject: VariedSubject; readonly ran: Ran }[] = [];
  const lane = async ({ subjects }: RunningSubjects): Promise<void> => {
    for (const { subject, ran } of waiting) {
      const url = subjects.get(ran.case.profile);
      if (url === undefined || !touches(subject, ran)) continue;
      const { outcome } = await runOne(ran.case, url, { relay: subject });
      if (outcome !== "held") suspects.push({ subject, ran });
    }
  };
  await Promise.all(running.map(lane));
  const failures: string[] = [];
  // A case that fails in parallel may pass alone.
  for (const { subject, ran } of suspects) {
    const url = running[0]?.subjects.get(ran.case.profile);
    if (url === undefined) continue;
    const runWith = (relay: Relay): Promise<Ran> => runOne(ran.case, url, { relay });
    const { outcome, reason = "" } = await runWith(subject);
    if (outcome === "held") continue;
    const one = await culprit(subject.all, async (some) => (await runWith(subjectOf(some))).outcome !== "held");
    failures.push(`✗ a legal variation fails ${ran.case.id}: ${nameOf(one)}: ${reason}`);
  }
  say(`${failures.length} cases fail on a legal variation`);
  return failures;
}

/** A variation that fails alone. If several fail only together, the last one. */
async function culprit(
  all: readonly Variation[],
  fails: (some: readonly Variation[]) => Promise<boolean>,
): Promise<Variation> {
  let left = all;
  while (left.length > 1) {
    const half = left.slice(0, left.length / 2);
    left = (await fails(half)) ? half : left.slice(half.length);
  }
  const [one] = left;
  if (one === undefined) throw new Error("there is no variation");
  return one;
}

/** All subjects, or one in the short form. */
function sampled(all: readonly VariedSubject[]): readonly VariedSubject[] {
  const taken = all.filter((_, at) => !isFast || at === seed % all.length);
  const count = (of: readonly VariedSubject[]): number => of.reduce((sum, one) => sum + one.all.length, 0);
  say(`${count(taken)} of ${count(all)} legal variations, in ${taken.length} of ${all.length} subjects`);
  return taken;
}

/** Every legal variation, or those with a name that contains one of the words of `VARY`. */
function variations(seen: readonly Ran[], chapters: readonly Chapter[]): readonly Variation[] {
  const words = process.env["VARY"]?.split(",") ?? [""];
  const named = headersNamed(
    chapters,
    seen.flatMap(({ exchanges }) => exchanges),
  );
  return generateVariations(seen, named).filter((one) => words.some((word) => nameOf(one).includes(word)));
}

/** What the report shows besides the faults. */
interface Findings {
  readonly legal: readonly Variation[];
  readonly complaints: readonly string[];
  readonly exhaustive: boolean;
}

function report(found: readonly Judged[], { legal, complaints, exhaustive }: Findings): number {
  if (exhaustive) for (const { fault, by } of found) say(`${nameOf(fault)} ◀ ${by.join(" ")}`);
  for (const line of table(found, legal)) say(line);
  for (const line of complaints) say(line);
  const failed = found.filter(isBad).length + complaints.length;
  const counts = { passed: found.filter((one) => !isBad(one)).length, failed };
  mkdirSync(join(root, ".build", "reports"), { recursive: true });
  writeFileSync(join(root, ".build", "reports", "conformance-faults.json"), JSON.stringify(counts));
  say(`${counts.passed} passed, ${counts.failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
