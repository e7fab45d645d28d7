/**
 * `make bench-compare BASE=<ref>`: the framework as it is here against another commit, paired in one run.
 *
 *   BASE ──▶ git worktree in a temporary folder, built ──┐
 *   this tree ───────────────────────────────────────────┴─▶ every job ──▶ more than 5 % slower? exit 1
 */
import { compareTrees, lineOf, runs } from "./method/compare-trees.ts";
import { canPin, ownEntry, pinLoad } from "./method/server-process.ts";
import { Trees } from "./method/trees.ts";
import { baseOf, fromEnvironment, root, settingsOf } from "./settings.ts";
import { stack, work, type Work } from "./work.ts";

/** The jobs that are compared. */
const jobs: readonly (readonly [string, Work])[] = [
  ["GET /hello", work()],
  ["2 parameters among 200 routes", work({ kind: "params", resources: 200 })],
  ["POST 1 KB JSON", work({ kind: "echo" })],
  ["404", work({ kind: "missing", resources: 200 })],
  ["id + CORS + log + metrics", work({ use: stack })],
  ["the same + tracing", work({ use: [...stack, "tracing"] })],
  ["devtools, 4 calls", work({ kind: "beans", devtools: "on" })],
];

const ref = fromEnvironment(baseOf);
const { node, fast, shape } = fromEnvironment(settingsOf);
const pinned = canPin();
if (pinned) pinLoad();
const trees = new Trees();
try {
  const base = trees.checkout(ref);
  const head = { folder: root };
  let slower = 0;
  for (const [what, job] of jobs) {
    const compared = await compareTrees(
      base,
      head,
      job,
      { node, entry: ownEntry, pinned },
      { ...shape, runs: fast ? 1 : runs },
    );
    if (compared.slower) slower += 1;
    process.stdout.write(`${lineOf(what, compared)}\n`);
  }
  process.stdout.write(
    slower === 0 ? `not slower than ${ref}\n` : `slower than ${ref} in ${slower} of ${jobs.length} jobs\n`,
  );
  process.exitCode = slower === 0 ? 0 : 1;
} finally {
  trees.dispose();
}
