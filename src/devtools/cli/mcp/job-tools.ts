/**
 * Job tools: the jobs of the application with its dead letters, the replay of a run, and the retry of a dead letter.
 */
import { letterWords } from "../../run/jobs.ts";
import type { AgentJobs, AgentRetried, AgentSent } from "../../run/shapes.ts";
import { runNamed } from "../terminal/named-run.ts";
import { sendAgain } from "../terminal/send-again.ts";
import { text, texts } from "./inputs.ts";
import { cut, pageOf } from "./pages.ts";
import { beansOf, sentOf } from "./run-tools.ts";
import { bounded, notice, paged, pagingOf, runInput, type Tool } from "./tool.ts";

/** `list_jobs`. */
export const listJobs: Tool = {
  name: "list_jobs",
  description:
    "Lists how many jobs wait, run and have died, the schedules, and the dead letters with their reasons: use it when work that a request began has not been done.",
  inputs: paged({}),
  output: "AgentJobs",
  isReadOnly: true,
  async run(given, { client }): Promise<AgentJobs> {
    const { engine, reason, jobs, schedules, dead } = await client.read("jobs");
    const letters = dead.map((one) => ({
      id: cut(one.id, 100),
      job: one.job,
      reason: cut(letterWords(one), 500),
      run: one.run,
    }));
    const head = { engine, reason, jobs: jobs.slice(0, MOST), schedules: schedules.slice(0, MOST) };
    const { items, next } = pageOf(letters, head, pagingOf("list_jobs", given, {}));
    return { ...head, dead: items, next, notice };
  },
};

const MOST = 20;

/** `replay_run`. */
export const replayRun: Tool = {
  name: "replay_run",
  description:
    "Runs a request or an attempt at a job again with what it recorded: use it to see whether changed code mends it, knowing that beans that are not in recorded are called for real.",
  inputs: bounded({
    id: runInput,
    recorded: text(
      "Beans that return what was recorded, A,B; without it those that reach databases and other services.",
    ),
    headers: texts("In place of redacted ones."),
  }),
  output: "AgentSent",
  isReadOnly: false,
  async run(given, { client }): Promise<AgentSent> {
    const trace = await runNamed(client, given.text("id") ?? "");
    const beans = given.text("recorded") === undefined ? undefined : beansOf(given);
    const asked = { trace, whatIf: [], isProfiled: false, beans, headers: given.texts("headers") };
    return sentOf(await sendAgain(client, asked), given);
  },
};

/** `retry_job`. */
export const retryJob: Tool = {
  name: "retry_job",
  description:
    "Puts a dead letter back into its engine, which does the job for real: use it after its cause is mended, and replay_run before that.",
  inputs: bounded({ job: text("The name of the job.", true), id: text("The id of the dead letter.", true) }),
  output: "AgentRetried",
  isReadOnly: false,
  async run(given, { client }): Promise<AgentRetried> {
    const [job = "", id = ""] = [given.text("job"), given.text("id")];
    await client.post(`jobs/${encodeURIComponent(job)}/${encodeURIComponent(id)}`);
    return { job, id, notice };
  },
};
