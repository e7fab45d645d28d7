/**
 * A fault is one thing that a subject does wrong, always or under a condition. Faults are made from the shapes and from
 * observed messages, independent of any case.
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
  /** The kind of condition. Samples are taken of each kind. */
  readonly by: string;
  /** Its text in the fault's name. */
  readonly label: string;
  /** The target of the unconditional fault. */
  readonly of: string;
  /** The only profile in which the fault shows, by default every one. */
  readonly profile?: Profile | undefined;
}

/** One fault. `target` and `kind` name it. A chapter uses them to declare it unspecified. */
export interface Fault extends Relay {
  /** The chapter of the promise that it breaks. */
  readonly chapter: string;
  readonly target: string;
  readonly kind: string;
  /** The condition under which it shows, always by default. */
  readonly when?: When;
}

/** Changes nothing: for a fault that only changes responses or only items. */
export const nothing: Relay = { rewrite: (exchange) => exchange, rewriteItem: ({ item }) => [item] };

/** The name of a fault. */
export function nameOf({ target, kind }: Pick<Fault, "target" | "kind">): string {
  return `${target}: ${kind}`;
}
