/**
 * Observe: what a tool hears of an app, in one registration, and what it reads of it.
 *
 *   app.observe({ log, rejected, … }) ──▶ each member is called when its event happens, in order of registration
 *
 * An observer changes nothing: what it returns is not used, and what it throws or rejects with is ignored. An event that
 * no observer hears costs nothing.
 *
 * Spec: spec/context.md, spec/log.md
 */
import type { BeanType, Class } from "../beans/types.ts";
import type { DeclaredRoute } from "../contract/contract.ts";
import type { AnnotationListener } from "../http/annotations.ts";
import type { Context, RecordedResponse } from "../http/context.ts";
import type { RejectedRequest } from "../http/exchange.ts";
import type { LogListener } from "../http/request-log.ts";
import type { SafeLogger } from "../internal/logger.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import { unharmed } from "../internal/watchers.ts";
import type { BackgroundWrap } from "./background.ts";
import type { AppPanel } from "./plugins.ts";

/** Stands around each listener: must call `run` once, and return or throw what that did. */
export type StartWrap = (name: string, run: () => unknown) => unknown;

/** What `app.about` is. */
export interface AppAbout {
  /** `/`, or a prefix such as `/shop`. */
  readonly contextPath: string;
  /** The address of the options; undefined where the app listens on every interface. */
  readonly host: string | undefined;
  /** Where the app logs: the given logger, which can no longer throw. */
  readonly logger: SafeLogger;
  /** The routes with their contracts, in the order of their registration: what documents and clients are made of. */
  declaredRoutes(): DeclaredRoute[];
  /** The middleware of that class that is installed, in the app, a group or a route, in order of installation. */
  middlewareOf<T extends object>(type: Class<T>): T[];
  /** The panels of its plugins. */
  panels(): readonly AppPanel[];
}

/** What `app.observe` takes: any of these, as functions or as methods of an object. */
export interface AppObserver {
  /**
   * Stands around each listener of `app.onStart`, those of middleware too; the first observer is the outermost. Calls
   * `run()`, which returns or throws what the listener does. If it has returned without that, the app calls `run` itself.
   */
  readonly start?: StartWrap | undefined;
  /**
   * Stands around each piece of background work and each event of a WebSocket, as `start` does. `origin` says which event
   * of which connection the work is for; it is undefined for work of `app.background`.
   */
  readonly background?: BackgroundWrap | undefined;
  /** Hears of each type that `ctx.get` has resolved. */
  readonly resolve?: ((type: BeanType<object>) => unknown) | undefined;
  /** Hears of each line of `ctx.log` before it is written. A function that it returns is called after that. */
  readonly log?: LogListener | undefined;
  /** Hears of what middleware adds by `ctx.annotations?.add(name, value)`. */
  readonly annotation?: AnnotationListener | undefined;
  /**
   * Sees each response as it is sent: after every hook of `onResponse`, also where a hook has failed. `ctx.sse()` without
   * arguments and what a host responds itself do not come here.
   */
  readonly response?: ((ctx: Context, response: RecordedResponse) => unknown) | undefined;
  /** Hears of each request that never became a context, such as one that the parser rejected with 400. */
  readonly rejected?: ((request: RejectedRequest) => unknown) | undefined;
}

const names = ["start", "background", "resolve", "log", "annotation", "response", "rejected"] as const;

/** Who hears of what happens to an app: observers, and middleware where it may, in order of registration. */
export class Listeners {
  readonly start: StartWrap[] = [];
  readonly background: BackgroundWrap[] = [];
  readonly resolve: ((type: BeanType<object>) => unknown)[] = [];
  readonly log: LogListener[] = [];
  readonly annotation: AnnotationListener[] = [];
  readonly response: ((ctx: Context, response: RecordedResponse) => unknown)[] = [];
  readonly rejected: ((request: RejectedRequest) => unknown)[] = [];
}

/** Registers each member of an observer. @throws TypeError naming an unknown member, or one that is no function. */
export function addObserver(listeners: Listeners, observer: AppObserver): void {
  checkOptionNames("app.observe(…)", observer, names);
  for (const name of names) {
    const member: unknown = observer[name];
    if (member !== undefined && typeof member !== "function")
      throw usageError("CONFIG_INVALID", `app.observe({ ${name} }) is ${shown(member)}: a function is allowed`);
  }
  const [start, background, rejected] = [
    observer.start?.bind(observer),
    observer.background?.bind(observer),
    observer.rejected?.bind(observer),
  ];
  if (start !== undefined) listeners.start.push((name, run) => around((once) => start(name, once), run));
  if (background !== undefined)
    listeners.background.push((name, work, origin) => around((once) => background(name, once, origin), work));
  if (rejected !== undefined) listeners.rejected.push((request) => void unharmed(() => rejected(request)));
  for (const name of ["resolve", "log", "annotation", "response"] as const) {
    const member = observer[name]?.bind(observer);
    if (member !== undefined) (listeners[name] as (typeof member)[]).push(member);
  }
}

/** Runs work once inside of what an observer does; returns or throws what the work does, whatever the observer does. */
function around(observe: (run: () => unknown) => unknown, work: () => unknown): unknown {
  let outcome: (() => unknown) | undefined;
  const run = (): unknown => (outcome ??= outcomeOf(work))();
  unharmed(() => observe(run));
  return run();
}

/** Does the work, and gives back what repeats its outcome. */
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
