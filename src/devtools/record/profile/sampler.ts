/**
 * Sampler: V8's own profiler, for the time of one run.
 *
 *   start ──▶ Profiler and HeapProfiler of node:inspector ──▶ stop ──▶ samples with their times, allocations with their stacks
 *
 * There is one sampler in a process, and none on a runtime without V8's inspector.
 */
import type { Session } from "node:inspector";

/** A function on a stack. */
export interface SampledFrame {
  readonly functionName: string;
  readonly scriptId: string;
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** One stack, as the path from a node to its root. */
export interface SampledNode {
  readonly id: number;
  readonly callFrame: SampledFrame;
  readonly children?: readonly number[];
  /** How many samples each line of the innermost function got. Lines begin at 1. */
  readonly positionTicks?: readonly { readonly line: number; readonly ticks: number }[];
}

/** V8's profile of processor time. Times are microseconds of the monotonic clock. */
export interface SampledTime {
  readonly nodes: readonly SampledNode[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** V8's profile of allocations. */
export interface SampledAllocation {
  readonly callFrame: SampledFrame;
  /** Bytes that the innermost function allocated. */
  readonly selfSize: number;
  readonly children: readonly SampledAllocation[];
}

/** A function in its script, as lines from 0. */
export interface FunctionLines {
  readonly name: string;
  readonly first: number;
  readonly last: number;
}

/** A profile, and the monotonic time at `performance.now()` 0 in microseconds. */
export interface Sampled {
  readonly time: SampledTime;
  readonly allocation: SampledAllocation;
  readonly originUs: number;
  /** By the script's id. Lines of inlined functions are in a sample too, and these tell them apart. */
  readonly functions: ReadonlyMap<string, readonly FunctionLines[]>;
}

/** A sampler that runs. */
export interface Sampler {
  stop(): Sampled;
}

/** Between two samples. V8 adds its own time to each. */
export const INTERVAL_US = 200;
/** One in so many allocated bytes is sampled. */
const ALLOCATION_BYTES = 8_192;

let isRunning = false;
/** The session of a process whose coverage is measured. V8 ends the coverage of all sessions when a profiler or debugger ends. */
let kept: Session | undefined;

/** Starts the sampler, or says why it cannot run. */
export function startSampler(): Sampler | string {
  if (isRunning) return "another run is being profiled: send it again when that is over";
  const inspector = (process.getBuiltinModule as typeof process.getBuiltinModule | undefined)?.("node:inspector");
  if (inspector === undefined || process.versions["bun"] !== undefined || process.versions["deno"] !== undefined)
    return "this runtime has no sampler: profile with Node";
  const session = kept ?? new inspector.Session();
  if (session !== kept) session.connect();
  try {
    const originUs = Number(process.hrtime.bigint() / 1_000n) - performance.now() * 1_000;
    post(session, "HeapProfiler.enable");
    post(session, "HeapProfiler.startSampling", {
      samplingInterval: ALLOCATION_BYTES,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    post(session, "Profiler.enable");
    post(session, "Profiler.setSamplingInterval", { interval: INTERVAL_US });
    forgetOptimizedCode(session);
    post(session, "Profiler.start");
    isRunning = true;
    return { stop: () => stop(session, originUs) };
  } catch (error) {
    release(session);
    return `V8's sampler does not start: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function stop(session: Session, originUs: number): Sampled {
  isRunning = false;
  try {
    const { profile: time } = post(session, "Profiler.stop") as { readonly profile: SampledTime };
    const { profile } = post(session, "HeapProfiler.stopSampling") as {
      readonly profile: { readonly head: SampledAllocation };
    };
    return { time, allocation: profile.head, originUs, functions: functionsOf(session, time) };
  } finally {
    release(session);
  }
}

function release(session: Session): void {
  if (isCovered()) kept = session;
  else session.disconnect();
}

const isCovered = (): boolean => Boolean(process.env["NODE_V8_COVERAGE"]);

/**
 * V8 does not tell the profiler the name of code that it has optimized before, if that is an async function after an `await`. A
 * switch of its coverage makes it forget all of it. Not while coverage is measured.
 */
function forgetOptimizedCode(session: Session): void {
  if (isCovered()) return;
  post(session, "Profiler.startPreciseCoverage", { callCount: false, detailed: false });
  post(session, "Profiler.stopPreciseCoverage");
}

interface ScriptCoverage {
  readonly scriptId: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number }[];
  }[];
}

/** The functions of the scripts that have samples. */
function functionsOf(session: Session, { nodes }: SampledTime): Sampled["functions"] {
  const files = nodes.filter(({ callFrame: { url } }) => url.startsWith("file://") && !url.includes("/node_modules/"));
  const wanted = new Set(files.map(({ callFrame }) => callFrame.scriptId));
  const { result } = post(session, "Profiler.getBestEffortCoverage") as { readonly result: readonly ScriptCoverage[] };
  post(session, "Debugger.enable");
  return new Map(
    result.flatMap(({ scriptId, functions }) => {
      if (!wanted.has(scriptId)) return [];
      const { scriptSource } = post(session, "Debugger.getScriptSource", { scriptId }) as {
        readonly scriptSource: string;
      };
      const lineOf = lineFinder(scriptSource);
      const lines = functions.flatMap(({ functionName: name, ranges: [range] }) =>
        range === undefined ? [] : [{ name, first: lineOf(range.startOffset), last: lineOf(range.endOffset) }],
      );
      return [[scriptId, lines] as const];
    }),
  );
}

/** Finds the line, from 0, of an offset. */
function lineFinder(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return (offset) => {
    const line = ends.findIndex((end) => end >= offset);
    return line < 0 ? ends.length : line;
  };
}

/** Both profilers respond immediately. @throws the inspector's error */
function post(session: Session, method: string, params: object = {}): unknown {
  let outcome: { readonly error: Error | null; readonly result: unknown } = { error: null, result: undefined };
  session.post(method, params, (error: Error | null, result?: object) => void (outcome = { error, result }));
  if (outcome.error !== null) throw outcome.error;
  return outcome.result;
}
