/**
 * A fault is one thing that a subject does wrong, always or under a condition: made from the shapes and from what
 * passed, with no case in mind.
 *
 *   Trace.startedAt           zero            a field of a shape
 *   header Vary, status 404   missing         a line of the head
 *   event trace               twice           an item of a stream
 *   Trace.calls, of several   empty           the same under a condition
 *
 * Spec: conformance/README.md
 */
import type { Profile } from "../kit/case.ts";
import type { Relay } from "../kit/relay.ts";

/** The condition of a fault. */
export interface When {
  /** The kind of condition, of which samples are taken. */
  readonly by: string;
  /** How it stands in the fault's name. */
  readonly label: string;
  /** The target of the fault that it is a condition of. */
  readonly of: string;
  /** The one profile in which the fault shows; in each where there is none. */
  readonly profile?: Profile | undefined;
}

/** One fault. `target` and `kind` name it, and are how a chapter declares it unspecified. */
export interface Fault extends Relay {
  /** The chapter that promises what it breaks. */
  readonly chapter: string;
  readonly target: string;
  readonly kind: string;
  /** The condition under which it shows; always where there is none. */
  readonly when?: When;
}

/** Lets everything pass: half of a fault that is about the other half. */
export const nothing: Relay = { rewrite: (exchange) => exchange, rewriteItem: ({ item }) => [item] };

/** The name of a fault. */
export function nameOf({ target, kind }: Pick<Fault, "target" | "kind">): string {
  return `${target}: ${kind}`;
}
