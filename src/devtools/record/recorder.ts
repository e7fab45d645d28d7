/**
 * Recorder: the bean decorator, and the context that ties a bean's call to its request.
 *
 *   request ──▶ run(recording, next) ──▶ bean a ──▶ bean b
 *                  AsyncLocalStorage       │ id 0     │ id 1, parent 0
 *                                          ▼          ▼
 *                                       recording.calls
 *
 * Arguments are captured before the call, results when they are available. A call outside a request passes through.
 * Errors in here are counted and never reach the application.
 *
 * Spec: spec/devtools.md, spec/trace.md
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { types } from "node:util";
import {
  observeCalls,
  type BeanDecorator,
  type BeanError,
  type BeanGraph,
  type BeanInfo,
  type MethodCall,
} from "framework";
import type { Call, ErrorInfo, Json, Leaf, LeafKind, TaggedValue } from "../run/shapes.ts";
import { bytesOf, type ErrorInfos } from "../capture/error-info.ts";
import { KnownSecrets } from "../capture/secrets/known.ts";
import { type Callable, parametersOf } from "./spy/parameters.ts";
import { Quiet } from "../capture/quiet.ts";
import type { Snapshotter } from "../capture/snapshot.ts";
import { observeGenerator } from "./spy/observed-generator.ts";
import { observeSettling } from "./spy/observed-promise.ts";
import type { Profiling } from "./profile/profiling.ts";
import type { Replay } from "./replay/replay.ts";
import { SeenErrors } from "../capture/revive.ts";
import type { StartLog } from "./start-log.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** A leaf in progress, which can still become another kind. */
export interface GrowingLeaf {
  readonly id: number;
  readonly parentId: number | null;
  kind: LeafKind;
  name: string;
  detail: Leaf["detail"];
  error: Leaf["error"];
  startUs: number;
  durationUs: number | null;
}

/** The number of dropped items. */
export interface DropCounts {
  /** Calls. */
  count: number;
  leaves: number;
}

/** The calls of one request while it runs. */
export interface Recording {
  /** Its number among the runs of the process, from its start on. */
  run: number;
  /** `performance.now()` at the request's start. */
  readonly startedAt: number;
  /** Emptied at completion, so that code which outlives the request holds nothing of it. */
  calls: Writable<Call>[] | undefined;
  /** The leaves below them, or undefined while there are none, and from completion on. */
  leaves: GrowingLeaf[] | undefined;
  /** Bytes left for arguments and results. */
  budget: number;
  /** The values that were hidden in it so far. */
  readonly secrets: KnownSecrets;
  /** Shared with the finished trace, and still counts after completion. */
  readonly dropped: DropCounts;
  /** The thrown values so far, each with the first call that threw it. Stacks are read at the end. */
  thrown: Map<unknown, Writable<Call>> | undefined;
  /** Ids of the beans that it requested outside of any call, through which it entered the graph. */
  asked: string[] | undefined;
  /** Replaces its beans; undefined except for a replay. */
  replay: Replay | undefined;
  /** Samples what the thread executes for it; undefined except for a profiled run. */
  profiling: Profiling | undefined;
}

/** A new recording. @param startedAt `performance.now()` at the request's start @param budget in bytes */
export const beginRecording = (startedAt: number, budget: number): Recording => ({
  run: 0,
  startedAt,
  calls: [],
  leaves: undefined,
  budget,
  secrets: new KnownSecrets(),
  dropped: { count: 0, leaves: 0 },
  thrown: undefined,
  asked: undefined,
  replay: undefined,
  profiling: undefined,
});

/** The content of a recording at its end. */
export interface RecordingResult {
  readonly calls: readonly Call[];
  readonly leaves: readonly Leaf[];
}

const noLeaves: readonly Leaf[] = [];
const noArgs: readonly Json[] = [];
/** The values that are kept of one generator. */
const MOST_YIELDED = 100;
const pending: Json = { $pending: true } satisfies TaggedValue;

/** The place of the running code in a request. */
export interface Frame {
  readonly recording: Recording;
  readonly id: number | null;
  readonly depth: number;
}

/** The tools of a recorder. */
export interface RecorderTools {
  /** The most calls that are kept of one request. */
  readonly maxCalls: number;
  readonly snapshots: Snapshotter;
  readonly errors: ErrorInfos;
  /** Where it puts the shown names of objects. */
  readonly names?: WeakMap<object, Json> | undefined;
  /** While it is on, nothing is recorded. */
  readonly quiet?: Quiet | undefined;
  /** Receives the beans that are made. */
  readonly starts?: StartLog | undefined;
}

/** Records the calls of beans. */
export class Recorder implements BeanDecorator {
  readonly traces = true;
  readonly #place = new AsyncLocalStorage<Frame | undefined>();
  readonly #names: WeakMap<object, Json>;
  /** The recorded beans, unwrapped. */
  readonly #beans = new Map<string, WeakRef<object>>();
  readonly #tools: RecorderTools;
  /** Whether any request has run yet. Before that nothing is looked up. */
  #used = false;
  readonly #quiet: Quiet;
  /** Whether it was ever given a bean. If not, the container was built without it. */
  decorated = false;
  /** Failures of the recorder itself. */
  failures = 0;
  /** Classes of errors that beans have thrown. */
  readonly seenErrors: SeenErrors = new SeenErrors();

