/**
 * The parts of a request, each as the difference that it makes.
 *
 * Everything is reached by the packages' public names: an app on an engine without a network, a collector.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import {
  CorsMiddleware,
  Framework,
  InMemoryMetricsCollector,
  MetricsMiddleware,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
  type MiddlewareLike,
} from "framework";
import { TracingMiddleware } from "framework/opentelemetry";
import type { Batch, Case } from "./method/ns-per-op.ts";
import { NullEngine, type Asked } from "./null-engine.ts";
import { root } from "./settings.ts";

const get = (target: string, headers: Asked["headers"] = {}): Asked => ({ method: "GET", target, headers });
const hello = get("/hello");
const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** A started app on an engine of its own, as a batch that asks it. */
async function asking(asked: Asked, build: (app: Framework) => void, status = 200): Promise<Batch> {
  const engine = new NullEngine();
  const app = Framework.create({ engine, logger: { warn: () => undefined } });
  build(app);
  await app.start(0);
  return (times) => engine.ask(asked, times, status);
}

const sayHello = (app: Framework): unknown => app.get("/hello", () => ({ hello: "world" }));

const behind =
  (...middleware: readonly MiddlewareLike[]) =>
  (app: Framework): void => {
    for (const one of middleware) app.use(one);
    sayHello(app);
  };

const routed =
  (routes: number) =>
  (app: Framework): void => {
    for (let n = 0; n < routes; n += 1) {
      app.get(`/static${n}/page`, () => "page");
      app.get(`/resource${n}/{id}/items/{item}`, () => "item");
    }
  };

/** The cases. The apps behind them live as long as the process. */
export async function requestCases(): Promise<readonly Case[]> {
  const pass: MiddlewareLike = (_ctx, next) => next();
  const slow: MiddlewareLike = async (_ctx, next) => {
    await next();
  };
  const log = RequestLoggingMiddleware.json({ write: () => undefined });
  const alone = (id: string, title: string, run: Batch): Case => ({ id, title, run, less: "hello" });
  return [
    { id: "hello", title: "a whole request: route, handler, JSON, no network", run: await asking(hello, sayHello) },
    { id: "static", title: "static route among 400", run: await asking(get("/static150/page"), routed(200)) },
    { id: "params", title: "two parameters among 400", run: await asking(get("/resource150/42/items/7"), routed(200)) },
    { id: "missing", title: "404 among 400", run: await asking(get("/nothing"), routed(200), 404) },
    alone(
      "chain",
      "chain: five middlewares that only call next()",
      await asking(hello, behind(pass, pass, pass, pass, pass)),
    ),
    alone("async", "chain: one async middleware", await asking(hello, behind(slow))),
    alone("id", "request id", await asking(hello, behind(new RequestIdMiddleware()))),
    alone("cors", "CORS", await asking(hello, behind(CorsMiddleware.permissive()))),
    alone("log", "log line as JSON, without writing it", await asking(hello, behind(log))),
    alone("metrics", "metrics", await asking(hello, behind(new MetricsMiddleware(new InMemoryMetricsCollector())))),
    { id: "histogram", title: "histogram: one observation in a collector", run: recording() },
    ...(await fetchCases()),
    ...(await tracingCases()),
  ];
}

function recording(): Batch {
  const collector = new InMemoryMetricsCollector();
  const observation = { method: "GET", route: "/hello", status: 200, durationSeconds: 0.004, aborted: false };
  return (times) => {
    for (let n = 0; n < times; n += 1) collector.record(observation);
  };
}

/** The same hello through `app.fetch`, ours and the peers': a web Request in, a web Response out. */
async function fetchCases(): Promise<Case[]> {
  const app = Framework.create({ logger: { warn: () => undefined } });
  sayHello(app);
  const made = (): Request => new Request("http://localhost/hello");
  const asking =
    (who: string, fetch: (request: Request) => Response | Promise<Response>): Batch =>
    async (times) => {
      for (let n = 0; n < times; n += 1) {
        const { status } = await fetch(made());
        if (status !== 200) throw new Error(`${who} answered ${status}`);
      }
    };
  const request: Batch = (times) => {
    let last: Request | undefined;
    for (let n = 0; n < times; n += 1) last = made();
    return last?.url.length;
  };
  const through = (id: string, who: string, fetch: (request: Request) => Response | Promise<Response>): Case => ({
    id,
    title: `a whole request through ${who}`,
    run: asking(who, fetch),
    less: "request",
  });
  return [
    { id: "request", title: "new Request", run: request },
    through("fetch", "app.fetch", (asked) => app.fetch(asked)),
    through("fetch-bare", "a function that makes a Response", () => Response.json({ hello: "world" })),
    ...(await peersThatFetch()).map(([name, fetch]) => through(`fetch-${name}`, `${name}'s fetch`, fetch)),
  ];
}

/** Where bench/peers is installed; `make bench-micro` alone does not ask for it. */
async function peersThatFetch(): Promise<(readonly [string, (request: Request) => Response | Promise<Response>])[]> {
  const module = join(root, "bench", "peers", "fetching.mjs");
  if (!existsSync(join(root, "bench", "peers", "node_modules", ".installed"))) return [];
  const { fetching } = (await import(pathToFileURL(module).href)) as {
    readonly fetching: Readonly<Record<string, (request: Request) => Response | Promise<Response>>>;
  };
  return Object.entries(fetching);
}

/** With a tracer that does nothing: what is left is reading the header and the attributes. */
async function tracingCases(): Promise<Case[]> {
  const span = trace.wrapSpanContext({ traceId: "0".repeat(32), spanId: "0".repeat(16), traceFlags: 0 });
  const tracer = { startSpan: () => span, startActiveSpan: () => ROOT_CONTEXT };
  const middleware = new TracingMiddleware(tracer as never);
  const run = (headers: Asked["headers"]): Promise<Batch> => asking(get("/hello", headers), behind(middleware));
  return [
    { id: "tracing", title: "tracing with a tracer that does nothing", run: await run({}), less: "hello" },
    { id: "traceparent", title: "traceparent, read", run: await run({ traceparent }), less: "tracing" },
  ];
}
