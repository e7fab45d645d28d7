/**
 * Components: everything that an application passes to the app and that may fail, and how the failure becomes visible.
 *
 * A cell of the matrix is a component with a behaviour. `/fault` goes through the component. `/plain` is another client's
 * request in the same app and must be served normally.
 */
import { channel } from "node:diagnostics_channel";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Devtools } from "@framework/devtools";
import { trace, type Span } from "@opentelemetry/api";
import { BasicTracerProvider } from "@opentelemetry/sdk-trace-base";
import {
  Beans,
  type Framework,
  HealthMiddleware,
  Interface,
  MetricsMiddleware,
  type MiddlewareLike,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
} from "framework";
import { TracingMiddleware } from "framework/opentelemetry";
import { RateLimitMiddleware } from "framework/rate-limit";
import { root } from "../../environment.ts";

/** The ways in which the passed code fails, in the order of the table. */
export const behaviours = ["throws", "rejects", "hangs", "wrong type", "slow"] as const;

/** One of them. */
export type Behaviour = (typeof behaviours)[number];

/** Behaves like that; `sound` gives its result if it is only slow (20 ms of the thread, as bad code does). */
function misbehave<T>(behaviour: Behaviour, sound: () => T): T {
  if (behaviour === "throws") throw new Error("fault: throws");
  if (behaviour === "rejects") return Promise.reject(new Error("fault: rejects")) as never;
  if (behaviour === "hangs") return new Promise(() => undefined) as never;
  if (behaviour === "wrong type") return 42 as never;
  for (const until = performance.now() + 20; performance.now() < until;);
  return sound();
}

/** A component in one cell. */
export interface Cell {
  /** The status of `/fault`, or undefined if that request may never end. */
  readonly status: number | undefined;
  /** Did the app notice? Called after `/fault` was served. */
  counted(errors: readonly string[]): boolean;
}

/** Adds a component that misbehaves to an app, or undefined if it cannot misbehave in that way. */
export type Component = (app: Framework, behaviour: Behaviour, bad: <T>(sound: () => T) => T) => Cell | undefined;

/** Adds that component to an app. */
export const put = (component: Component, app: Framework, behaviour: Behaviour): Cell | undefined =>
  component(app, behaviour, (sound) => misbehave(behaviour, sound));

/** Does the caller see the failure? A hanging promise or an unused value is not a failure there. */
const shows = (behaviour: Behaviour): boolean => behaviour === "throws" || behaviour === "rejects";
const logged = (status: number | undefined, behaviour: Behaviour, mayBeSilent = !shows(behaviour)): Cell => ({
  status,
  counted: (errors) => mayBeSilent || errors.length > 0,
});
/** The expected result of a request through code on its own path. */
const handled = (behaviour: Behaviour): Cell =>
  logged(behaviour === "hangs" ? undefined : shows(behaviour) ? 500 : 200, behaviour);

type Counting = MiddlewareLike & { readonly faults: number };
/** Middleware that counts failures of its components. The response stays the same. */
function counting(app: Framework, behaviour: Behaviour, middleware: Counting, isStrict = false): Cell {
  app.use(middleware).get("/fault", () => "fault");
  const isSeen = shows(behaviour) || (isStrict && behaviour !== "slow");
  return { status: 200, counted: () => middleware.faults > 0 === isSeen };
}

interface Bean {
  act(): unknown;
}
const Bean = Interface<Bean>("FaultyService");

class Odd {
  readonly kind = "odd";
}

/** A bean of `/fault` that devtools record. */
function recorded(app: Framework, devtools: Devtools, act: () => unknown): void {
  const beans = Beans.builder()
    .bind(Bean, () => ({ act }))
    .instrument(devtools.recorder())
    .start();
  devtools.install(app.get("/fault", (ctx) => ctx.get(Bean).act()).beans(beans), beans);
}

