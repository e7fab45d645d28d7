/**
 * Observe: the events of an app in one registration, and its data for tools.
 *
 *   app.observe({ log, rejected, … }) ──▶ each member is called when its event happens, in order of registration
 *
 * An observer changes nothing. Its results, errors and rejections are ignored. An event without an observer costs nothing.
 *
 * Spec: spec/context.md, spec/log.md
 */
import type { BeanType, Class } from "../beans/types.ts";
import type { DeclaredRoute } from "../contract/contract.ts";
import type { AnnotationListener } from "../http/annotations.ts";
import type { Context, RecordedResponse } from "../http/context.ts";
import type { RejectedRequest } from "../http/exchange.ts";
import type { PhaseListener } from "../http/phases.ts";
import type { LogListener } from "../http/request-log.ts";
import type { SafeLogger } from "../internal/logger.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import { unharmed } from "../internal/watchers.ts";
import type { SendWrap } from "../middleware/types.ts";
import type { BackgroundWrap } from "./background.ts";
import type { AppPanel } from "./plugins.ts";
import type { AppJobs } from "./work.ts";

/** Wraps each listener. It must call `run` once, and return or throw its outcome. */
export type StartWrap = (name: string, run: () => unknown) => unknown;

/** The type of `app.about`. */
export interface AppAbout {
  /** `/`, or a prefix such as `/shop`. */
  readonly contextPath: string;
  /** The address of the options, or undefined when the app listens on every interface. */
  readonly host: string | undefined;
  /** The app's logger: the given one, which can no longer throw. */
  readonly logger: SafeLogger;
  /** The routes with their contracts, in the order of their registration. Documents and clients are made of them. */
  declaredRoutes(): DeclaredRoute[];
  /** The installed middleware of that class, in the app, a group or a route, in order of installation. */
  middlewareOf<T extends object>(type: Class<T>): T[];
  /** The panels of its plugins. */
  panels(): readonly AppPanel[];
  /** Its jobs, or undefined before `app.work`. */
  readonly jobs: AppJobs | undefined;
}

/** The argument of `app.observe`: any of these, as functions or as methods of an object. */
export interface AppObserver {
  /**
   * Wraps each listener of `app.onStart`, also those of middleware. The first observer is the outermost. It calls `run()`,
   * which returns or throws the listener's outcome. If it has not called it, the app calls `run` itself.
   */
  readonly start?: StartWrap | undefined;
  /**
   * Wraps each piece of background work and each event of a WebSocket, as `start` does. `origin` names the event and connection
   * that the work is for, and is undefined for work of `app.background`. `job` is the attempt at a job that the work is.
   */
  readonly background?: BackgroundWrap | undefined;
  /**
   * Wraps each job that is sent by a caller, as `start` does. It may leave a `note` in the job, which the observers of its
   * attempts get.
   */
  readonly sending?: SendWrap | undefined;
  /** Called for each type that `ctx.get` has resolved. */
  readonly resolve?: ((type: BeanType<object>) => unknown) | undefined;
  /** Called for each line of `ctx.log` before it is written. A returned function is called after that. */
  readonly log?: LogListener | undefined;
  /** Called for each `ctx.annotations?.add(name, value)` of middleware. */
  readonly annotation?: AnnotationListener | undefined;
  /**
   * Called when a step of a request has ended: a middleware, reading the body, the handler, serialization, a response hook,
   * sending. Must be registered before the app's first request.
   */
  readonly phase?: PhaseListener | undefined;
  /**
   * Sees each response as it is sent, after every hook of `onResponse`, also when a hook has failed. Not called for `ctx.sse()`
   * without arguments and for responses that a host sends itself.
   */
  readonly response?: ((ctx: Context, response: RecordedResponse) => unknown) | undefined;
  /** Called for each request that never became a context, such as one that the parser rejected with 400. */
  readonly rejected?: ((request: RejectedRequest) => unknown) | undefined;
}

const names = [
  "start",
  "background",
  "sending",
  "resolve",
  "log",
  "annotation",
  "phase",
  "response",
  "rejected",
] as const;

/** The listeners to an app's events: observers, and middleware if it may, in order of registration. */
export class Listeners {
  readonly start: StartWrap[] = [];
  readonly background: BackgroundWrap[] = [];
  readonly sending: SendWrap[] = [];
  readonly resolve: ((type: BeanType<object>) => unknown)[] = [];
  readonly log: LogListener[] = [];
  readonly annotation: AnnotationListener[] = [];
  readonly phase: PhaseListener[] = [];
  readonly response: ((ctx: Context, response: RecordedResponse) => unknown)[] = [];
  readonly rejected: ((request: RejectedRequest) => unknown)[] = [];
}

/** Registers each member of an observer. @throws TypeError naming an unknown member, or one that is not a function. */
export function addObserver(listeners: Listeners, observer: AppObserver): void {
  checkOptionNames("app.observe(…)", observer, names);
  for (const name of names) {
    const member: unknown = observer[name];
    if (member !== undefined && typeof member !== "function")
      throw usageError("CONFIG_INVALID", `app.observe({ ${name} }) is ${shown(member)}: a function is allowed`);
  }
  const [start, background, sending, rejected] = [
    observer.start?.bind(observer),
    observer.background?.bind(observer),
    observer.sending?.bind(observer),
    observer.rejected?.bind(observer),
  ];
  if (start !== undefined) listeners.start.push((name, run) => around((once) => start(name, once), run));
  if (background !== undefined)
    listeners.background.push((name, work, origin, job) => around((once) => background(name, once, origin, job), work));
  if (sending !== undefined) listeners.sending.push((one, send) => around((once) => sending(one, once), send));
  if (rejected !== undefined) listeners.rejected.push((request) => void unharmed(() => rejected(request)));
  for (const name of ["resolve", "log", "annotation", "phase", "response"] as const) {
    const member = observer[name]?.bind(observer);
    if (member !== undefined) (listeners[name] as (typeof member)[]).push(member);
  }
}

/** Runs work once inside an observer. Returns or throws the work's outcome, for any behaviour of the observer. */
function around(observe: (run: () => unknown) => unknown, work: () => unknown): unknown {
  let outcome: (() => unknown) | undefined;
  const run = (): unknown => (outcome ??= outcomeOf(work))();
  unharmed(() => observe(run));
  return run();
}

/** Runs the work, and returns a function that repeats its outcome. */
function outcomeOf(work: () => unknown): () => unknown {
  try {
    const value = work();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
