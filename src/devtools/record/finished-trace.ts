/**
 * Finished trace: the form in which the store keeps a run, and the form of a run between its end and that.
 *
 *   a run is over ──▶ EndedRun ── it is read, or its time has come ──▶ finish() ──▶ FinishedTrace
 *                        └── it leaves the ring before ──▶ never made
 *
 * A value that was hidden in one place of a trace is hidden in all of them before it is kept.
 *
 * Spec: spec/trace.md
 */
import type { ContractIssue, ErrorInfo, ReplayOf, Trace } from "../run/shapes.ts";
import { withoutSecrets as errorWithout, type ErrorInfos } from "../capture/error-info.ts";
import type { KnownSecrets } from "../capture/secrets/known.ts";
import { withoutSecrets as leafWithout } from "./leaves/finished.ts";
import type { DropCounts, Recording } from "./recorder.ts";
import type { Redactor } from "../capture/redact.ts";
import type { ShownPaths } from "../capture/http/shown-paths.ts";
import type { Snapshotter } from "../capture/snapshot.ts";

/** A trace without its place in the store, and without an id, which is generated on request. */
export type UnnumberedTrace = Omit<Trace, "id" | "instance" | "sequence" | "droppedCalls" | "droppedLeaves"> & {
  readonly id: string | null;
};

/** A finished trace, and its memory with and without its payloads. */
export interface FinishedTrace {
  readonly trace: UnnumberedTrace;
  readonly bytes: number;
  readonly payloadBytes: number;
  readonly dropped: Readonly<DropCounts>;
}

/** A run after its end, until it is read or its time has come. */
export interface EndedRun {
  readonly run: number;
  readonly dropped: Readonly<DropCounts>;
  /** Its estimated memory until then. */
  readonly bytes: number;
  /** Makes its trace, once. Never throws. */
  finish(): FinishedTrace;
}

/** The tools that make a trace. */
export interface TraceTools {
  readonly snapshots: Snapshotter;
  readonly redactor: Redactor;
  readonly paths: ShownPaths;
  readonly errors: ErrorInfos;
  /** The most calls that are kept of one run. */
  readonly maxCalls: number;
  readonly traceBytes: number;
  readonly snapshotBytes: number;
}

/** The error that ended a run, with the code around it. */
export const shownError = (thrown: unknown, recording: Recording, errors: ErrorInfos): ErrorInfo =>
  recording.thrown?.get(thrown)?.error ?? errors.withExcerpts(errors.of(thrown));

/** The trace. A value that was hidden in one place is hidden in all. Ids, the route and the times stay. */
export function withoutSecrets(trace: UnnumberedTrace, secrets: KnownSecrets): UnnumberedTrace {
  if (secrets.isEmpty) return trace;
  const { request, response, calls, leaves, error, path, contractIssues: issues, annotations, replayOf } = trace;
  return {
    ...trace,
    path: secrets.text(path),
    request: secrets.record({ ...request }),
    response: {
      ...response,
      headers: secrets.record(response.headers),
      body: secrets.json(response.body),
      ...(response.cookies === undefined
        ? {}
        : { cookies: response.cookies.map((one) => ({ ...one, attributes: secrets.list(one.attributes) })) }),
    },
    calls: calls.map((call) => ({
      ...call,
      args: secrets.list(call.args),
      result: secrets.json(call.result),
      error: call.error === null ? null : errorWithout(call.error, secrets),
    })),
    leaves: leaves.map((leaf) => leafWithout(leaf, secrets)),
    error: error === null ? null : errorWithout(error, secrets),
    ...(issues === undefined ? {} : { contractIssues: issues.map((issue) => issueWithout(issue, secrets)) }),
    ...(annotations === undefined
      ? {}
      : { annotations: annotations.map((one) => ({ ...one, value: secrets.json(one.value) })) }),
    ...(replayOf === undefined ? {} : { replayOf: replayWithout(replayOf, secrets) }),
  };
}

const replayWithout = ({ ended, ...replay }: ReplayOf, secrets: KnownSecrets): ReplayOf => ({
  ...replay,
  ended: ended === null ? null : { ...ended, reason: secrets.text(ended.reason) },
});

const issueWithout = ({ pointer, message }: ContractIssue, secrets: KnownSecrets): ContractIssue => ({
  pointer: secrets.text(pointer),
  message: secrets.text(message),
});
