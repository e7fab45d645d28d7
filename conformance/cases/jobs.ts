/** Jobs over HTTP: attempts, dead letters, retry and replay. Spec: trace.md (TRACE), history.md, search.md, replay.md. */
import { type Static, Type } from "typebox";
import { JobReplayed, JobsView } from "../../spec/jobs.ts";
import { SearchPage } from "../../spec/search.ts";
import { SubjectId } from "../../spec/subject.ts";
import { Trace } from "../../spec/trace.ts";
import { proves } from "../kit/case.ts";
import { jobsPath, Problem, replaysPath, requestsPath, runsPath, searchPath } from "../kit/devtools.ts";
import type { Probe } from "../kit/probe.ts";
import { traced } from "../kit/traces.ts";

type Run = Static<typeof Trace>;

const keyOf = ({ instance, sequence }: Pick<Run, "instance" | "sequence">): string => `${instance}.${sequence}`;

/** The hits of a query, the newest first, as soon as there are `count`. */
async function hits(probe: Probe, query: string, count: number): Promise<Static<typeof SearchPage>["hits"]> {
  return probe.eventually(`${count} runs of ${query}`, async () => {
    const response = await probe.send("GET", `${searchPath}?q=${encodeURIComponent(query)}`);
    const page = probe.json(SearchPage, response);
    return page.hits.length === count ? page.hits : undefined;
  });
}

/** A job that was sent, with its attempts, the first one first. */
async function sent(probe: Probe, kind: "done" | "failing") {
  const mark = probe.token();
  const { response, trace: sender } = await traced(probe, "POST", `/jobs/${kind}/${mark}`);
  probe.equal("the status of the request that sends it", response.status, 202);
  const { id } = probe.json(SubjectId, response);
  const found = await hits(probe, `kind:job id="${id}"`, kind === "done" ? 1 : 2);
  const attempts: Run[] = [];
  for (const hit of found.toReversed())
    attempts.push(probe.json(Trace, await probe.send("GET", runsPath + keyOf(hit))));
  return { mark, id, sender, attempts, hits: found };
}

/** The runs with these ids in the list of runs, the newest first. */
async function listed(probe: Probe, ids: readonly string[]): Promise<readonly Run[]> {
  const list = probe.json(Type.Array(Type.Unknown()), await probe.send("GET", requestsPath));
  const mine = list.filter((one) => ids.includes(String(Object(one).id)));
  return mine.map((one) => probe.shape("the run", Trace, one));
}

/** The parts of an attempt that are the same in each run of the suite. A time, and a sender, are checked apart. */
function summary({ kind, id, method, path, route, status, aborted, request, response, error, job }: Run): unknown {
  const { pathParams, query, headers, body: input } = request;
  const attempt = job && { ...markOf(job), id: job.id, system: job.system, requestId: job.requestId };
  return {
    run: [kind, id, method, path, route, status, aborted],
    request: [pathParams, query, headers, input],
    ended: [response.body, error?.message, job?.againMs],
    attempt,
  };
}

type Mark = NonNullable<Static<typeof SearchPage>["hits"][number]["job"]>;

/** The members of today, since a later release may have more. */
const markOf = ({ attempt, attempts, outcome }: Mark): Mark => ({ attempt, attempts, outcome });

async function view(probe: Probe): Promise<Static<typeof JobsView>> {
  const response = await probe.send("GET", jobsPath);
  probe.equal("the status of the jobs", response.status, 200);
  return probe.json(JobsView, response);
}

const json = { "content-type": "application/json" };
const retried = (probe: Probe, below: string, headers: Readonly<Record<string, string>> = json) =>
  probe.send("POST", `${jobsPath}/${below}`, { headers, body: "{}" });
const replayed = (probe: Probe, key: string, headers: Readonly<Record<string, string>> = {}) =>
  probe.send("POST", replaysPath + key, {
    headers: { ...json, "x-framework-replay": `${key};beans=`, ...headers },
    body: "{}",
  });

