/**
 * Jobs: sent by requests to an engine in memory, and to one that takes none. An app of its own does them, as a worker would.
 *
 * Spec: spec/subject.md
 */
import {
  EXPOSITION_CONTENT_TYPE,
  type Framework,
  Framework as App,
  HealthMiddleware,
  LogScopeMiddleware,
  NotFoundError,
} from "framework";
import { job, JobEngine, JobMetrics, memoryWork, type Work, type WorkDriver } from "framework/work";
import { z } from "zod";

const Mark = job("mark", { input: z.string() });

interface Done {
  readonly mark: string;
  readonly requestId: string;
  readonly traceId: string;
  readonly times: number;
}

/** Adds the routes below `/work`. */
export function addWork(app: Framework): void {
  const metrics = new JobMetrics();
  const engine = memoryWork({ metrics });
  const away = new JobEngine("away", awayDriver(), {});
  const done = new Map<string, Done>();
  const worker = App.create({ logger: { warn: () => undefined, error: () => undefined } }).work(engine);
  worker.job(Mark, (mark, run) => {
    const traceId = run.traceparent?.split("-")[1] ?? "";
    done.set(mark, { mark, requestId: run.requestId ?? "", traceId, times: (done.get(mark)?.times ?? 0) + 1 });
  });
  app.onStart(() => worker.ready()).onStop(() => worker.stop());
  app.use(
    new HealthMiddleware({
      path: "/work/health",
      checks: { jobs: engine.check({ maxAgeMs: 60_000 }), away: away.check({ maxAgeMs: 60_000 }) },
    }),
  );
  const sending = { use: [new LogScopeMiddleware()] };
  const send = async (work: Work, mark: string, input: unknown, key: string | undefined): Promise<{ id: string }> => {
    await work.send(Mark, input as string, { key });
    return { id: mark };
  };
  app
    .get("/work/metrics", (ctx) => ctx.setHeader("Content-Type", EXPOSITION_CONTENT_TYPE).text(metrics.prometheus()))
    .get("/work/{mark}", (ctx) => done.get(ctx.pathParam("mark")) ?? notDone())
    .post("/work/{mark}", sending, async (ctx) => {
      const mark = ctx.pathParam("mark");
      return ctx.status(202).json(await send(engine.work, mark, mark, ctx.queryParam("key")));
    })
    .post("/work/away/{mark}", async (ctx) => send(away.work, ctx.pathParam("mark"), ctx.pathParam("mark"), undefined))
    .post("/work/wrong/{mark}", async (ctx) =>
      send(engine.work, ctx.pathParam("mark"), [ctx.pathParam("mark")], undefined),
    );
}

function notDone(): never {
  throw new NotFoundError("no such job is done");
}

/** An engine that is not reachable. */
function awayDriver(): WorkDriver {
  const away = async (): Promise<never> => {
    throw new Error("connect ECONNREFUSED");
  };
  return {
    name: "away",
    isTransactional: false,
    now: () => Date.now(),
    start: away,
    send: away,
    consume: away,
    drain: async () => undefined,
    close: async () => undefined,
    counts: away,
    dead: away,
    retry: away,
  };
}
