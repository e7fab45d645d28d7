/**
 * `--profile query`: the checks of RFC 10008 against any resource that accepts QUERY, without a subject's contract.
 *
 *   ResourceOptions ──▶ a probe for each check ──▶ QueryResult ──▶ screen | JSON
 *
 * The verdicts are the suite's: a MUST that is not met fails, a SHOULD warns, a MAY is noted.
 */
import { describeExchange, short } from "../kit/exchange.ts";
import { Probe, type ProbeOptions } from "../kit/probe.ts";
import { marks } from "../kit/report.ts";
import { exitCode, verdictOf, type Verdict } from "../kit/verdict.ts";
import { Violation } from "../kit/violation.ts";
import { queryChecks, type QueryCheck } from "./checks.ts";
import { Resource, type ResourceOptions } from "./resource.ts";

/** The result of one check. */
export interface QueryResult {
  readonly id: string;
  readonly level: QueryCheck["level"];
  readonly source: string;
  readonly sentence: string;
  readonly verdict: Verdict;
  /** Why it is not met, or does not apply. */
  readonly reason?: string;
  /** The requests and responses, if it is not met. */
  readonly exchanges: readonly string[];
}

/** Runs every check, one after the other. @throws Error (rejects) if nothing responds at the URL, or the signal aborts it */
export async function runQueryProfile(
  options: ResourceOptions,
  probing: ProbeOptions = {},
): Promise<readonly QueryResult[]> {
  await responding(options, probing);
  const results: QueryResult[] = [];
  for (const check of queryChecks) {
    const result = await resultOf(check, options, probing);
    if (probing.signal?.aborted === true)
      throw new Error(`the deadline came when ${results.length} of ${queryChecks.length} checks had been run`);
    results.push(result);
  }
  return results;
}

async function responding(options: ResourceOptions, probing: ProbeOptions): Promise<void> {
  try {
    await new Resource(new Probe(options.url, probing), options).query();
  } catch (error) {
    throw new Error(`nothing responds at ${options.url.href}: ${(error as Error).message}`, { cause: error });
  }
}

async function resultOf(
  { run, ...said }: QueryCheck,
  options: ResourceOptions,
  probing: ProbeOptions,
): Promise<QueryResult> {
  const probe = new Probe(options.url, probing);
  try {
    const found = await run(new Resource(probe, options));
    if (found === undefined) return { ...said, verdict: "pass", exchanges: [] };
    if (typeof found !== "string") return { ...said, verdict: "n/a", reason: found.lacking, exchanges: [] };
    return notMet(said, found, probe);
  } catch (error) {
    if (error instanceof Violation) return notMet(said, error.message, probe);
    return { ...said, verdict: "error", reason: String(error), exchanges: probe.exchanges.map(describeExchange) };
  } finally {
    probe.close();
  }
}

function notMet(said: Omit<QueryCheck, "run">, reason: string, { exchanges }: Probe): QueryResult {
  return { ...said, verdict: verdictOf(said.level, ["violated"]), reason, exchanges: exchanges.map(describeExchange) };
}

/** The results for a person: a line each, followed by the exchanges if it is not met. */
export function queryScreen(results: readonly QueryResult[]): string {
  const lines = results.flatMap(({ id, level, source, sentence, verdict, reason, exchanges }) => [
    `${marks[verdict]} ${id.padEnd(27)} ${level.padEnd(6)} ${sentence} (${source})`,
    ...(reason === undefined ? [] : [`    ${verdict === "n/a" ? "n/a: " : ""}${short(reason, 1_000)}`]),
    ...exchanges.map((exchange) => `      ${exchange}`),
  ]);
  const counts = (["pass", "fail", "warn", "note", "error", "n/a"] as const)
    .map((verdict) => [results.filter((one) => one.verdict === verdict).length, verdict] as const)
    .filter(([count]) => count > 0);
  return [...lines, "", `${results.length} checks: ${counts.map((count) => count.join(" ")).join(", ")}`].join("\n");
}

/** 0 met, 1 not, 2 no trustworthy result. */
export function queryExitCode(results: readonly QueryResult[]): 0 | 1 | 2 {
  return exitCode(results);
}