/** The cases about jobs. */
export const jobs = [
  proves("TRACE-130", "has an attempt with its input, its number and what became of the job", async (probe) => {
    const expected = (
      { id, mark, sender }: Awaited<ReturnType<typeof sent>>,
      kind: string,
      mine: Pick<Mark, "attempt" | "outcome">,
      ended: readonly unknown[],
    ) => ({
      run: ["job", id, "RUN", "mark", null, kind === "done" ? 200 : 500, false],
      request: [{}, {}, {}, { kind, mark, password: "[redacted]" }],
      ended,
      attempt: { ...mine, attempts: 2, id, system: "memory", requestId: sender.id },
    });
    const failing = await sent(probe, "failing");
    const why = "failed as asked";
    probe.equal("the attempts of a job that fails", failing.attempts.map(summary), [
      expected(failing, "failing", { attempt: 1, outcome: "failed" }, [null, why, 0]),
      expected(failing, "failing", { attempt: 2, outcome: "dead" }, [null, why, undefined]),
    ]);
    const done = await sent(probe, "done");
    probe.equal("the attempt of a job that is done", done.attempts.map(summary), [
      expected(done, "done", { attempt: 1, outcome: "done" }, [{ mark: done.mark }, undefined, undefined]),
    ]);
    probe.equal("the job of the request that sent it", done.sender.job, undefined);
    for (const { sender, attempts } of [failing, done])
      for (const { job, startedAt } of attempts)
        probe.ok(
          "it was sent after its sender began, and before it began",
          job !== undefined && sender.startedAt <= job.sentAt && job.sentAt <= startedAt,
        );
    const both = [done.attempts, failing.attempts.toReversed()].flat().map(summary);
    probe.equal("the attempts in the list of runs", (await listed(probe, [failing.id, done.id])).map(summary), both);
  }),

  proves("TRACE-131", "has the id in the run that sent the job, and that run in the attempt", async (probe) => {
    const { id, sender, attempts } = await sent(probe, "done");
    const messages = sender.leaves.flatMap(({ kind, name, error, detail }) => {
      if (kind !== "message" || !("destination" in detail)) return [];
      return [[name, error, detail.system, detail.operation, detail.destination, detail.body, detail.id]];
    });
    const places = sender.leaves.filter(({ kind }) => kind === "message").map(({ id: at }) => at);
    const message = ["send", null, "memory", "send", "mark", null, id];
    probe.equal("the messages of the run that sent it", messages, [message]);
    const [{ job } = { job: undefined }] = attempts;
    if (job?.sender !== undefined)
      probe.equal("the run that sent it", job.sender.id, `${sender.instance}.${String(sender.run)}`);
    const found = await hits(probe, `message="${id}"`, 1);
    probe.equal(
      "the run that a search finds, and where",
      found.map((hit) => [keyOf(hit), hit.leaves]),
      [[keyOf(sender), places]],
    );
  }),

  proves("HISTORY-040", "lists figures, schedules and dead letters", async (probe) => {
    const before = await view(probe);
    const { id, mark, attempts } = await sent(probe, "failing");
    const { engine, reason, jobs: figures, schedules, dead } = await view(probe);
    const [{ dead: count } = { dead: 0 }] = before.jobs;
    probe.equal("the engine", [engine, reason], ["memory", null]);
    probe.equal(
      "its figures",
      figures.map((one) => [one.job, one.waiting, one.active, one.dead, one.oldestMs]),
      [["mark", 1, 0, count + 1, 0]],
    );
    const year = new Date().getUTCFullYear();
    const times = [Date.UTC(year + 1, 0, 1), Date.UTC(year + 2, 0, 1)];
    probe.equal(
      "the schedules",
      schedules.map((one) => [one.name, one.cron, one.timeZone, one.job, times.includes(one.nextAt)]),
      [["yearly", "0 0 1 1 *", "UTC", "mark", true]],
    );
    const [letter] = dead;
    probe.equal(
      "the newest dead letter",
      letter && [letter.id, letter.job, letter.input, letter.reason, letter.issues, letter.run],
      [
        id,
        "mark",
        { kind: "failing", mark, password: "[redacted]" },
        "failed as asked",
        [],
        attempts.map(keyOf).at(-1),
      ],
    );
  }),

  proves("HISTORY-042", "tries a dead letter again, and says that there is none", async (probe) => {
    const { id } = await sent(probe, "failing");
    const response = await retried(probe, `mark/${id}`);
    probe.equal("the status", response.status, 200);
    await hits(probe, `kind:job id="${id}"`, 3);
    for (const below of [`mark/${probe.token()}`, `nothing/${id}`, "mark/none/more"]) {
      const none = await retried(probe, below);
      probe.equal(below, [none.status, probe.json(Problem, none).status], [404, 404]);
    }
  }),

  proves("HISTORY-043", "takes no retry that a form could send", async (probe) => {
    const { id } = await sent(probe, "failing");
    const type = { "content-type": "text/plain" };
    probe.equal("the status", (await retried(probe, `mark/${id}`, type)).status, 415);
    const { dead } = await view(probe);
    probe.ok(
      "the dead letter is there",
      dead.some((letter) => letter.id === id),
    );
  }),

  proves("SEARCH-022", "finds attempts by kind, job, number and outcome", async (probe) => {
    const { id, hits: both } = await sent(probe, "failing");
    const [second, first] = both.map(keyOf);
    probe.equal(
      "their marks",
      both.map(({ kind, job }) => ({ kind, job: job && markOf(job) })),
      [
        { kind: "job", job: { attempt: 2, attempts: 2, outcome: "dead" } },
        { kind: "job", job: { attempt: 1, attempts: 2, outcome: "failed" } },
      ],
    );
    for (const [query, expected] of Object.entries({
      "job:mark is:dead": [second],
      "job:mark attempt=1": [first],
      "attempt>1": [second],
      "job:mark": [second, first],
      "kind:job -is:dead": [first],
      "kind:request": [],
      "job:other": [],
    })) {
      const found = await hits(probe, `id="${id}" ${query}`, expected.length);
      probe.equal(query, found.map(keyOf), expected);
    }
  }),

  proves("REPLAY-030", "calls the handler once, beside the engine", async (probe) => {
    const { id, attempts } = await sent(probe, "failing");
    const of = attempts.at(-1);
    if (of === undefined) throw new Error("it has no attempt");
    const mine = probe.token();
    const response = await replayed(probe, keyOf(of), { "x-framework-dev": mine });
    const body = probe.json(JobReplayed, response);
    probe.equal("the response", [response.status, body.reason], [200, "failed as asked"]);
    const [hit] = await hits(probe, `kind:job id="${mine}"`, 1);
    const again = hit && probe.json(Trace, await probe.send("GET", runsPath + keyOf(hit)));
    probe.equal(
      "its run",
      [again?.id, again?.replayOf?.sequence, again?.job?.outcome, again?.request.body],
      [
        id,
        of.sequence,
        "failed",
        { kind: "failing", mark: String(Object(of.request.body).mark), password: "[redacted]" },
      ],
    );
    const { dead } = await view(probe);
    probe.ok(
      "the engine has the dead letter",
      dead.some((letter) => letter.id === id),
    );
  }),

  proves("REPLAY-032", "replays nothing without the header, of a request, or for another site", async (probe) => {
    const { id, sender, attempts } = await sent(probe, "failing");
    const key = attempts.map(keyOf).at(-1) ?? "";
    const bare = await probe.send("POST", replaysPath + key, { headers: json, body: "{}" });
    const foreign = await replayed(probe, key, { origin: "http://evil.example" });
    const request = await replayed(probe, keyOf(sender));
    probe.equal("the statuses", [bare.status, foreign.status, request.status], [400, 403, 409]);
    await hits(probe, `kind:job id="${id}"`, 2);
  }),
];
