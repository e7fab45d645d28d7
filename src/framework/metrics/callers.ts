/**
 * Callers: the closed set of names of who still calls deprecated routes.
 *
 *   "acme" ──▶ "acme"        the 101st name, or a long one ──▶ "OVERFLOW"        no text ──▶ undefined
 *
 * Spec: spec/metrics.md
 */
import { OVERFLOW } from "./labels.ts";

const mostNames = 100;
const longestName = 100;

/** The names of one middleware. */
export class Callers {
  readonly #known: Set<string> = new Set();

  /** The name itself while it is one of the first hundred. */
  label(name: unknown): string | undefined {
    if (typeof name !== "string" || name === "") return undefined;
    if (this.#known.has(name)) return name;
    if (name.length > longestName || this.#known.size >= mostNames) return OVERFLOW;
    this.#known.add(name);
    return name;
  }
}
