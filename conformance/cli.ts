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
import { titledResults, type Titled } from "./kit/clause-titles.ts";
import { junit } from "./kit/junit.ts";
import type { ProbeOptions } from "./kit/probe.ts";
import { makeReport, screen } from "./kit/report.ts";
import { runAgainst, type SubjectRun } from "./kit/run.ts";
import { knownFailing, select } from "./kit/select.ts";
import { http1, http2 } from "./kit/transport.ts";
import { exitCode } from "./kit/verdict.ts";
import { queryOptions, queryUsage, runQueryCommand } from "./rfc10008/command.ts";
import { vectorCases } from "./vectors/index.ts";

/** Where the command line writes its lines. */
export interface Output {
  out(text: string): void;
  err(text: string): void;
}

const usage = `usage: conformance --url <base> [options] [AREA | ID …]

Runs the conformance suite against a subject: an app that serves the contract of spec/subject.md.

  --url <base>            where it listens; again for each profile
  --list                  print ids and sentences, send nothing
  --http2                 speak HTTP/2: to http:// with prior knowledge (h2c), to https:// by ALPN
  --insecure              accept a certificate of no trusted authority (https:// only)
  --json <file>           write the report as JSON
  --junit <file>          write the report as JUnit XML
  --known-failing <file>  ids, one a line, that must fail; one that passes fails the run
  --tests <folder>        also count the titled tests whose reports are in this folder
  --timeout <ms>          how long to wait for anything (5000)
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
  tests: { type: "string" },
  timeout: { type: "string" },
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
    const ids = select(positionals);
    if (values.list === true) return say(output, list(ids));
    return await prove(ids, profile === "vectors" ? vectorCases : cases, values, output);
  } catch (error) {
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

function list(ids: readonly RequirementId[]): string {
  const clauses = readAllClauses();
  return ids.map((id) => `${id.padEnd(11)} ${clauses.get(id)?.sentence ?? ""}`).join("\n");
}

/** What to run. @throws Error for what there is not, and for words that belong to another profile */
function profileIn({ profile = "suite", ...values }: Values, positionals: readonly string[]): string {
  if (!["suite", "vectors", "query"].includes(profile))
    throw new Error(`--profile ${profile}: suite, vectors and query are allowed`);
  const queried = Object.keys(queryOptions).filter((name) => name in values);
  if (profile !== "query" && queried.length > 0)
    throw new Error(`--${queried.join(", --")} belongs to --profile query`);
  if (profile === "query" && positionals.length > 0)
    throw new Error(`--profile query runs all of its checks: ${positionals.join(", ")} is of the suite`);
  return profile;
}

/** One resource, by the checks of RFC 10008. */
async function proveQuery(values: Values, { out }: Output): Promise<0 | 1 | 2> {
  const [url, ...more] = (values.url ?? []).map(toUrl);
  if (url === undefined || more.length > 0) throw new Error("--profile query takes one --url, that of a resource");
  const { text, json, code } = await runQueryCommand(url, values, probeOptions(values, [url]));
  out(text);
  if (values.json !== undefined) writeFileSync(values.json, json);
  return code;
}

async function prove(
  ids: readonly RequirementId[],
  all: readonly Case[],
  values: Values,
  { out }: Output,
): Promise<0 | 1 | 2> {
  const failing =
    values["known-failing"] === undefined ? new Set<string>() : knownFailing(readText(values["known-failing"]));
  const urls = (values.url ?? []).map(toUrl);
  if (urls.length === 0) throw new Error("--url is missing; --help lists the options");
  const probing = probeOptions(values, urls);
  const wanted = new Set(ids);
  const chosen = all.filter(({ id }) => wanted.has(id));
  const runs: SubjectRun[] = [];
  for (const url of urls) runs.push(await runAgainst(url, chosen, probing));
  const titled = values.tests === undefined ? new Map<string, Titled>() : titledResults(values.tests);
  const report = makeReport({ runs, ids, clauses: readAllClauses(), titled, knownFailing: failing });
  out(screen(report));
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  if (values.junit !== undefined) writeFileSync(values.junit, junit(report));
  return exitCode(report.results, failing);
}

function probeOptions({ http2: overHttp2, insecure = false, timeout }: Values, urls: readonly URL[]): ProbeOptions {
  const timeoutMs = Number(timeout ?? 5_000);
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1)
    throw new Error(`--timeout ${timeout ?? ""} is no number of milliseconds`);
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
