/**
 * Annotations from middleware about one request, captured when they are added.
 *
 *   ctx.annotations?.add("session", { values }) ──▶ a snapshot, with its secrets hidden ──▶ Trace.annotations
 *
 * Annotations after the fiftieth are counted. Nothing is taken after the end of the request.
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

  get all(): readonly Annotation[] {
    if (this.#more === 0) return this.#kept;
    return [...this.#kept, { name: "more", value: { $truncated: this.#more } satisfies TaggedValue }];
  }
}
