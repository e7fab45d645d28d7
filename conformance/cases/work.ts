/** Jobs, as a client sees them. Spec: work.md (WORK). */
import type { Static } from "typebox";
import { Problem } from "../../spec/errors.ts";
import { HealthResult } from "../../spec/health.ts";
import { SubjectId, SubjectJob } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";

/** Sends the job of a mark. */
async function sent(probe: Probe, mark: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  const response = await probe.send("POST", `/work/${mark}`, { headers });
  probe.equal("the status", response.status, 202);
  probe.equal("the id", probe.json(SubjectId, response).id, mark);
}

/** What the job of a mark got, when it was done. */
const doneOf = (probe: Probe, mark: string): Promise<Static<typeof SubjectJob>> =>
  probe.eventually("the job", async () => {
    const response = await probe.send("GET", `/work/${mark}`);
    return response.status === 404 ? undefined : probe.json(SubjectJob, response);
  });

/** The cases of this chapter. */
export const work = [
  proves("WORK-001", "is 503 with its code when the engine takes no job", async (probe) => {
    const response = await probe.send("POST", `/work/away/${probe.token()}`);
    const { status, code } = probe.json(Problem, response);
    probe.equal("the statuses and the code", [response.status, status, code], [503, 503, "WORK_AWAY"]);
  }),

  proves("WORK-002", "is 500 when the schema rejects the input, which the server has made", async (probe) => {
    const response = await probe.send("POST", `/work/wrong/${probe.token()}`);
    probe.equal("the statuses", [response.status, probe.json(Problem, response).status], [500, 500]);
  }),

  proves("WORK-003", "does not tell the client what was rejected", async (probe) => {
    const mark = probe.token();
    const { status, text } = await probe.send("POST", `/work/wrong/${mark}`);
    probe.equal("the status", status, 500);
    // The path of the request contains it, and a problem may name that.
    probe.equal("whether it is told", text.replaceAll(`/work/wrong/${mark}`, "").includes(mark), false);
  }),

  proves("WORK-004", "is done", async (probe) => {
    const mark = probe.token();
    await sent(probe, mark);
    const { mark: got, times } = await doneOf(probe, mark);
    probe.equal("the mark, and how often", [got, times], [mark, 1]);
  }),

  proves("WORK-005", "is done once for a key", async (probe) => {
    const [first, second] = [probe.token(), probe.token()];
    for (const mark of [first, first, second])
      probe.equal("the status", (await probe.send("POST", `/work/${mark}?key=${first}`)).status, 202);
    const after = probe.token();
    await sent(probe, after);
    await doneOf(probe, after);
    const { times } = await doneOf(probe, first);
    const other = await probe.send("GET", `/work/${second}`);
    probe.equal("how often, and the status of the second mark", [times, other.status], [1, 404]);
  }),

  proves("WORK-006", "carries the request's id", async (probe) => {
    const mark = probe.token();
    await sent(probe, mark, { "x-request-id": `request-of-${mark}` });
    probe.equal("the id", (await doneOf(probe, mark)).requestId, `request-of-${mark}`);
  }),

  proves("WORK-007", "carries the request's trace", async (probe) => {
    const mark = probe.token();
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    await sent(probe, mark, { traceparent: `00-${traceId}-b7ad6b7169203331-01` });
    probe.equal("the trace id", (await doneOf(probe, mark)).traceId, traceId);
  }),

  proves("WORK-008", "is up for an engine that is connected, and down for one that is not", async (probe) => {
    const response = await probe.send("GET", "/work/health");
    const { checks } = probe.json(HealthResult, response);
    probe.equal("the status and the checks", [response.status, checks], [503, { jobs: "UP", away: "DOWN" }]);
  }),

  proves("WORK-009", "has the metrics of jobs", async (probe) => {
    const mark = probe.token();
    await sent(probe, mark);
    await doneOf(probe, mark);
    await probe.eventually("the metrics", async () => {
      const { status, text } = await probe.send("GET", "/work/metrics");
      const series = [
        /^job_duration_seconds_count\{job="mark",outcome="done"\} [1-9]/m,
        /^jobs\{job="mark",state="waiting"\} \d+$/m,
        /^jobs_oldest_seconds\{job="mark"\} [\d.]+$/m,
        /\n$/,
      ];
      return status === 200 && series.every((one) => one.test(text)) ? text : undefined;
    });
  }),
];
