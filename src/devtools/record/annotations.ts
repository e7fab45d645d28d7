/**
 * Annotations: what middleware tells of one request, captured as it is told.
 *
 *   ctx.annotations?.add("session", { values }) ──▶ a snapshot, with its secrets hidden ──▶ Trace.annotations
 *
 * What comes behind the fiftieth is counted. Nothing is taken once the request is over.
 *
 * Spec: spec/trace.md
 */
import type { Annotation, TaggedValue } from "../run/shapes.ts";
import { MAX_ANNOTATIONS } from "../run/wire.ts";
import type { Recording } from "./recorder.ts";
import type { Snapshotter } from "../capture/snapshot.ts";

/** The annotations of one request. */
export class KeptAnnotations {
  readonly #recording: Recording;
  readonly #kept: Annotation[] = [];
  #more = 0;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /** Takes one. Its value is shown as it is now. */
  take(name: unknown, value: unknown, snapshots: Snapshotter): void {
    const recording = this.#recording;
    if (recording.calls === undefined || typeof name !== "string") return;
    const kept = this.#kept;
    if (kept.length >= MAX_ANNOTATIONS) {
      this.#more += 1;
      return;
    }
    snapshots.within(recording.secrets);
    const { json, bytes } = snapshots.take(value, Math.max(0, recording.budget));
    recording.budget -= bytes + 64;
    kept.push({ name: snapshots.text(name), value: json });
  }

  /** All of them. */
  get all(): readonly Annotation[] {
    if (this.#more === 0) return this.#kept;
    return [...this.#kept, { name: "more", value: { $truncated: this.#more } satisfies TaggedValue }];
  }
}
