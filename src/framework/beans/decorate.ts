/**
 * Decoration: passes each new bean once through every decorator, each with the result of the one before.
 *
 *   factory ──▶ bean ──▶ decorator 1 ──▶ decorator 2 ──▶ the shared bean
 *
 * A decorator is an observer, so its faults are isolated. When it throws or returns no object, the bean stays as it was, and
 * one message is added to `beans.warnings`.
 */
import { unharmed } from "../internal/watchers.ts";
import type { BeanError } from "./errors.ts";
import { makerOf } from "./interface.ts";
import type { BeanDecorator, BeanGraph, BeanInfo, UntracedReason } from "./types.ts";

/** A bean as callers get it, and why its calls are not recorded. `reason` is undefined when they are. */
export interface Decorated {
  readonly bean: object;
  readonly reason: UntracedReason | undefined;
}

/** Runs the decorators. `warn` gets a message for each that failed. */
export function decorate(
  raw: object,
  info: BeanInfo,
  decorators: readonly BeanDecorator[],
  warn: (line: string) => void,
): Decorated {
  let bean = raw;
  let isTraced = false;
  let hasFailed = false;
  for (const decorator of decorators) {
    try {
      const decorated = checked(decorator.decorate(bean, info));
      isTraced ||= decorator.traces === true && decorated !== bean;
      bean = decorated;
    } catch (error) {
      hasFailed ||= decorator.traces === true;
      warn(`${info.id}: decorator ${implementationOf(decorator, "(unnamed)")} failed and was left out: ${text(error)}`);
    }
  }
  return { bean, reason: isTraced && info.isInterface ? undefined : reasonOf(raw, info, decorators, hasFailed) };
}

/** Reports the start of a factory to decorators. Returns a function to report its outcome. */
export function tellBuilding(
  info: BeanInfo,
  asker: BeanInfo | undefined,
  decorators: readonly BeanDecorator[],
  warn: (line: string) => void,
): (error?: BeanError) => void {
  const ends: ((error?: BeanError) => void)[] = [];
  for (const decorator of decorators) {
    quietly(decorator, info.id, warn, () => {
      const end = decorator.building?.(info, asker);
      if (typeof end === "function") ends.push((error) => quietly(decorator, info.id, warn, () => end(error)));
    });
  }
  return (error) => ends.forEach((end) => end(error));
}

/** Reports a failed start to decorators. */
export function tellStartFailed(error: BeanError, graph: BeanGraph, decorators: readonly BeanDecorator[]): void {
  for (const decorator of decorators) unharmed(() => decorator.startFailed?.(error, graph));
}

/** Calls a listening decorator and isolates its faults. */
function quietly(decorator: BeanDecorator, what: string, warn: (line: string) => void, tell: () => void): void {
  try {
    tell();
  } catch (error) {
    warn(`${what}: decorator ${implementationOf(decorator, "(unnamed)")} failed while it listened: ${text(error)}`);
  }
}

/** Why a bean has no proxy. A recorder leaves functions and proxies as they are. */
function reasonOf(
  raw: object,
  info: BeanInfo,
  decorators: readonly BeanDecorator[],
  hasFailed: boolean,
): UntracedReason {
  const before = untracedBefore(info, decorators);
  if (before !== undefined) return before;
  if (hasFailed) return "failed";
  return typeof raw === "function" ? "function" : "proxy";
}

/** The reason from `info`, with the bean or before it exists. Undefined when it can be traced. */
export function untracedBefore(info: BeanInfo, decorators: readonly BeanDecorator[]): UntracedReason | undefined {
  if (!info.isInterface) return "class";
  return decorators.some(({ traces }) => traces === true) ? undefined : "uninstrumented";
}

function checked(value: unknown): object {
  if ((typeof value === "object" && value !== null) || typeof value === "function") return value;
  throw new TypeError(`it returned ${String(value)}, not a bean`);
}

/** The class of an object. `fallback` for literals, functions and unreadable objects. */
export function implementationOf(raw: object, fallback: string): string {
  const maker = typeof raw === "function" ? undefined : makerOf(raw);
  if (typeof maker !== "function" || maker === Object) return fallback;
  return typeof maker.name === "string" && maker.name !== "" ? maker.name : fallback;
}

/** Any thrown value, in a few words. */
export function text(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "an error that cannot be printed";
  }
}
