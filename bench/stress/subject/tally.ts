/**
 * Tally: how often each observer saw each request. A request carries its nonce in its path and as its request id;
 * where the two differ, somebody mixed requests up.
 */
import type { Comparison } from "./state.ts";

/** The nonce in a path like `/r/text/17`; undefined in any other. */
export function nonceOf(path: string): number | undefined {
  const digits = /^\/r\/[a-z]+\/(\d{1,9})$/.exec(path)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Counts by nonce, one byte each. */
export class Tally {
  readonly #size: number;
  readonly entered: Uint8Array;
  readonly #lines: Uint8Array;
  readonly #spans: Uint8Array;
  #misattributed = 0;

  constructor(size: number) {
    this.#size = size;
    this.entered = new Uint8Array(size);
    this.#lines = new Uint8Array(size);
    this.#spans = new Uint8Array(size);
  }

  enter(path: string): void {
    this.#count(this.entered, path, undefined);
  }

  line(path: string, requestId: string | undefined): void {
    this.#count(this.#lines, path, requestId);
  }

  span(path: string): void {
    this.#count(this.#spans, path, undefined);
  }

  /** What lines, spans and the given traces lack or have too much of. */
  compare(traces: Uint8Array): Comparison {
    let lost = 0;
    let repeated = 0;
    for (let nonce = 0; nonce < this.#size; nonce += 1) {
      const entered = this.entered[nonce] ?? 0;
      for (const seen of [this.#lines[nonce] ?? 0, this.#spans[nonce] ?? 0, traces[nonce] ?? 0]) {
        if (seen < entered) lost += 1;
        if (seen > entered) repeated += 1;
      }
      if (entered > 1) repeated += 1;
    }
    return { lost, repeated, misattributed: this.#misattributed };
  }

  #count(into: Uint8Array, path: string, requestId: string | undefined): void {
    const nonce = nonceOf(path);
    if (nonce === undefined || nonce >= this.#size) return;
    into[nonce] = (into[nonce] ?? 0) + 1;
    if (requestId !== undefined && requestId !== `n${nonce}`) this.#misattributed += 1;
  }
}
