/**
 * The suite's command line.
 *
 *   conformance --url http://127.0.0.1:9100 [--url …] [AREA | ID …]     where the package is installed
 *   node conformance/cli.mjs --url …                                    in the repository
 *
 * Exit 0: conformant. 1: not. 2: no trustworthy result (a crash, an unreachable subject, a bad argument,
 * nothing to run).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { RequirementId } from "../spec/requirements.ts";
import { cases } from "./cases/index.ts";
import type { Case } from "./kit/case.ts";
import { readAllClauses } from "./kit/chapters.ts";
import { junit } from "./kit/junit.ts";
import type { ProbeOptions } from "./kit/probe.ts";
import { makeReport, screen } from "./kit/report.ts";
import { runAgainst, type RunOptions, type SubjectRun } from "./kit/run.ts";
import { knownFailing, select } from "./kit/select.ts";
import { http1, http2 } from "./kit/transport.ts";
import { thisSuite } from "./kit/suite.ts";
import { exitCode } from "./kit/verdict.ts";
import { queryOptions, queryUsage, runQueryCommand } from "./rfc10008/command.ts";
import { vectorCases } from "./vectors/index.ts";

/** The output of the command line. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
  /** Shows the progress on a line that the next one replaces. Absent if the output cannot do that. */
  readonly progress?: ((text: string) => void) | undefined;
}

const usage = `usage: conformance --url <base> [options] [AREA | ID …]

Runs the conformance suite against a subject: an app that serves the contract of spec/subject.md.

  --url <base>            where it listens; again for each profile
  --level source          only what any implementation owes, by the document and the standards; house: only our decisions
  --list                  print ids and sentences, send nothing
  --http2                 speak HTTP/2: to http:// with prior knowledge (h2c), to https:// by ALPN
  --insecure              accept a certificate of no trusted authority (https:// only)
  --json <file>           write the report as JSON
  --junit <file>          write the report as JUnit XML
  --known-failing <file>  ids, one a line, whose failure does not fail the run; those that pass are told
  --timeout <ms>          how long an exchange may take (5000)
  --deadline <s>          how long the whole run may take (600)
  --progress              print how far it is, a line for each chapter; a terminal shows it anyway
  --verbose               print what was not run too
  --profile <name>        what to run: suite (the default), vectors (the cases that are data: data/vectors.json), or query
  --help

${queryUsage}

Exit: 0 conformant, 1 not, 2 no trustworthy result.`;

const options = {
  url: { type: "string", multiple: true },
  list: { type: "boolean" },
  http2: { type: "boolean" },
  insecure: { type: "boolean" },
  json: { type: "string" },
  junit: { type: "string" },
  "known-failing": { type: "string" },
  level: { type: "string" },
  timeout: { type: "string" },
  deadline: { type: "string" },
  progress: { type: "boolean" },
  verbose: { type: "boolean" },
  profile: { type: "string" },
  ...queryOptions,
  help: { type: "boolean", short: "h" },
} as const;

type Values = ReturnType<typeof read>["values"];

/** Runs the command line and returns its exit code. Never rejects. */
export async function main(argv: readonly string[], output: Output): Promise<0 | 1 | 2> {
  try {
    const { values, positionals } = read(argv);
    if (values.help === true) return say(output, usage);
    const profile = profileIn(values, positionals);
    if (profile === "query") return await proveQuery(values, output);
    const clauses = readAllClauses();
    const ids = select(positionals).filter(isOfLevel(values.level, clauses));
    if (values.list === true) return say(output, list(ids, clauses));
    return await prove(ids, clauses, profile === "vectors" ? vectorCases : cases, values, output);
  } catch (error) {
    output.progress?.("");
    output.err(`conformance: ${error instanceof Error ? error.message : String(error)}`);
    return 2;
  }
}

function read(argv: readonly string[]) {
  return parseArgs({ args: [...argv], options, allowPositionals: true });
}

function say({ out }: Output, text: string): 0 {
  out(text);
  return 0;
}

type Clauses = ReturnType<typeof readAllClauses>;

/** Is a clause of this level? @throws Error for an unknown level */
function isOfLevel(level: string | undefined, clauses: Clauses): (id: string) => boolean {
  if (level !== undefined && level !== "source" && level !== "house")
    throw new Error(`--level ${level}: source and house are allowed`);
  return (id) => level === undefined || clauses.get(id)?.origin === level;
}

function list(ids: readonly RequirementId[], clauses: Clauses): string {
  return ids.map((id) => `${id.padEnd(11)} ${clauses.get(id)?.sentence ?? ""}`).join("\n");
}

