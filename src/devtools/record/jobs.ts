/**
 * Jobs: a send as a leaf of the run that sends, and each attempt as a run of its own.
 *
 *   send ──▶ a leaf with the job's id, and in the job a note: <origin> <instance>.<run>;at=<path>
 *   attempt ──▶ a run with the job's id, and from the note the run that sent it
 *
 * A run is linked with its attempts by the job's id, in this process and in later ones. The note leads to a run of another
 * service.
 *
 * Spec: spec/trace.md
 */
import type { JobOrigin, JobSending } from "framework";
import { RUN_HEADER } from "../run/wire.ts";
import type { RunReference } from "../run/shapes.ts";
import type { Leaves, OpenLeaf } from "./leaves/leaves.ts";
import type { Recorder } from "./recorder.ts";
import { Trial } from "./replay/trial.ts";
import type { Runs } from "./runs.ts";
import { type Neighbours, runHeader } from "./services/neighbours.ts";

interface JobsOf {
  readonly recorder: Recorder;
  readonly runs: Runs;
  /** Undefined if leaves are not recorded. */
  readonly leaves: Leaves | undefined;
  readonly neighbours: Neighbours;
  readonly instance: string;
  /** The path of devtools. */
  readonly at: string;
  /** Where the application listens, or undefined if it does not listen itself. */
  origin(): string | undefined;
}

/** The observer of an application's jobs. */
export class Jobs {
  readonly #of: JobsOf;

  constructor(of: JobsOf) {
    this.#of = of;
  }

  sending(one: JobSending, send: () => unknown): unknown {
    const { recorder, leaves } = this.#of;
    const run = recorder.where()?.recording.run;
    if (run !== undefined) one.note = this.#noteOf(run);
    const { id, name, system } = one;
    const open = leaves?.begin("work.send", "message", () => ({ system, operation: "send", destination: name, id }));
    const sent = send();
    if (open !== undefined && leaves !== undefined) settle(leaves, open, sent);
    return sent;
  }

  attempt(job: JobOrigin, work: () => unknown): unknown {
    const trial = job.trial instanceof Trial ? job.trial : undefined;
    return this.#of.runs.jobWork(job, this.#senderIn(job.note), trial, work);
  }

  #noteOf(run: number): string | undefined {
    const { instance, at } = this.#of;
    const origin = this.#of.origin();
    return origin === undefined ? undefined : `${origin} ${runHeader(instance, run, at)}`;
  }

  /** Only an application on this machine is taken for a sender. */
  #senderIn(note: string | undefined): RunReference | undefined {
    const [origin = "", header = "", ...more] = note?.split(" ") ?? [];
    return more.length > 0 ? undefined : this.#of.neighbours.learn(origin, [[RUN_HEADER, header]]);
  }
}

function settle(leaves: Leaves, open: OpenLeaf, sent: unknown): void {
  if (!(sent instanceof Promise)) return leaves.end(open);
  sent.then(
    () => leaves.end(open),
    (error: unknown) => leaves.end(open, undefined, { error }),
  );
}
