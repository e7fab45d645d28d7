/**
 * Tracing channels of `node:diagnostics_channel`, for tools that follow requests without knowing the framework.
 *
 *   tracing:framework.request     { ctx, completion?, error? }              from its beginning until its response is over
 *   tracing:framework.middleware  { ctx, name, error? }                     one for each middleware, the handler inside of it
 *   tracing:framework.bean        { bean, method, args, result?, error? }   one for each call of a bean with an interface
 *
 * Events are those of Node's TracingChannel: `start`, `end`, `asyncStart`, `asyncEnd`, `error`. A subscriber gets one object for
 * all events of an operation, and `start.bindStore` sets an AsyncLocalStorage for what runs inside. As with Node's own channels,
 * a subscriber that throws ends the process.
 *
 * Whether middleware and beans are traced is decided when the app and the container start, so they cost nothing otherwise.
 *
 * Spec: spec/tracing.md
 */

import { isNativePromise } from "./thenable.ts";

/** A channel, as this file uses it. */
interface Channel {
  readonly hasSubscribers: boolean;
  publish(message: object): void;
  runStores<T>(message: object, run: () => T): T;
}

/** The five channels of an operation. */
export interface Tracing {
  readonly start: Channel;
  readonly end: Channel;
  readonly asyncStart: Channel;
  readonly asyncEnd: Channel;
  readonly error: Channel;
}

/** Filled in as an operation goes on. */
interface Message {
  readonly [fact: string]: unknown;
  error?: unknown;
  result?: unknown;
}

type TracingName = "request" | "middleware" | "bean";

/** Looked up once, since each middleware of each route asks when it is composed. */
const known: Map<TracingName, Tracing | undefined> = new Map();

/** The channels of that name, or undefined on a platform without them. */
export function tracingOf(name: TracingName): Tracing | undefined {
  if (!known.has(name)) {
    const channels = globalThis.process?.getBuiltinModule?.("node:diagnostics_channel");
    known.set(name, channels?.tracingChannel?.(`framework.${name}`));
  }
  return known.get(name);
}

/** Does somebody listen to one of them? */
export const isHeard = (tracing: Tracing): boolean =>
  tracing.start.hasSubscribers ||
  tracing.end.hasSubscribers ||
  tracing.asyncStart.hasSubscribers ||
  tracing.asyncEnd.hasSubscribers ||
  tracing.error.hasSubscribers;

/** The channels of that name if somebody listens to them now. */
export function heardTracing(name: TracingName): Tracing | undefined {
  const tracing = tracingOf(name);
  return tracing !== undefined && isHeard(tracing) ? tracing : undefined;
}

/** Runs a step of an operation that goes on afterwards: `start` and `end`. @throws what `run` throws. */
export function beginTraced<T>({ start, end }: Tracing, message: object, run: () => T): T {
  return start.runStores(message, () => {
    try {
      return run();
    } finally {
      end.publish(message);
    }
  });
}

/** The operation is over: `error` if it failed, `asyncStart` and `asyncEnd`. */
export function endTraced({ error, asyncStart, asyncEnd }: Tracing, message: Message): void {
  if (message.error !== undefined) error.publish(message);
  asyncStart.publish(message);
  asyncEnd.publish(message);
}

/** Runs a whole operation, synchronous or not. One that returns a lazy promise ends there. @throws what `run` throws, and rejects as its promise does. */
export function runTraced(tracing: Tracing, message: Message, run: () => unknown): unknown {
  return beginTraced(tracing, message, () => {
    let value: unknown;
    try {
      value = run();
    } catch (error) {
      message.error = error;
      tracing.error.publish(message);
      throw error;
    }
    if (!isNativePromise(value)) {
      message.result = value;
      return value;
    }
    return value.then(
      (result: unknown) => {
        message.result = result;
        endTraced(tracing, message);
        return result;
      },
      (error: unknown) => {
        message.error = error;
        endTraced(tracing, message);
        throw error;
      },
    );
  });
}
