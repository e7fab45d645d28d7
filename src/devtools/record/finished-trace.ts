/**
 * Finished trace: what the store keeps of a run, and what a run is between its end and that.
 *
 *   a run is over ──▶ EndedRun ── somebody reads it, or its time has come ──▶ finish() ──▶ FinishedTrace
 *                        └── it leaves the ring before ──▶ never made
 *
 * What was hidden in one place of a trace is hidden in all of them before it is kept.
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

/** A trace before the store gives it its place; and an id, when one without its own is asked for. */
export type UnnumberedTrace = Omit<Trace, "id" | "instance" | "sequence" | "droppedCalls" | "droppedLeaves"> & {
  readonly id: string | null;
};

/** A finished trace, and what it takes in memory: all of it, and without its payloads. */
export interface FinishedTrace {
  readonly trace: UnnumberedTrace;
  readonly bytes: number;
  readonly payloadBytes: number;
  readonly dropped: Readonly<DropCounts>;
}

/** A run that is over, until somebody reads it or its time has come. */
export interface EndedRun {
  readonly run: number;
  readonly dropped: Readonly<DropCounts>;
  /** What it takes in memory meanwhile, estimated. */
  readonly bytes: number;
  /** Makes its trace, once. Never throws. */
  finish(): FinishedTrace;
}

/** What a trace is made with. */
export interface TraceTools {
  readonly snapshots: Snapshotter;
  readonly redactor: Redactor;
  readonly paths: ShownPaths;
  readonly errors: ErrorInfos;
  /** Calls that are kept of one run. */
  readonly maxCalls: number;
  readonly traceBytes: number;
  readonly snapshotBytes: number;
}

/** What ended a run, with the code around it. */
export const shownError = (thrown: unknown, recording: Recording, errors: ErrorInfos): ErrorInfo =>
  recording.thrown?.get(thrown)?.error ?? errors.withExcerpts(errors.of(thrown));

/** The trace, with what was hidden in one place of it hidden in all. Ids, the route and the times stay. */
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
