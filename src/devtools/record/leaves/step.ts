/**
 * Steps: operations that an application names itself.
 *
 *   step("cache", "prices", work) ──▶ channel framework.step ──▶ devtools, if there are any
 *
 * A function of the package, not of an instance. Without devtools it costs one check for listeners. It returns
 * or throws the work's result.
 *
 * Spec: spec/leaves.md
 */
import { channel } from "node:diagnostics_channel";
import type { LeafKind } from "../../run/shapes.ts";
import { failureOf, onTracing, type Source } from "./channels.ts";
import type { Description, DescriptionOf } from "./descriptions.ts";

const CHANNEL = "framework.step";

/** The message at the start and the end of a step. */
export interface StepMessage {
  readonly kind: LeafKind;
  readonly name: string;
  /** Its description so far. */
  described(): Description;
  /** Present when it has ended without an error. */
  result?: unknown;
  error?: unknown;
}

/** Adds to the description of a step. */
export type Note<K extends LeafKind> = (more: DescriptionOf<K>) => void;

const start = channel(`tracing:${CHANNEL}:start`);
const end = channel(`tracing:${CHANNEL}:end`);
const asyncStart = channel(`tracing:${CHANNEL}:asyncStart`);

/**
 * Runs `work` as a step of the current run. The dashboard shows it under the call that made it. It lasts until a
 * promise is settled. Work that starts only when it is awaited (a query of Prisma, Knex or Mongoose) must be awaited inside:
 * `async () => await db.find()`, or the step is over before it begins.
 *
 * @example
 * ```ts
 * const prices = await step("cache", "prices", async (note) => {
 *   note({ command: "get", key: "prices", hit: true });
 *   return [12.5];
 * });
 * ```
 */
export function step<K extends LeafKind, R>(kind: K, name: string, work: (note: Note<K>) => R): R {
  if (!start.hasSubscribers) return work(ignore);
  const parts: DescriptionOf<K>[] = [];
  const message: StepMessage = { kind, name, described: () => Object.assign({}, ...parts) as Description };
  start.publish(message);
  let result: R;
  try {
    result = work((more) => void parts.push(more));
  } catch (error) {
    message.error = error;
    end.publish(message);
    throw error;
  }
  if (!(result instanceof Promise)) {
    message.result = result;
    end.publish(message);
    return result;
  }
  return result.then(
    (value: unknown) => {
      message.result = value;
      asyncStart.publish(message);
      return value;
    },
    (error: unknown) => {
      message.error = error;
      asyncStart.publish(message);
      throw error;
    },
  ) as R;
}

const ignore = (): void => undefined;

/** Steps as leaves. */
export const steps: Source = (hub, leaves) =>
  onTracing(hub, CHANNEL, {
    begin(message) {
      const { kind, name } = message as StepMessage;
      return leaves.begin("step", kind, () => ({ name }));
    },
    end: (open, message) => leaves.end(open, (message as StepMessage).described, failureOf(message)),
  });
