/**
 * Leaves: a run's operations below its beans, kept next to its calls.
 *
 *   begin(source, kind, describe) ──▶ a leaf under the call that is running ──▶ end(open, describe, failure)
 *   add(source, kind, describe)   ──▶ both in one call, for an operation that is reported at its end
 *
 * Everything is captured immediately, bounded and with secrets hidden, within the memory of its trace. Errors in
 * here, and in foreign code that describes a leaf, are reported once and never reach the application.
 *
 * Spec: spec/leaves.md
 */
import type { LeafKind } from "../../run/shapes.ts";
import { KnownSecrets } from "../../capture/secrets/known.ts";
import type { Frame, GrowingLeaf, Recorder, Recording } from "../recorder.ts";
import type { Redactor } from "../../capture/redact.ts";
import type { Snapshotter } from "../../capture/snapshot.ts";
import { LeafValues } from "./leaf-values.ts";
import type { Description } from "./descriptions.ts";
import { kinds } from "./details.ts";
import { isRecord } from "../../run/values.ts";

/** A leaf that has begun. */
export interface OpenLeaf {
  /** The source of its descriptions. */
  readonly source: string;
  readonly recording: Recording;
  readonly leaf: GrowingLeaf;
  /** Its last description, so that an unchanged part is captured once. */
  given: Description;
  /** Whether it was given a name. */
  isNamed: boolean;
}

/** Describes a leaf; called where its error has no effect. */
export type Describe = () => unknown;

/** The tools that make leaves. */
export interface LeafTools {
  readonly recorder: Recorder;
  readonly snapshots: Snapshotter;
  readonly redactor: Redactor;
  /** The most leaves that are kept of one run. */
  readonly maxLeaves: number;
}

const nothing: Description = {};

