/**
 * Leaves: what a run does below its beans, kept beside its calls.
 *
 *   begin(source, kind, describe) ──▶ a leaf under the call that is running ──▶ end(open, describe, failure)
 *   add(source, kind, describe)   ──▶ both at once, for what is told of when it is over
 *
 * Everything is captured at once, bounded and with secrets hidden, within the memory of its trace. What goes wrong in
 * here, and in code of others that is asked for a description, is told of once and never reaches the application.
 *
 * Spec: spec/leaves.md
 */
import type { LeafKind } from "../../run/shapes.ts";
import { KnownSecrets } from "../../capture/secrets/known.ts";
import type { Frame, GrowingLeaf, Recorder, Recording } from "../recorder.ts";
import type { Redactor } from "../../capture/redact.ts";
import type { Snapshotter } from "../../capture/snapshot.ts";
import { LeafValues } from "./leaf-values.ts";
import { type Description, isDescription } from "./descriptions.ts";
import { kinds } from "./details.ts";

/** A leaf that has begun. */
export interface OpenLeaf {
  /** Whose words it is described in. */
  readonly source: string;
  readonly recording: Recording;
  readonly leaf: GrowingLeaf;
  /** What was said of it last: a part that stays the same is captured once. */
  given: Description;
  /** Was it given a name? */
  isNamed: boolean;
}

/** What says what a leaf is; called where a fault of it has no effect. */
export type Describe = () => unknown;

/** What leaves are made with. */
export interface LeafTools {
  readonly recorder: Recorder;
  readonly snapshots: Snapshotter;
  readonly redactor: Redactor;
  /** Leaves that are kept of one run. */
  readonly maxLeaves: number;
}

const nothing: Description = {};

/** Records leaves. */
export class Leaves {
  readonly #recorder: Recorder;
  readonly #maxLeaves: number;
  readonly #capture: LeafValues;
  readonly #faulty = new Set<string>();
  /** Lines of `ctx.log` that are being written: what the console or pino publishes meanwhile is the same line. */
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

  /** Says where faults are told of. */
  tellBy(tell: (line: string) => void): void {
    this.#tell = tell;
  }

  /** A leaf begins where the running code is; undefined where nothing is recorded. */
  begin(source: string, kind: LeafKind, describe: Describe): OpenLeaf | undefined {
    const frame = this.#recorder.where();
    return frame === undefined ? undefined : this.#begin(source, kind, describe, frame);
  }

  /** More is known of it. */
  note(open: OpenLeaf, describe: Describe): void {
    if (open.recording.calls !== undefined) this.#fill(open, this.#said(open.source, describe));
  }

  /** It has ended. */
  end(open: OpenLeaf, describe?: Describe, failure?: { readonly error: unknown }): void {
    const { recording, leaf, source } = open;
    if (recording.calls === undefined || leaf.durationUs !== null) return;
    leaf.durationUs = Math.max(0, sinceStart(recording) - leaf.startUs);
    if (describe !== undefined) this.note(open, describe);
    if (failure !== undefined) this.attempt(source, () => this.#fail(open, failure.error));
  }

  /** A leaf that is over when it is told of. @param frame where it belongs, when not where the running code is */
  add(source: string, kind: LeafKind, describe: Describe, frame: Frame | undefined = this.#recorder.where()): void {
    if (frame === undefined) return;
    const open = this.#begin(source, kind, describe, frame);
    if (open === undefined) return;
    const { leaf, given } = open;
    const end = leaf.startUs;
    leaf.startUs = Math.max(0, end - microsecondsIn(given["durationMs"]));
    leaf.durationUs = end - leaf.startUs;
  }

  /** It has turned out to be of another kind. */
  become(open: OpenLeaf, kind: LeafKind, describe: Describe): void {
    if (open.recording.calls === undefined) return;
    open.leaf.kind = kind;
    open.leaf.detail = kinds[kind].empty();
    open.given = nothing;
    open.isNamed = false;
    this.note(open, describe);
  }

  /** A line of `ctx.log` is about to be written. Returns what says that it was. @param frame where it belongs */
  lineOfContext(describe: Describe, frame: Frame | undefined): () => void {
    this.add("ctx.log", "log", describe, frame);
    this.#writing++;
    return this.#written;
  }

  /** A line of another log; not one that is being written for `ctx.log`. */
  line(source: string, describe: Describe): void {
    if (this.#writing === 0) this.add(source, "log", describe);
  }

  #begin(source: string, kind: LeafKind, describe: Describe, frame: Frame): OpenLeaf | undefined {
    const { recording, id: parentId } = frame;
    if (recording.calls === undefined || (recording.leaves?.length ?? 0) >= this.#maxLeaves) {
      recording.dropped.leaves++;
      return undefined;
    }
    const given = this.#said(source, describe);
    if (!isDescription(given)) return undefined;
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
   * What is said; undefined where saying it throws. A promise says nothing in time, and what it is rejected with is a fault
   * as what is thrown is.
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

  /** Puts what is said into the leaf, as far as it can be read. */
  #fill(open: OpenLeaf, given: unknown): void {
    try {
      if (isDescription(given)) this.#put(open, given);
    } catch (error) {
      this.fault(open.source, error);
    }
  }

  #put(open: OpenLeaf, given: Description): void {
    const { leaf, recording, given: before } = open;
    open.given = given;
    const capture = this.#capture.within(recording);
    // The detail is of the leaf's kind: `empty` of that kind has made it.
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

  /** Runs code that reads what others have published. A fault of theirs is theirs, and said once. */
  attempt<R>(source: string, run: () => R): R | undefined {
    try {
      return run();
    } catch (error) {
      this.fault(source, error);
      return undefined;
    }
  }

  /** Tells of the first fault of a source. */
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
      // a logger that throws has nowhere to say so
    }
  }
}

/** Does a description give a part that its leaf is named by, which is not what it was? */
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
