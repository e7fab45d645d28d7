/**
 * Profiling: one run under V8's sampler.
 *
 *   begin ──▶ sampler ──▶ attach: the run's activity ──▶ the run is over, or a minute has passed ──▶ profile
 *
 * Other runs go on beside it. Their time is counted and not shown.
 */
import type { Stacks } from "../../capture/stacks.ts";
import type { RunProfile } from "../../run/shapes.ts";
import { Activity, type Executing } from "./activity.ts";
import { runProfile } from "./run-profile.ts";
import { startSampler, type Sampled, type Sampler } from "./sampler.ts";

/** A longer run is profiled only for this time. */
const MOST_MS = 60_000;

/** The profiling of one run. */
export class Profiling {
  readonly #stacks: Stacks;
  readonly #sampler: Sampler;
  readonly #startedAt = performance.now();
  readonly #end: ReturnType<typeof setTimeout>;
  #activity: Activity | undefined;
  #sampled: { readonly by: Sampled; readonly endedAt: number } | undefined;

  private constructor(sampler: Sampler, stacks: Stacks) {
    this.#stacks = stacks;
    this.#sampler = sampler;
    this.#end = setTimeout(() => this.#stop(), MOST_MS);
    this.#end.unref();
  }

  /** Starts the sampler, or says why it cannot run. */
  static begin(stacks: Stacks | undefined): Profiling | string {
    if (stacks === undefined) return "stacks are hidden here, and a profile consists of them";
    const sampler = startSampler();
    return typeof sampler === "string" ? sampler : new Profiling(sampler, stacks);
  }

  /** @param running what the code that goes on belongs to */
  attach(running: () => Executing): void {
    this.#activity = new Activity(running);
  }

  enter(executing: Executing): void {
    if (this.#sampled === undefined) this.#activity?.enter(executing);
  }

  leave(): void {
    if (this.#sampled === undefined) this.#activity?.leave();
  }

  /** Ends it. Undefined if it never began. */
  finish(): RunProfile | undefined {
    clearTimeout(this.#end);
    const sampled = this.#stop();
    if (this.#activity === undefined) return undefined;
    const span = { startedAt: this.#startedAt, endedAt: sampled.endedAt };
    return runProfile(sampled.by, this.#activity, span, this.#stacks);
  }

  #stop(): { readonly by: Sampled; readonly endedAt: number } {
    this.#activity?.stop();
    this.#sampled ??= { by: this.#sampler.stop(), endedAt: performance.now() };
    return this.#sampled;
  }
}
