/**
 * `make check`: runs every static gate of the repository as a separate command.
 *
 *   node scripts/check.mjs              all
 *   node scripts/check.mjs lint knip    these
 *
 * The last line is "N passed, N failed". A gate passes only with exit code 0.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execute, root } from "./process.mjs";

const examples = ["shop", "realworld"];
const versions = ["3.2", "3.1"];
const exampleDocument = (name, version) => `.build/examples/${name}/openapi-${version}.json`;
const openApiDocuments = [
  "src/framework/spec/openapi.json",
  ...examples.flatMap((name) => versions.map((version) => exampleDocument(name, version))),
];

const checks = {
  format: ["oxfmt", "--check"],
  lint: ["oxlint", "--type-aware", "--deny-warnings"],
  openapi: ["redocly", "lint", ...openApiDocuments, "--max-problems=20"],
  knip: ["knip"],
  packages: ["node", "scripts/check-packages.mjs"],
  size: ["node", "scripts/sizes.mjs"],
  lock: ["npm", "ci", "--dry-run", "--ignore-scripts", "--no-audit", "--no-fund"],
};

/** Keeps the linter of the API description from sending telemetry and checking for updates. */
const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(checks);
const failed = [];
for (const name of wanted) {
  if (!(name in checks)) throw new Error(`no check is called ${name}; there are ${Object.keys(checks).join(", ")}`);
  const [command, ...args] = checks[name];
  if (name === "openapi")
    for (const example of examples) {
      const program = join(root, ".build", "examples", example, "print-document.js");
      for (const version of versions)
        writeFileSync(join(root, exampleDocument(example, version)), execFileSync("node", [program, version]));
    }
  process.stdout.write(`\n── ${name}: ${command} ${args.join(" ")}\n`);
  if (execute(command, args, quiet) !== 0) failed.push(name);
}

const counts = { passed: wanted.length - failed.length, failed: failed.length };
mkdirSync(join(root, ".build", "reports"), { recursive: true });
writeFileSync(join(root, ".build", "reports", "check.json"), JSON.stringify(counts));
process.stdout.write("\n");
for (const name of failed) process.stdout.write(`✖ ${name}: run \`node scripts/check.mjs ${name}\`\n`);
process.stdout.write(`${counts.passed} passed, ${counts.failed} failed\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
