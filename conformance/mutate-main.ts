/**
 * `make conformance-mutate`: deletes assertions from cases, one at a time, and prints what noticed.
 *
 *   node .build/conformance/mutate-main.js            ten at random; SEED= repeats a choice, COUNT= takes more
 *   ALL=1 node .build/conformance/mutate-main.js      every one
 *   FILES=health,cors …                               only in these chapters
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { cases } from "./cases/index.ts";
import { subjectsOfAllProfiles } from "./subjects.ts";
import { reference } from "./kit/selftest.ts";
import { mutants } from "./mutants/index.ts";
import { assertionsOf, survivorWithout, type Assertion } from "./mutate.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = fileURLToPath(new URL("cases/", import.meta.url));

/** A few of them, the same few for the same seed. */
function some<T>(all: readonly T[], count: number, seed: number): readonly T[] {
  const few = Math.min(count, all.length);
  return fc.sample(fc.shuffledSubarray([...all], { minLength: few, maxLength: few }), { seed, numRuns: 1 })[0] ?? [];
}

function label({ file, line, text }: Assertion): string {
  return `${basename(file)}:${line} ${text.replaceAll(/\s+/g, " ").slice(0, 100)}`;
}

async function main(): Promise<number> {
  const only = process.env["FILES"]?.split(",");
  const files = readdirSync(folder).filter(
    (name) => /^[a-z-]+\.js$/.test(name) && name !== "index.js" && (only?.includes(basename(name, ".js")) ?? true),
  );
  const all = files.flatMap((name) => assertionsOf(join(folder, name)));
  if (all.length === 0) throw new Error("the cases hold no assertion");
  const seed = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
  const chosen = process.env["ALL"] === "1" ? all : some(all, Number(process.env["COUNT"] ?? 10), seed);
  const { subjects, stop } = await subjectsOfAllProfiles();
  let unnoticed = 0;
  try {
    const seen = await reference(cases, subjects);
    for (const assertion of chosen) {
      const survivor = await survivorWithout(assertion, { subjects, mutants, seen });
      if (survivor === undefined) unnoticed += 1;
      const fate = survivor === undefined ? "✗ not noticed" : `✓ noticed: ${survivor} survives`;
      process.stdout.write(`${label(assertion)}\n    ${fate}\n`);
    }
  } finally {
    await stop();
  }
  const counts = { passed: chosen.length - unnoticed, failed: unnoticed };
  mkdirSync(join(root, ".build", "reports"), { recursive: true });
  writeFileSync(join(root, ".build", "reports", "conformance-mutate.json"), JSON.stringify(counts));
  process.stdout.write(`${chosen.length} of ${all.length} assertions deleted (seed ${seed})\n`);
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
  return unnoticed === 0 ? 0 : 1;
}

process.exitCode = await main();
