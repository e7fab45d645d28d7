/**
 * A fault is one thing that a subject does wrong, everywhere and always: made from the shapes and from what passed,
 * with no case in mind.
 *
 *   Trace.startedAt           zero            a field of a shape
 *   header Vary, status 404   missing         a line of the head
 *   event trace               twice           an item of a stream
 *
 * Spec: conformance/README.md
 */
import type { Relay } from "../kit/relay.ts";

/** One fault. `target` and `kind` name it, and are how a chapter declares it unspecified. */
export interface Fault extends Relay {
  /** The chapter that promises what it breaks. */
  readonly chapter: string;
  readonly target: string;
  readonly kind: string;
}

/** Lets everything pass: half of a fault that is about the other half. */
export const nothing: Relay = { rewrite: (exchange) => exchange, rewriteItem: ({ item }) => [item] };

/** The name of a fault. */
export function nameOf({ target, kind }: Pick<Fault, "target" | "kind">): string {
  return `${target}: ${kind}`;
}
