/**
 * Components: everything the app is handed that may go wrong, and how it shows that it did.
 *
 * A cell of the matrix is a component with a behaviour. `/fault` goes through the component; `/plain` is somebody
 * else's request in the same app and must be answered as if nothing were wrong.
 */
import { Devtools } from "@framework/devtools";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import {
  Beans,
  type Framework,
  HealthMiddleware,
  Interface,
  MetricsMiddleware,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
} from "framework";
import { TracingMiddleware } from "framework/opentelemetry";
import { misbehave, type Behaviour } from "./behaviours.ts";

/** A component in one cell. */
export interface Cell {
  /** The status of `/fault`; undefined when that request may wait for ever. */
  readonly status: number | undefined;
  /** Did the app notice? Asked after `/fault` was answered. */
  counted(errors: readonly string[]): boolean;
}

/** Puts a component that misbehaves into an app; undefined where it cannot misbehave so. */
export type Component = (app: Framework, behaviour: Behaviour) => Cell | undefined;

/** Wrong in a way that its caller can see: a promise that hangs, or a value nobody looks at, is no fault there. */
const shows = (behaviour: Behaviour): boolean => behaviour === "throws" || behaviour === "rejects";
const observed =
  (behaviour: Behaviour, of: { readonly faults: number }, isStrict = false) =>
  (): boolean =>
    shows(behaviour) || (isStrict && behaviour !== "slow") ? of.faults > 0 : of.faults === 0;

const plain = (app: Framework): Framework => app.get("/fault", () => "fault").get("/plain", () => "plain");

interface Bean {
  act(): unknown;
}
const Bean = Interface<Bean>("FaultyService");