/** Records leaves. */
export class Leaves {
  readonly #recorder: Recorder;
  readonly #maxLeaves: number;
  readonly #capture: LeafValues;
  readonly #faulty = new Set<string>();
  /** Operations of watched clients in progress. What is published about them is the same operation. */
  #owned = 0;
  /** Lines of `ctx.log` in progress. If the console or pino publishes one then, it is the same line. */
  #writing = 0;
  readonly #written = (): void => {
    this.#writing--;
  };
  #tell: (line: string) => void = () => undefined;

  constructor({ recorder, snapshots, redactor, maxLeaves }: LeafTools) {
    this.#recorder = recorder;
    this.#maxLeaves = maxLeaves;
    this.#capture = new LeafValues(snapshots, redactor, { budget: 0, secrets: new KnownSecrets() });
  }

  tellBy(tell: (line: string) => void): void {
    this.#tell = tell;
  }

  /** Begins a leaf at the running code. Undefined if nothing is recorded there. */
  begin(source: string, kind: LeafKind, describe: Describe): OpenLeaf | undefined {
    const frame = this.#recorder.where();
    return frame === undefined ? undefined : this.#begin(source, kind, describe, frame);
  }

  note(open: OpenLeaf, describe: Describe): void {
    if (open.recording.calls !== undefined) this.#fill(open, this.#said(open.source, describe));
  }

  end(open: OpenLeaf, describe?: Describe, failure?: { readonly error: unknown }): void {
    const { recording, leaf, source } = open;
    if (recording.calls === undefined || leaf.durationUs !== null) return;
    leaf.durationUs = Math.max(0, sinceStart(recording) - leaf.startUs);
    if (describe !== undefined) this.note(open, describe);
    if (failure !== undefined) this.attempt(source, () => this.#fail(open, failure.error));
  }

  /** Adds a leaf that is already over. @param frame its place, if not that of the running code */
  add(source: string, kind: LeafKind, describe: Describe, frame: Frame | undefined = this.#recorder.where()): void {
    if (frame === undefined) return;
    const open = this.#begin(source, kind, describe, frame);
    if (open === undefined) return;
    const { leaf, given } = open;
    const end = leaf.startUs;
    leaf.startUs = Math.max(0, end - microsecondsIn(given["durationMs"]));
    leaf.durationUs = end - leaf.startUs;
  }

  become(open: OpenLeaf, kind: LeafKind, describe: Describe): void {
    if (open.recording.calls === undefined) return;
    open.leaf.kind = kind;
    open.leaf.detail = kinds[kind].empty();
    open.given = nothing;
    open.isNamed = false;
    this.note(open, describe);
  }

  /** Marks a line of `ctx.log` as in progress. Returns the function to call when it is written. @param frame its place */
  lineOfContext(describe: Describe, frame: Frame | undefined): () => void {
    this.add("ctx.log", "log", describe, frame);
    this.#writing++;
    return this.#written;
  }

  /** A line of another log, unless it is being written for `ctx.log`. */
  line(source: string, describe: Describe): void {
    if (this.#writing === 0) this.add(source, "log", describe);
  }

  /** Runs the method of a watched client, whose leaf has begun. Until it returns, only log lines become leaves. */
  once<R>(run: () => R): R {
    this.#owned++;
    try {
      return run();
    } finally {
      this.#owned--;
    }
  }

  #begin(source: string, kind: LeafKind, describe: Describe, frame: Frame): OpenLeaf | undefined {
    if (this.#owned > 0 && kind !== "log") return undefined;
    const { recording, id: parentId } = frame;
    if (recording.calls === undefined || (recording.leaves?.length ?? 0) >= this.#maxLeaves) {
      recording.dropped.leaves++;
      return undefined;
    }
    const given = this.#said(source, describe);
    if (!isRecord(given)) return undefined;
    const leaves = (recording.leaves ??= []);
    const leaf: GrowingLeaf = {
      id: leaves.length,
      parentId,
      kind,
      name: "",
      detail: kinds[kind].empty(),
      error: null,
      startUs: sinceStart(recording),
      durationUs: null,
    };
    leaves.push(leaf);
    recording.budget -= 240;
    const open: OpenLeaf = { source, recording, leaf, given: nothing, isNamed: false };
    this.#fill(open, given);
    return open;
  }

  /**
   * The description, or undefined if it throws. A promise is no description in time, and its rejection is a fault like a thrown
   * error.
   */
  #said(source: string, describe: Describe): unknown {
    try {
      const given = describe();
      if (given instanceof Promise) given.catch((error: unknown) => this.fault(source, error));
      return given;
    } catch (error) {
      this.fault(source, error);
      return undefined;
    }
  }

  /** Puts the readable parts of the description into the leaf. */
  #fill(open: OpenLeaf, given: unknown): void {
    try {
      if (isRecord(given)) this.#put(open, given);
    } catch (error) {
      this.fault(open.source, error);
    }
  }

  #put(open: OpenLeaf, given: Description): void {
    const { leaf, recording, given: before } = open;
    open.given = given;
    const capture = this.#capture.within(recording);
    // The detail is of the leaf's kind, because `empty` of that kind made it.
    const kind = kinds[leaf.kind] as (typeof kinds)["sql"];
    const detail = leaf.detail as ReturnType<typeof kind.empty>;
    kind.fill(detail, given, before, capture);
    const { name, error } = given;
    if (typeof name === "string" && name !== before["name"]) leaf.name = capture.text(name);
    open.isNamed ||= typeof name === "string";
    if (!open.isNamed && isNamedAnew(kind.isNamedBy, given, before)) leaf.name = kind.nameOf(detail, capture);
    if (error !== undefined && error !== before["error"]) this.#fail(open, error);
  }

  #fail({ recording, leaf }: OpenLeaf, error: unknown): void {
    leaf.error = this.#capture.within(recording).error(error);
  }

  /** Runs code that reads foreign messages. Their faults are reported once. */
  attempt<R>(source: string, run: () => R): R | undefined {
    try {
      return run();
    } catch (error) {
      this.fault(source, error);
      return undefined;
    }
  }

  /** Reports the first fault of a source. */
  fault(source: string, thrown: unknown): void {
    if (this.#faulty.has(source)) return;
    this.#faulty.add(source);
    try {
      const { name, message } = this.#capture.error(thrown);
      this.#recorder.quietly(() =>
        this.#tell(
          `devtools: what ${source} publishes could not be shown: ${name}${message === "" ? "" : `: ${message}`}`,
        ),
      );
    } catch {
      // a logger that throws cannot report that
    }
  }
}

/** Whether a description changes a part that forms the leaf's name. */
function isNamedAnew(parts: readonly string[], given: Description, before: Description): boolean {
  for (const part of parts)
    if (before === nothing ? part in given : given[part] !== before[part] && part in given) return true;
  return false;
}

/** Whole microseconds since the run began. */
const sinceStart = ({ startedAt }: Recording): number =>
  Math.max(0, Math.floor((performance.now() - startedAt) * 1_000));

const microsecondsIn = (ms: unknown): number =>
  typeof ms === "number" && Number.isFinite(ms) && ms > 0 ? Math.floor(ms * 1_000) : 0;
