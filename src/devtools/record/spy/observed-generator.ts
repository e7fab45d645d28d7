/**
 * Observes the values that a generator yields, without changing what its consumer receives.
 *
 *   the bean's own generator ──▶ for (const row of rows) …
 *        └─ next() ──▶ the original next() ──▶ first the observer gets the value, then the consumer
 *
 * The generator stays the same object. Until it ends, a prototype with `next`, `return` and `throw` precedes its own prototype.
 * A generator that is not consumed is not observed.
 *
 * Spec: spec/devtools.md
 */
import { types } from "node:util";
import { ownData } from "../../capture/inspect.ts";
import { privateSlot } from "../private-slot.ts";
import { observeSettling } from "./observed-promise.ts";

/** Receives what a generator does. Must not throw. */
export interface GeneratorObserver {
  yielded(value: unknown): void;
  failed(error: unknown): void;
}

type Step = (this: unknown, ...given: unknown[]) => unknown;

interface Observation {
  readonly observer: GeneratorObserver;
  /** Gives the generator its own steps back. */
  ended(): void;
}

const observed = privateSlot<Observation>();
const steps = ["next", "return", "throw"] as const;

/** Observes `generator`. False if it cannot be observed: it is no generator, is frozen, has other steps, or is observed already. */
export function observeGenerator(generator: object, observer: GeneratorObserver): boolean {
  if (!types.isGeneratorObject(generator) || !Object.isExtensible(generator)) return false;
  if (observed.get(generator) !== undefined || steps.some((name) => Object.hasOwn(generator, name))) return false;
  const prototype = Object.getPrototypeOf(generator) as object;
  const before = observingBefore(prototype);
  const ended = (): void => {
    if (Object.getPrototypeOf(generator) === before) Reflect.setPrototypeOf(generator, prototype);
  };
  observed.set(generator, { observer, ended });
  Object.setPrototypeOf(generator, before);
  return true;
}

const observing = new WeakMap<object, object>();

/** Inherits all of `prototype`, with steps that tell the observer. */
function observingBefore(prototype: object): object {
  const known = observing.get(prototype);
  if (known !== undefined) return known;
  const made = Object.create(prototype) as object;
  for (const name of steps) {
    const original = Reflect.get(prototype, name) as Step;
    const step: Step = function (...given) {
      return observedStep(this, original, given);
    };
    Object.defineProperty(made, name, { value: step, configurable: true, writable: true });
  }
  observing.set(prototype, made);
  return made;
}

function observedStep(generator: unknown, original: Step, given: unknown[]): unknown {
  const observation = types.isGeneratorObject(generator) ? observed.get(generator) : undefined;
  const settled = (result: unknown): void => {
    if (typeof result !== "object" || result === null) return;
    if (ownData(result, "done") === true) observation?.ended();
    else observation?.observer.yielded(ownData(result, "value"));
  };
  const failed = (error: unknown): void => {
    observation?.ended();
    observation?.observer.failed(error);
  };
  let result: unknown;
  try {
    result = Reflect.apply(original, generator, given);
  } catch (error) {
    failed(error);
    throw error;
  }
  if (types.isPromise(result)) observeSettling(result, { fulfilled: settled, rejected: failed });
  else settled(result);
  return result;
}