/** The rows of the matrix. */
export const components: Readonly<Record<string, Component>> = {
  "health check"(app, behaviour) {
    const isUp = behaviour === "slow";
    app.use(
      HealthMiddleware.builder()
        .path("/fault")
        .timeout(200)
        .check("c", () => misbehave(behaviour, () => true))
        .details(true)
        .build(),
    );
    plain(app);
    return { status: isUp ? 200 : 503, counted: () => true };
  },
  tracer(app, behaviour) {
    const sound = trace.getTracer("none");
    const tracing = new TracingMiddleware({
      startSpan: (...args) => misbehave(behaviour, () => sound.startSpan(...args)),
      startActiveSpan: () => undefined as never,
    });
    plain(app.use(tracing));
    return { status: 200, counted: observed(behaviour, tracing, true) };
  },
  "span (setAttribute, recordException, setStatus, end)"(app, behaviour) {
    const span = trace.getTracer("none").startSpan("x");
    const bad = (): never => misbehave(behaviour, () => span) as never;
    const faulty = {
      ...span,
      spanContext: bad,
      setAttribute: bad,
      setAttributes: bad,
      addEvent: bad,
      addLink: bad,
      addLinks: bad,
      setStatus: bad,
      updateName: bad,
      end: bad,
      isRecording: () => true,
      recordException: bad,
    };
    const tracing = new TracingMiddleware({ startSpan: () => faulty, startActiveSpan: () => undefined as never });
    plain(app.use(tracing));
    void SpanStatusCode;
    return { status: 200, counted: () => behaviour !== "throws" || tracing.faults > 0 };
  },
  "metrics collector"(app, behaviour) {
    const metrics = new MetricsMiddleware({ record: () => misbehave(behaviour, () => undefined) });
    plain(app.use(metrics));
    return { status: 200, counted: observed(behaviour, metrics) };
  },
  "log sink"(app, behaviour) {
    const logging = new RequestLoggingMiddleware({ write: () => misbehave(behaviour, () => undefined) });
    plain(app.use(logging));
    return { status: 200, counted: observed(behaviour, logging) };
  },
  "id generator"(app, behaviour) {
    const ids = new RequestIdMiddleware({ generate: () => misbehave(behaviour, () => "id-1") });
    plain(app.use(ids));
    return { status: 200, counted: observed(behaviour, ids, true) };
  },
  "serializer (toJSON)"(app, behaviour) {
    // JSON.stringify swallows a promise: one that an app's own toJSON leaves to reject is nobody else's to see.
    if (behaviour === "rejects") return undefined;
    app.get("/plain", () => "plain").get("/fault", () => ({ toJSON: () => misbehave(behaviour, () => "ok") }));
    return {
      status: behaviour === "throws" ? 500 : 200,
      counted: (errors) => behaviour !== "throws" || errors.length > 0,
    };
  },
  "bean factory"(app, behaviour) {
    const beans = Beans.builder()
      .bind(Bean, () => misbehave(behaviour, () => ({ act: () => "ok" })))
      .buildLazy();
    app
      .get("/plain", () => "plain")
      .get("/fault", (ctx) => ctx.get(Bean).act())
      .beans(beans);
    const isSound = behaviour === "slow";
    return { status: isSound ? 200 : 500, counted: (errors) => isSound || errors.length > 0 };
  },
  "bean method, recorded"(app, behaviour) {
    const devtools = Devtools.create();
    const beans = Beans.builder()
      .bind(Bean, () => ({ act: () => misbehave(behaviour, () => "ok") }))
      .instrument(devtools.recorder())
      .start();
    app
      .get("/plain", () => "plain")
      .get("/fault", (ctx) => ctx.get(Bean).act())
      .beans(beans);
    devtools.install(app, beans);
    return handled(behaviour);
  },
  middleware(app, behaviour) {
    app
      .get("/plain", () => "plain")
      .get("/fault", () => "fault", { use: [(_ctx, next) => misbehave(behaviour, next)] });
    return handled(behaviour);
  },
  "middleware, after next"(app, behaviour) {
    const after = async (_ctx: object, next: () => unknown): Promise<unknown> => {
      await next();
      return misbehave(behaviour, () => undefined);
    };
    app.get("/plain", () => "plain").get("/fault", () => "fault", { use: [after] });
    return handled(behaviour);
  },
  handler(app, behaviour) {
    app.get("/plain", () => "plain").get("/fault", () => misbehave(behaviour, () => "fault"));
    return handled(behaviour);
  },
  "error handler"(app, behaviour) {
    app
      .get("/plain", () => "plain")
      .get("/fault", () => {
        throw new RangeError("first");
      });
    app.exception(RangeError, () => misbehave(behaviour, () => "handled"));
    return {
      status: behaviour === "hangs" ? undefined : 500,
      counted: (errors) => !shows(behaviour) || errors.length > 0,
    };
  },
  "onComplete listener"(app, behaviour) {
    app
      .get("/plain", () => "plain")
      .get("/fault", (ctx) => {
        ctx.onComplete(() => misbehave(behaviour, () => undefined));
        return "fault";
      });
    return { status: 200, counted: (errors) => !shows(behaviour) || errors.length > 0 };
  },
  "stream source"(app, behaviour) {
    app
      .get("/plain", () => "plain")
      .get("/fault", () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => misbehave(behaviour, () => Promise.resolve({ done: true, value: "" })),
        }),
      }));
    const isSound = behaviour === "slow";
    return { status: isSound ? 200 : undefined, counted: (errors) => !shows(behaviour) || errors.length > 0 };
  },
  "recorder's argument"(app, behaviour) {
    const devtools = Devtools.create({ snapshot: [[Odd, () => misbehave(behaviour, () => ({ odd: true }))]] });
    const beans = Beans.builder()
      .bind(Bean, () => ({ act: () => new Odd() }))
      .instrument(devtools.recorder())
      .start();
    app
      .get("/plain", () => "plain")
      .get("/fault", (ctx) => String(ctx.get(Bean).act() instanceof Odd))
      .beans(beans);
    devtools.install(app, beans);
    return { status: 200, counted: () => true };
  },
};

class Odd {
  readonly kind = "odd";
}

/** What a request through code on its own path comes to. */
const handled = (behaviour: Behaviour): Cell => ({
  status: behaviour === "hangs" ? undefined : shows(behaviour) ? 500 : 200,
  counted: (errors) => !shows(behaviour) || errors.length > 0,
});
