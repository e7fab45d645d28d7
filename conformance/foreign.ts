/**
 * `make foreign`: the suite against other frameworks in their default setup, and how each handles QUERY.
 *
 *   foreign/<name>     ──▶ a process per profile ──▶ cases ──────────▶ matrix.json, with WRITE=1
 *   and ours           ──▶ QUERY /search ──────────▶ rfc10008/ ──────▶ the tables in README.md, with WRITE=1
 *
 * Failing clauses do not fail the run: most are decisions of this framework, which others are free to make differently.
 * matrix.json keeps the known failures. The report names each clause with a different result.
 * Exit code 0: everything that can run here ran with the committed result. 1: a result differs (not with WRITE=1, which
 * commits it). 2: something did not run. A sentence says what cannot run here.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { columnOf } from "./column.ts";
import { changesSince, changesText } from "./kit/changes.ts";
import { foreignMarkdown, queryMarkdown, type QueryColumn } from "./kit/foreign-tables.ts";
import { summaryOf, type Column } from "./kit/matrix.ts";
import { readAllClauses } from "./kit/chapters.ts";
import { javaTarget } from "./java.ts";
import { keepColumns, keptColumns, toKept, verdictsOf, writeTable } from "./reports.ts";
import { runQueryProfile } from "./rfc10008/profile.ts";
import { start } from "./started.ts";
import { chooseTargets, type Target } from "./targets.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const { dependencies } = JSON.parse(readFileSync(join(root, "bench", "peers", "package.json"), "utf8")) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

/** The subjects in foreign/, with a description. */
const targets: readonly Target[] = [
  foreign("fastify", `Fastify ${dependencies["fastify"] ?? ""} with @fastify/cors`),
  foreign("hono", `Hono ${dependencies["hono"] ?? ""} on @hono/node-server, with its middleware`),
  foreign("express", `Express ${dependencies["express"] ?? ""} with cors`),
  javaTarget,
];

function foreign(name: string, about: string): Target {
  const program = join(root, "conformance", "foreign", `${name}.mjs`);
  return { name, about, http2: false, command: process.execPath, args: () => [program] };
}

/** How one handles a QUERY with JSON. */
async function queryColumnOf(target: Target): Promise<QueryColumn> {
  const subject = await start(target, "cors-query");
  try {
    const url = new URL("/search", subject.url);
    const bodies = { body: '{"text":"lamp"}', otherBody: '{"text":"sofa"}', badBody: "{" };
    const resource = { url, type: "application/json", origin: "https://app.example", ...bodies };
    return { name: target.name, results: await runQueryProfile(resource) };
  } finally {
    await subject.stop();
  }
}

/** The column of a framework in matrix.json. The prefix avoids a clash with an engine of ours. */
const keptName = (name: string): string => `foreign ${name}`;

/** The differences between the run and the kept one, a line each. */
function changesOf({ name, report }: Column): readonly string[] {
  const kept = keptColumns().get(keptName(name));
  if (kept === undefined) return [`${name}: no run of it is kept`];
  return changesText(name, changesSince(kept.verdicts, verdictsOf(report.results)));
}

async function main(argv: readonly string[]): Promise<number> {
  if (!existsSync(join(root, "bench", "peers", "node_modules", "hono")))
    throw new Error("the peers are not installed: run `make foreign`, which installs them");
  const columns: Column[] = [];
  const present = targets.filter(({ missing }) => missing === undefined);
  for (const { name, missing } of targets) if (missing !== undefined) say(`skipped: ${name}: ${missing}`);
  if (argv.includes("--write") && present.length < targets.length)
    throw new Error("the tables have a column for each of them: WRITE=1 needs all");
  for (const target of present) {
    await target.prepare?.();
    const column = await columnOf(target);
    columns.push(column);
    say(summaryOf(column, present));
  }
  const ours = chooseTargets(["node-http"], () => ({}));
  const queried: QueryColumn[] = [];
  for (const target of [...ours, ...present]) queried.push(await queryColumnOf(target));
  const tables = `${foreignMarkdown(
    columns.map((column) => toKept(column, "")),
    readAllClauses(),
  )}\n\n${queryMarkdown(queried)}`;
  say(`\n${tables}\n`);
  const changes = columns.flatMap(changesOf);
  for (const line of changes) say(line);
  const isWritten = argv.includes("--write");
  if (isWritten) write(columns, tables);
  if (columns.some(({ report }) => (report.counts["error"] ?? 0) > 0)) return 2;
  return changes.length > 0 && !isWritten ? 1 : 0;
}

function write(columns: readonly Column[], tables: string): void {
  keepColumns(columns.map((column) => ({ ...column, name: keptName(column.name) })));
  writeTable("foreign", tables);
  say("wrote conformance/matrix.json, and the tables in conformance/README.md");
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`conformance: ${error instanceof Error ? error.message : String(error)}\n`);
  return 2;
});
