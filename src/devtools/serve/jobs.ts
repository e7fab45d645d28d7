/**
 * Jobs: the application's jobs, its schedules and its dead letters, and the retry of one.
 *
 *   GET …/api/jobs ──▶ app.about.jobs, within two seconds ──▶ JobsView │ why the engine could not be asked
 *   POST …/api/jobs/{name}/{id} ──▶ JSON? ──▶ the engine tries it again
 *
 * Spec: spec/history.md
 */
import type { AppJobs, Context, DeadLetter } from "framework";
import { KnownSecrets } from "../capture/secrets/known.ts";
import type { Snapshotter } from "../capture/snapshot.ts";
import type { KeptRuns } from "../keep/kept-runs.ts";
import { messageOf } from "../run/format.ts";
import type { DeadJob, JobsView } from "../run/shapes.ts";
import { decoded } from "../run/values.ts";
import { apiPath } from "../run/wire.ts";
import { type EndpointAt, isJson, problem, sendJson } from "./endpoints.ts";

/** The sources of these endpoints. */
export interface JobSources {
  readonly kept: KeptRuns;
  readonly snapshots: Snapshotter;
  /** Undefined if the application has none. */
  jobs(): AppJobs | undefined;
}

/** These endpoints, by path. */
export const jobEndpoints = (sources: JobSources): readonly EndpointAt[] => [
  [apiPath("jobs"), async (ctx) => sendJson(ctx, JSON.stringify(await viewOf(sources)))],
  [apiPath("jobs/"), (ctx) => problem(ctx, 404, "Not Found"), (ctx, below) => retry(ctx, below, sources)],
];

const nothing = { engine: null, reason: null, jobs: [], schedules: [], dead: [] } as const;

async function viewOf({ kept, snapshots, jobs: of }: JobSources): Promise<JobsView> {
  const jobs = of();
  if (jobs === undefined) return nothing;
  const { engine, schedules, names } = jobs;
  try {
    const [counts, letters] = await Promise.all([jobs.counts(), Promise.all(names.map((name) => jobs.dead(name)))]);
    const figures = counts.map(({ failed: dead, ...rest }) => ({ ...rest, dead }));
    const runs = letters.flat().length === 0 ? new Map<string, string>() : await latestAttempts(kept);
    const dead = letters.flat().map((letter) => shownLetter(letter, runs, snapshots));
    return { engine, reason: null, jobs: figures, schedules, dead };
  } catch (error) {
    return { ...nothing, engine, reason: shownText(messageOf(error), snapshots), schedules };
  }
}

/** The key of the latest kept attempt, by the job's id. The runs are the newest first. */
async function latestAttempts(kept: KeptRuns): Promise<ReadonlyMap<string, string>> {
  const attempts = (await kept.all()).filter(({ document }) => document.kind === "job");
  return new Map(attempts.toReversed().map(({ key, document }) => [document.id, key]));
}

/** Everything in it is the application's data, so it is bounded and redacted together. */
function shownLetter(letter: DeadLetter, runs: ReadonlyMap<string, string>, all: Snapshotter): DeadJob {
  const { id, name, input, reason, issues } = letter;
  const snapshots = all.within(new KnownSecrets());
  return {
    id,
    job: name,
    input: snapshots.take(input).json,
    reason: snapshots.text(reason),
    issues: issues.map(({ pointer = "", message }) => ({ pointer, message: snapshots.text(message) })),
    run: runs.get(id) ?? null,
  };
}

const shownText = (text: string, all: Snapshotter): string => all.within(new KnownSecrets()).text(text);

async function retry(ctx: Context, below: string, { jobs: of }: JobSources): Promise<void> {
  if (!isJson(ctx)) return problem(ctx, 415, "Unsupported Media Type", "a retry is sent as application/json");
  const [name = "", id = "", ...more] = below.split("/").map(decoded);
  const jobs = of();
  if (jobs === undefined || more.length > 0 || !jobs.names.includes(name))
    return problem(ctx, 404, "Not Found", `this process does no job ${name}`);
  try {
    if (await jobs.retry(name, id)) return sendJson(ctx, "{}");
  } catch (error) {
    return problem(ctx, 503, "Service Unavailable", `it could not be tried again: ${messageOf(error)}`);
  }
  problem(ctx, 404, "Not Found", `there is no dead letter ${id} of ${name}: it may have been tried again already`);
}
