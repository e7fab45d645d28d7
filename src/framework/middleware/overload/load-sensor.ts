/**
 * How much a process can do now, and which part of its requests it should reject.
 *
 *   a timer, every 20 ms: overdue ──▶ the event loop is behind ──▶ rejected beyond the limit, in the same turn
 *                         was late ──▶ the share of the time above the limit is rejected in the next turn
 *   every 250 ms: utilization above its limit ──▶ a growing share, else a falling one      heap above its limit ──▶ all
 *
 * A request costs two comparisons. The timer ends after a second without requests and begins again with the next one. Where a
 * platform lacks a figure, its limit has no effect.
 *
 * Spec: spec/overload.md
 */

import { unref } from "../../internal/timers.ts";

/** The limits of a process. Undefined ones are not checked. */
export interface LoadLimits {
  readonly eventLoopDelayMs: number | undefined;
  readonly eventLoopUtilization: number | undefined;
  readonly heapBytes: number | undefined;
}

/** The limit that a request exceeds, and the value that was measured. */
export interface Exceeded {
  readonly by: keyof LoadLimits | "inFlight";
  readonly limit: number;
  readonly value: number;
}

const TICK_MS = 20;
const TICKS_PER_SAMPLE = 12;
/** A second without requests. */
const IDLE_TICKS = 50;
/** Some requests always pass, so that the end of an overload is seen. */
const LARGEST_SHARE = 0.95;

/** Rejects a share of the requests, evenly. */
class Share {
  value = 0;
  #due = 0;

  takes(): boolean {
    if (this.value === 0) return false;
    this.#due += this.value;
    if (this.#due < 1) return false;
    this.#due -= 1;
    return true;
  }
}

const hooks = () => globalThis.process?.getBuiltinModule?.("node:perf_hooks")?.performance;

/** Watches the event loop and the heap of this process. */
export class LoadSensor {
  readonly #limits: LoadLimits;
  readonly #lateShare: Share = new Share();
  readonly #busyShare: Share = new Share();
  #timer: ReturnType<typeof setInterval> | undefined;
  #dueAt = 0;
  #lateMs = 0;
  #utilization = 0;
  #heapBytes = 0;
  #ticks = 0;
  #idleTicks = 0;
  #before: ReturnType<NonNullable<ReturnType<typeof hooks>>["eventLoopUtilization"]> | undefined;

  constructor(limits: LoadLimits) {
    this.#limits = limits;
  }

  /** The limit that a request exceeds now, if it should be rejected. */
  exceeded(): Exceeded | undefined {
    const now = performance.now();
    if (this.#timer === undefined) this.#begin(now);
    this.#idleTicks = 0;
    const { eventLoopDelayMs, eventLoopUtilization, heapBytes } = this.#limits;
    if (heapBytes !== undefined && this.#heapBytes > heapBytes)
      return { by: "heapBytes", limit: heapBytes, value: this.#heapBytes };
    if (eventLoopDelayMs !== undefined) {
      const behind = now - this.#dueAt;
      if (behind > eventLoopDelayMs || this.#lateShare.takes())
        return { by: "eventLoopDelayMs", limit: eventLoopDelayMs, value: Math.max(behind, this.#lateMs) };
    }
    if (eventLoopUtilization !== undefined && this.#busyShare.takes())
      return { by: "eventLoopUtilization", limit: eventLoopUtilization, value: this.#utilization };
    return undefined;
  }

  #begin(now: number): void {
    this.#dueAt = now + TICK_MS;
    this.#ticks = 0;
    this.#timer = unref(setInterval(() => this.#tick(), TICK_MS));
    this.#sample();
  }

  #tick(): void {
    const now = performance.now();
    const { eventLoopDelayMs: limit = Infinity } = this.#limits;
    this.#lateMs = now - this.#dueAt;
    this.#lateShare.value = this.#lateMs > limit ? Math.min(LARGEST_SHARE, 1 - limit / this.#lateMs) : 0;
    this.#dueAt = now + TICK_MS;
    this.#ticks += 1;
    if (this.#ticks % TICKS_PER_SAMPLE === 0) this.#sample();
    this.#idleTicks += 1;
    if (this.#idleTicks > IDLE_TICKS) this.#pause();
  }

  #pause(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#lateShare.value = 0;
    this.#busyShare.value = 0;
    this.#before = undefined;
  }

  #sample(): void {
    const { eventLoopUtilization: limit, heapBytes } = this.#limits;
    if (heapBytes !== undefined)
      this.#heapBytes = globalThis.process?.getBuiltinModule?.("node:v8")?.getHeapStatistics().used_heap_size ?? 0;
    if (limit === undefined) return;
    const now = hooks()?.eventLoopUtilization?.();
    if (now === undefined) return;
    const active = now.active - (this.#before?.active ?? now.active);
    const all = active + now.idle - (this.#before?.idle ?? now.idle);
    this.#before = now;
    this.#utilization = all > 0 ? active / all : 0;
    const { value } = this.#busyShare;
    this.#busyShare.value =
      this.#utilization > limit ? Math.min(LARGEST_SHARE, value + (1 - value) / 4) : Math.max(0, value * 0.8 - 0.01);
  }
}
