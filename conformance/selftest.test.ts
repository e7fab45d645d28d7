/**
 * The suite proves that it can fail: the reference passes everything, each clause fails on a mutant or on a fault, each
 * mutant fails exactly the clauses it declares, and no case passes against a server that promises nothing.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { requirements, type Requirement, type RequirementId } from "../spec/requirements.ts";
import { cases } from "./cases/index.ts";
import { deadServers, startDead } from "./dead-servers.ts";
import { generateFaults } from "./faults/generate.ts";
import { faultThatFails } from "./faults/judge.ts";
import { readChapters } from "./kit/chapters.ts";
import { subjectsOfAllProfiles, type RunningSubjects } from "./subjects.ts";
import { runOne, type Ran } from "./kit/run.ts";
import { complaints, judge, reference } from "./kit/selftest.ts";
import { mutants } from "./mutants/index.ts";

const entries = Object.entries(requirements) as readonly (readonly [RequirementId, Requirement])[];
const outside = entries.filter(([, { surface }]) => surface === "wire" || surface === "evidence");
const mutated = new Set(mutants.flatMap(({ kills }) => kills));
/** Clauses without a mutant: a fault from the shapes breaks them. */
const generated = outside.filter(([id, { level }]) => level === "MUST" && !mutated.has(id)).map(([id]) => id);
const duplicates = (names: readonly string[]): readonly string[] =>
  names.filter((name, at) => names.indexOf(name) !== at);

describe("the suite", () => {
  it("has a case for every clause that is observed from outside, and for no other", () => {
    const proven = new Set(cases.map(({ id }) => id));
    assert.deepEqual([...proven].toSorted(), outside.map(([id]) => id).toSorted());
  });

  it("has a unique name for each case and each mutant", () => {
    assert.deepEqual(duplicates(cases.map(({ id, title, profile }) => `${id} ${profile} ${title}`)), []);
    assert.deepEqual(duplicates(mutants.map(({ name }) => name)), []);
  });
});

describe("the suite against the conformant subject", () => {
  let running: RunningSubjects;
  let seen: readonly Ran[];
  const chapters = readChapters();
  before(async () => {
    running = await subjectsOfAllProfiles();
    seen = await reference(cases, running.subjects);
  });
  after(() => running.stop());

  it("passes everything", () => {
    const broken = seen.filter(({ outcome }) => outcome !== "held");
    assert.deepEqual(
      broken.map((ran) => `${ran.case.id} ${ran.case.title}: ${ran.reason ?? ""}`),
      [],
    );
  });

  for (const id of generated) {
    it(`fails ${id} on a fault from the shapes`, async () => {
      const mine = seen.filter((ran) => ran.case.id === id);
      const faults = generateFaults(mine, chapters);
      const of = chapters.flatMap(({ name, clauses }) => clauses.map((one) => ({ ...one, chapter: name })));
      const clause = of.find((one) => one.id === id);
      assert.ok(clause);
      const court = { subjects: running.subjects, timeoutMs: 1_500 };
      assert.notEqual(await faultThatFails(mine, faults, clause, court), undefined);
    });
  }

  for (const mutant of mutants) {
    it(`fails ${mutant.kills.join(", ")} and nothing else on ${mutant.name}`, async () => {
      assert.deepEqual(complaints(await judge(mutant, seen, running.subjects)), []);
    });
  }
});

describe("the suite against servers that promise nothing", () => {
  for (const [name, listener] of Object.entries(deadServers)) {
    it(`passes no case if the server ${name}`, async () => {
      const { url, close } = await startDead(listener);
      try {
        const ran = await Promise.all(cases.map((found) => runOne(found, url, { timeoutMs: 300 })));
        assert.deepEqual(
          ran.filter(({ outcome }) => outcome === "held").map((result) => `${result.case.id} ${result.case.title}`),
          [],
        );
        assert.deepEqual(
          ran.filter(({ outcome }) => outcome === "crashed").map(({ reason }) => reason),
          [],
        );
      } finally {
        await close();
      }
    });
  }
});