/** The clauses to run. @throws Error for unknown values, and for options of another profile */
function profileIn({ profile = "suite", ...values }: Values, positionals: readonly string[]): string {
  if (!["suite", "vectors", "query"].includes(profile))
    throw new Error(`--profile ${profile}: suite, vectors and query are allowed`);
  const queried = Object.keys(queryOptions).filter((name) => name in values);
  if (profile !== "query" && queried.length > 0)
    throw new Error(`--${queried.join(", --")} belongs to --profile query`);
  if (profile === "query" && positionals.length > 0)
    throw new Error(`--profile query runs all of its checks: ${positionals.join(", ")} is of the suite`);
  const ofSuite = ["list", "junit", "known-failing", "level", "progress", "verbose"].filter((name) => name in values);
  if (profile === "query" && ofSuite.length > 0)
    throw new Error(`--${ofSuite.join(", --")} is of the suite: --profile query does not take it`);
  return profile;
}

/** Checks one resource against RFC 10008. */
async function proveQuery(values: Values, { out }: Output): Promise<0 | 1 | 2> {
  const [url, ...more] = (values.url ?? []).map(toUrl);
  if (url === undefined || more.length > 0) throw new Error("--profile query takes one --url, that of a resource");
  const signal = AbortSignal.timeout(Math.ceil(deadlineOf(values)));
  const { text, json, code } = await runQueryCommand(url, values, { ...probeOptions(values, [url]), signal });
  out(text);
  if (values.json !== undefined) writeFileSync(values.json, json);
  return code;
}

async function prove(
  ids: readonly RequirementId[],
  clauses: Clauses,
  all: readonly Case[],
  values: Values,
  output: Output,
): Promise<0 | 1 | 2> {
  const known = values["known-failing"];
  const failing = known === undefined ? new Set<string>() : knownFailing(readText(known));
  const urls = (values.url ?? []).map(toUrl);
  if (urls.length === 0) throw new Error("--url is missing; --help lists the options");
  const options = runOptions(values, urls, output);
  const wanted = new Set(ids);
  const chosen = all.filter(({ id }) => wanted.has(id));
  const runs: SubjectRun[] = [];
  for (const url of urls) runs.push(await runAgainst(url, chosen, options()));
  output.progress?.("");
  const report = makeReport({ runs, ids, clauses, knownFailing: failing, suite: thisSuite() });
  output.out(screen(report, { all: values.verbose === true }));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  if (values.junit !== undefined) writeFileSync(values.junit, junit(report));
  return report.ended === undefined ? exitCode(report.results, failing) : 2;
}

/** Options of each run: the rest of the deadline, and the progress listener. */
function runOptions(values: Values, urls: readonly URL[], { progress, err }: Output): () => RunOptions {
  const probing = probeOptions(values, urls);
  const end = performance.now() + deadlineOf(values);
  let area: string | undefined;
  const begins: RunOptions["begins"] = ({ id }, number, count) => {
    const before = area;
    [area] = id.split("-");
    if (progress !== undefined) progress(`${number} of ${count}: ${id}`);
    else if (values.progress === true && area !== before) err(`${number} of ${count}: ${area ?? id}`);
  };
  return () => ({ ...probing, deadlineMs: Math.max(1, Math.ceil(end - performance.now())), begins });
}

/** The deadline of the whole run, in milliseconds. */
function deadlineOf({ deadline = "600" }: Values): number {
  const seconds = Number(deadline);
  if (seconds > 0 && seconds <= 86_400) return seconds * 1_000;
  throw new Error(`--deadline ${deadline}: above 0 and at most 86400 seconds are allowed`);
}

function probeOptions({ http2: overHttp2, insecure = false, timeout }: Values, urls: readonly URL[]): ProbeOptions {
  const timeoutMs = Number(timeout ?? 5_000);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 86_400_000)
    throw new Error(`--timeout ${timeout ?? ""}: from 1 to 86400000 milliseconds are allowed`);
  if (insecure && !urls.some(({ protocol }) => protocol === "https:"))
    throw new Error("--insecure is about certificates, and no --url is https://");
  return { timeoutMs, insecure, transport: overHttp2 === true ? http2 : http1 };
}

function toUrl(text: string): URL {
  if (!URL.canParse(text) || !["http:", "https:"].includes(new URL(text).protocol))
    throw new Error(`--url ${text} is no http:// or https:// URL`);
  return new URL(text);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`${file} cannot be read`, { cause: error });
  }
}
