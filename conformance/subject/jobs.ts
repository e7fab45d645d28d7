/**
 * The job of the subject, in an engine in memory.
 *
 * Spec: spec/subject.md
 */
import { type Framework, type WorkEngine } from "framework";
import { job, memoryWork } from "framework/work";
import { z } from "zod";

const Mark = job("mark", {
  input: z.object({ kind: z.string(), mark: z.string(), password: z.string() }),
  attempts: 2,
  backoff: { kind: "fixed", delayMs: 0 },
});

/** Adds `POST /jobs/{kind}/{mark}`. */
export function addJobs(app: Framework): void {
  const jobs = memoryWork();
  const send = (kind: string, mark: string): Promise<string> =>
    jobs.work.send(Mark, { kind, mark, password: `hunter2-${mark}` });
  app.work(withoutBean(jobs));
  app.job(Mark, ({ kind, mark }) => {
    if (kind === "failing") throw new Error("failed as asked");
    return { mark };
  });
  app.schedule("yearly", "0 0 1 1 *", {}, Mark, { kind: "done", mark: "yearly", password: "" });
  app.post("/jobs/{kind}/{mark}", async (ctx) =>
    ctx.status(202).json({ id: await send(ctx.pathParam("kind"), ctx.pathParam("mark")) }),
  );
}

/** The graph of the subject is drawn in subject.md, and has no bean `Work`. */
const withoutBean = (engine: WorkEngine): WorkEngine => ({
  name: engine.name,
  attach(host) {
    const work = engine.attach(host);
    return Object.assign(work, { plugin: { ...work.plugin, beans: undefined } });
  },
});