  constructor(tools: RecorderTools) {
    this.#tools = tools;
    this.#names = tools.names ?? new WeakMap();
    this.#quiet = tools.quiet ?? new Quiet();
  }

  building(info: BeanInfo, asker: BeanInfo | undefined): ((error?: BeanError) => void) | undefined {
    return this.#tools.starts?.building(info, asker);
  }

  startFailed(error: BeanError, graph: BeanGraph): void {
    this.#tools.starts?.failed(error, graph);
  }

  decorate<T extends object>(bean: T, info: BeanInfo): T {
    this.decorated = true;
    const name = { $bean: info.id } satisfies TaggedValue;
    this.#names.set(bean, name);
    if (!info.isInterface) return bean;
    this.#beans.set(info.id, new WeakRef(bean));
    const wrapper = observeCalls(bean, {
      where: () => this.where(),
      call: (frame: Frame, call) => this.record(frame, info, call),
    });
    this.#names.set(wrapper, name);
    return wrapper;
  }

  /** The recorded beans, unwrapped. */
  beans(): ReadonlyMap<string, object> {
    const alive = [...this.#beans].flatMap(([id, reference]): [string, object][] => {
      const bean = reference.deref();
      return bean === undefined ? [] : [[id, bean]];
    });
    return new Map(alive);
  }

  /** Runs a developer's own function without recording its calls. */
  quietly<R>(run: () => R): R {
    return this.#quiet.while(run);
  }

  /** Runs a request. Bean calls in it, and in everything that it starts, belong to the recording. */
  run<R>(recording: Recording, request: () => R): R {
    this.#used = true;
    const { profiling } = recording;
    profiling?.attach(() => {
      const frame = this.#place.getStore();
      return frame?.recording === recording ? frame.id : undefined;
    });
    profiling?.enter(null);
    try {
      return this.#place.run({ recording, id: null, depth: -1 }, request);
    } finally {
      profiling?.leave();
    }
  }

  /** Ends the recording and returns its calls and leaves; unfinished ones are pending. */
  finish(recording: Recording): RecordingResult {
    const { calls = [], leaves = noLeaves } = recording;
    recording.calls = undefined;
    recording.leaves = undefined;
    if (recording.thrown !== undefined) this.#safely(() => this.#addStacks(recording));
    // Each leaf has the detail of its kind.
    return { calls, leaves: leaves as readonly Leaf[] };
  }

  /** The function, bound to the current request. */
  bind<F extends (...args: never[]) => unknown>(callback: F): F {
    return this.#place.getStore() === undefined ? callback : this.bindHere(callback);
  }

  /** The function, bound to the current request. Outside of one its calls and leaves belong to none. */
  bindHere<F extends (...args: never[]) => unknown>(callback: F): F {
    const frame = this.#place.getStore();
    const place = this.#place;
    return function (this: unknown, ...args: unknown[]): unknown {
      return place.run(frame, () => Reflect.apply(callback, this, args) as unknown);
    } as unknown as F;
  }

  /** The place of the running code in a request, or undefined if nothing is recorded there. */
  where(): Frame | undefined {
    return !this.#used || this.#quiet.isOn ? undefined : this.#place.getStore();
  }

  asked(id: string): void {
    const frame = this.where();
    if (frame === undefined || frame.id !== null) return;
    const { asked } = frame.recording;
    if (asked === undefined) frame.recording.asked = [id];
    else if (!asked.includes(id)) asked.push(id);
  }

  record(frame: Frame, info: BeanInfo, call: MethodCall): unknown {
    const { method, self, args, bean, wrapper } = call;
    const { recording } = frame;
    const entry = this.#begun(frame, info, call);
    let result: unknown;
    if (entry === undefined) {
      const run = instead(recording, info, undefined, call) ?? method;
      result = Reflect.apply(run, self, args);
      return result === bean ? wrapper : result;
    }
    const { profiling } = recording;
    profiling?.enter(entry.id);
    try {
      const inner: Frame = { recording, id: entry.id, depth: entry.depth };
      const run = instead(recording, info, entry.args, call) ?? method;
      // Passed without a new function for each call, so that a stack names the method by its own name.
      result = this.#place.run<unknown, [Callable, unknown, unknown[]]>(inner, Reflect.apply, run, self, args);
    } catch (error) {
      this.#failed(recording, entry, error);
      throw error;
    } finally {
      profiling?.leave();
    }
    if (types.isPromise(result)) return this.#follow(result, recording, entry);
    this.#returned(recording, entry, result);
    if (types.isGeneratorObject(result)) this.#followYields(result, recording, entry);
    return result === bean ? wrapper : result;
  }

  #safely<R>(run: () => R): R | undefined {
    try {
      return run();
    } catch {
      this.failures++;
      return undefined;
    }
  }

  /** Like `#safely`, for the work of every call. */
  #begun(frame: Frame, info: BeanInfo, call: MethodCall): Writable<Call> | undefined {
    try {
      return this.#begin(frame, info, call);
    } catch {
      this.failures++;
      return undefined;
    }
  }

  #begin(
    { recording, id, depth }: Frame,
    info: BeanInfo,
    { name, method, args }: MethodCall,
  ): Writable<Call> | undefined {
    const { calls } = recording;
    if (calls === undefined || calls.length >= this.#tools.maxCalls) {
      recording.dropped.count++;
      return undefined;
    }
    const entry: Writable<Call> = {
      id: calls.length,
      parentId: id,
      depth: depth + 1,
      bean: info.id,
      declaredBy: info.name,
      stereotype: info.stereotype,
      method: name,
      args: noArgs,
      params: args.length === 0 ? undefined : parametersOf(method),
      result: pending,
      error: null,
      startUs: 0,
      durationUs: null,
      async: false,
    };
    calls.push(entry);
    recording.budget -= 240;
    const { json, bytes } = this.#tools.snapshots
      .within(recording.secrets)
      .takeAll(args, Math.max(0, recording.budget));
    recording.budget -= bytes;
    entry.args = json;
    entry.startUs = microseconds(recording.startedAt, performance.now());
    return entry;
  }

  /** Returns the bean's own promise to the caller, and records how it settles. */
  #follow(result: Promise<unknown>, recording: Recording, entry: Writable<Call>): Promise<unknown> {
    entry.async = true;
    this.#safely(() =>
      observeSettling(result, {
        fulfilled: (value) => this.#returned(recording, entry, value),
        rejected: (error) => this.#failed(recording, entry, error),
      }),
    );
    return result;
  }

  /** Adds what a generator yields to the result of the call that returned it. */
  #followYields(generator: object, recording: Recording, entry: Writable<Call>): void {
    const shown: Json[] = [];
    let count = 0;
    this.#safely(() =>
      observeGenerator(generator, {
        yielded: (value) => {
          if (recording.calls === undefined) return;
          count += 1;
          if (count <= MOST_YIELDED) shown.push(this.#captured(recording, value));
          else shown[MOST_YIELDED] = { $truncated: count - MOST_YIELDED } satisfies TaggedValue;
          entry.result = { $stream: "Generator", $yielded: shown } satisfies TaggedValue;
        },
        failed: (error) => this.#failed(recording, entry, error),
      }),
    );
  }

  #returned(recording: Recording, entry: Writable<Call>, value: unknown): void {
    if (recording.calls === undefined) return;
    const end = microseconds(recording.startedAt, performance.now());
    entry.result = this.#captured(recording, value);
    entry.durationUs = end - entry.startUs;
  }

  #failed(recording: Recording, entry: Writable<Call>, thrown: unknown): void {
    if (recording.calls === undefined) return;
    const end = microseconds(recording.startedAt, performance.now());
    entry.error = this.#safely(() => this.#described(recording, entry, thrown)) ?? { name: "Error", message: "" };
    entry.result = null;
    entry.durationUs = end - entry.startUs;
  }

  #captured(recording: Recording, value: unknown): Json {
    try {
      const { json, bytes } = this.#tools.snapshots
        .within(recording.secrets)
        .take(value, Math.max(0, recording.budget));
      recording.budget -= bytes;
      return json;
    } catch {
      this.failures++;
      return null;
    }
  }

  #described(recording: Recording, entry: Writable<Call>, thrown: unknown): ErrorInfo {
    const snapshots = this.#tools.snapshots.within(recording.secrets);
    const shown = snapshots.error(thrown);
    const fields = snapshots.errorFields(thrown, Math.max(0, recording.budget), this.seenErrors);
    recording.budget -= bytesOf(shown) + (fields?.bytes ?? 0);
    const error = fields === undefined ? shown : { ...shown, fields: fields.json };
    if (typeof thrown === "object" && recording.thrown?.has(thrown) !== true)
      (recording.thrown ??= new Map()).set(thrown, entry);
    return error;
  }

  /** Adds stacks and code to the errors of an ended recording, because the time to read them must not count for the request. */
  #addStacks(recording: Recording): void {
    const { thrown } = recording;
    if (thrown === undefined) return;
    this.#tools.snapshots.within(recording.secrets);
    for (const [error, call] of thrown) {
      const whole = this.#tools.errors.withExcerpts(this.#tools.errors.of(error));
      if (recording.budget < bytesOf(whole)) continue;
      recording.budget -= bytesOf(whole);
      const fields = call.error?.fields;
      call.error = fields === undefined ? whole : { ...whole, fields };
    }
  }
}

/** The replay's replacement of a method; undefined to call the method itself. */
const instead = (
  { replay }: Recording,
  { id }: BeanInfo,
  args: readonly Json[] | undefined,
  { name, method, wrapper }: MethodCall,
): Callable | undefined => replay?.instead({ bean: id, method: name, args, self: wrapper, code: method });

/** Whole microseconds between two times, rounded down so that a part never ends after its whole. */
const microseconds = (from: number, to: number): number => Math.max(0, Math.floor((to - from) * 1_000));