/** A file that cannot store history, or that has unreadable lines. */
function badHistory(behaviour: Behaviour): string | undefined {
  const folder = join(root, ".build", "faults-history", behaviour);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "runs.jsonl");
  if (behaviour === "throws") mkdirSync(file);
  if (behaviour === "rejects") return join(folder, "x".repeat(300), "runs.jsonl");
  if (behaviour === "wrong type") {
    const ofOther = { instance: "b", startedAt: 1, app: "another", commit: null, branch: null };
    const lines = [
      "\u0000\ufffd",
      '{"v":9,"run":{}}',
      JSON.stringify({ v: 1, session: ofOther }),
      '{"v":1,"run":{"inst',
    ];
    writeFileSync(file, lines.join("\n"));
  }
  return behaviour === "hangs" || behaviour === "slow" ? undefined : file;
}

const sound = trace.getTracer("none");
const tracing = (startSpan: () => Span): TracingMiddleware =>
  new TracingMiddleware({ startSpan, startActiveSpan: () => undefined as never });

/** The rows of the matrix. */
export const components: Readonly<Record<string, Component>> = {
  "health check"(app, behaviour, bad) {
    const builder = HealthMiddleware.builder().path("/fault").timeout(200).details(true);
    app.use(builder.check("c", () => bad(() => true)).build());
    return { status: behaviour === "slow" ? 200 : 503, counted: () => true };
  },
  tracer: (app, behaviour, bad) =>
    counting(
      app,
      behaviour,
      tracing(() => bad(() => sound.startSpan("x"))),
      true,
    ),
  "span (setAttribute, recordException, setStatus, end)"(app, behaviour, bad) {
    const faulty = new Proxy(sound.startSpan("x"), { get: (span) => () => bad(() => span) });
    const middleware = tracing(() => faulty);
    counting(app, behaviour, middleware);
    return { status: 200, counted: () => behaviour !== "throws" || middleware.faults > 0 };
  },
  "metrics collector": (app, behaviour, bad) =>
    counting(app, behaviour, new MetricsMiddleware({ record: () => bad(() => undefined) })),
  "log sink": (app, behaviour, bad) =>
    counting(app, behaviour, new RequestLoggingMiddleware({ write: () => bad(() => undefined) })),
  "id generator": (app, behaviour, bad) =>
    counting(app, behaviour, new RequestIdMiddleware({ generate: () => bad(() => "id-1") }), true),
  "rate limit's key": (app, behaviour, bad) =>
    counting(
      app,
      behaviour,
      new RateLimitMiddleware({ limit: 1_000, windowMs: 1_000, storeTimeoutMs: 50, key: () => bad(() => "all") }),
      true,
    ),
  "rate limit's store"(app, behaviour, bad) {
    const taken = { allowed: true, remaining: 1, resetMs: 0, retryMs: 0 };
    const store = { take: () => bad(() => taken) };
    const limit = new RateLimitMiddleware({ limit: 1_000, windowMs: 1_000, store, storeTimeoutMs: 50 });
    return counting(app, behaviour, limit, true);
  },
  "a listener of ctx.log"(app, _behaviour, bad) {
    app.observe({ log: () => bad(() => undefined) }).get("/fault", (ctx) => (ctx.log.debug("a line"), "fault"));
    return { status: 200, counted: () => true };
  },
  "a listener of annotations"(app, _behaviour, bad) {
    app
      .observe({ annotation: () => bad(() => undefined) })
      .get("/fault", (ctx) => (ctx.annotations?.add("note", "a value"), "fault"));
    return { status: 200, counted: () => true };
  },
  "serializer (toJSON)"(app, behaviour, bad) {
    // JSON.stringify ignores a promise. If an app's own toJSON returns one that rejects, only that code can see it.
    if (behaviour === "rejects") return undefined;
    app.get("/fault", () => ({ toJSON: () => bad(() => "ok") }));
    return logged(behaviour === "throws" ? 500 : 200, behaviour);
  },
  "bean factory"(app, behaviour, bad) {
    const beans = Beans.builder()
      .bind(Bean, () => bad(() => ({ act: () => "ok" })))
      .buildLazy();
    app.get("/fault", (ctx) => ctx.get(Bean).act()).beans(beans);
    const isSound = behaviour === "slow";
    return logged(isSound ? 200 : 500, behaviour, isSound);
  },
  "bean method, recorded"(app, behaviour, bad) {
    recorded(app, Devtools.create(), () => bad(() => "ok"));
    return handled(behaviour);
  },
  middleware(app, behaviour, bad) {
    app.get("/fault", { use: [(_ctx, next) => bad(next)] }, () => "fault");
    return handled(behaviour);
  },
  "middleware, after next"(app, behaviour, bad) {
    const after = async (_ctx: object, next: () => unknown): Promise<unknown> => {
      await next();
      return bad(() => undefined);
    };
    app.get("/fault", { use: [after] }, () => "fault");
    return handled(behaviour);
  },
  handler(app, behaviour, bad) {
    app.get("/fault", () => bad(() => "fault"));
    return handled(behaviour);
  },
  "error handler"(app, behaviour, bad) {
    app.get("/fault", () => Promise.reject(new RangeError("first"))).onError(RangeError, () => bad(() => "handled"));
    return logged(behaviour === "hangs" ? undefined : 500, behaviour);
  },
  "onComplete listener"(app, behaviour, bad) {
    app.get("/fault", (ctx) => void ctx.onComplete(() => bad(() => undefined)).text("fault"));
    return logged(200, behaviour);
  },
  "stream source"(app, behaviour, bad) {
    const next = () => bad(() => Promise.resolve({ done: true, value: "" }));
    app.get("/fault", () => ({ [Symbol.asyncIterator]: () => ({ next }) }));
    return logged(behaviour === "slow" ? 200 : undefined, behaviour);
  },
  "describe of a channel"(app, _behaviour, bad) {
    const describe = (): object => bad(() => ({ statement: "select 1" }));
    const devtools = Devtools.create({ channels: [{ channel: "faults.sql", kind: "sql", describe }] });
    recorded(app, devtools, () => (channel("faults.sql").publish({}), "ok"));
    return { status: 200, counted: () => true };
  },
  "span that devtools read"(app, behaviour, bad) {
    // A promise as an attribute is an ordinary value, so only its creator sees the rejection.
    if (behaviour === "rejects") return undefined;
    const devtools = Devtools.create();
    const span = new Proxy({}, { get: () => bad(() => undefined) });
    recorded(app, devtools, () => {
      devtools.spanProcessor().onStart(span, undefined);
      devtools.spanProcessor().onEnd(span);
      return "ok";
    });
    return { status: 200, counted: () => true };
  },
  "span processor beside devtools'"(app, behaviour, bad) {
    // The SDK drops a processor's return value, so only the SDK can see a rejection.
    if (behaviour === "rejects") return undefined;
    const done = (): Promise<void> => Promise.resolve();
    const faulty = { onStart: () => bad(() => undefined), onEnd: () => bad(() => undefined), forceFlush: done };
    const spanProcessors = [Devtools.create().spanProcessor(), { ...faulty, shutdown: done }];
    return counting(app, behaviour, new TracingMiddleware(new BasicTracerProvider({ spanProcessors }).getTracer("x")));
  },
  "file of the history"(app, behaviour) {
    const history = badHistory(behaviour);
    if (history === undefined) return undefined;
    recorded(app, Devtools.create({ name: "faults", history }), () => "ok");
    return { status: 200, counted: () => true };
  },
  "recorder's argument"(app, _behaviour, bad) {
    const devtools = Devtools.create({ snapshot: [[Odd, () => bad(() => ({ odd: true }))]] });
    recorded(app, devtools, () => new Odd());
    return { status: 200, counted: () => true };
  },
};
