/**
 * `make check`: every static gate of the repository, each a separate command, all of them run.
 *
 *   node scripts/check.mjs              all
 *   node scripts/check.mjs lint knip    these
 *
 * The last line is "N passed, N failed"; a gate passes only by exit code 0.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute, root } from "./process.mjs";

const checks = {
  format: ["oxfmt", "--check"],
  lint: ["oxlint", "--type-aware", "--deny-warnings"],
  spec: ["diff", "-rq", "src/framework/spec", "spec/json"],
  openapi: ["redocly", "lint", "spec/json/openapi.json", "--max-problems=20"],
  knip: ["knip"],
  packages: ["node", "scripts/check-packages.mjs"],
  size: ["size-limit"],
  lock: ["npm", "ci", "--dry-run", "--ignore-scripts", "--no-audit", "--no-fund"],
};

/** The linter of the API description neither phones home nor asks for updates. */
const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in checks));
if (unknown.length > 0)
  throw new Error(`no check called ${unknown.join(", ")}; there are ${Object.keys(checks).join(", ")}`);

const results = [];
for (const [name, [command, ...args]] of Object.entries(checks)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stdout.write(`\n── ${name}: ${command} ${args.join(" ")}\n`);
  results.push({ name, ok: (await execute(command, args, { env: quiet })) === 0 });
}

const failed = results.filter(({ ok }) => !ok).map(({ name }) => name);
const counts = { passed: results.length - failed.length, failed: failed.length };
mkdirSync(join(root, ".build", "reports"), { recursive: true });
writeFileSync(join(root, ".build", "reports", "check.json"), JSON.stringify(counts));
process.stdout.write("\n");
for (const name of failed) process.stdout.write(`✖ ${name}: run \`node scripts/check.mjs ${name}\`\n`);
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
