/**
 * Trial: the replay of an attempt at a job, as `app.about.jobs.trial` is given it and its observers get it.
 *
 * Spec: spec/replay.md
 */
import type { Replay } from "./replay.ts";

/** One replay of an attempt. */
export class Trial {
  readonly replay: Replay;
  /** The client's, by which it finds the run. */
  readonly correlationId: string | null;

  constructor(replay: Replay, correlationId: string | null) {
    this.replay = replay;
    this.correlationId = correlationId;
  }
}
