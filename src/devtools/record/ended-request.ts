/**
 * Ended request: the data of a request between its end and the making of its trace.
 *
 *   completion ──▶ texts as they were ── within 100 ms, or when it is read ──▶ finish() ──▶ Trace, its secrets hidden
 *                                     └─ pushed out of the ring by others before ──▶ never made
 *
 * Only texts that cannot change wait: header lines, the path, the text of a body. The application's own values are captured
 * at the end, and the trace of a failed or aborted request is made immediately.
 *
 * Spec: spec/trace.md
 */
import type { Completion, Context } from "framework";
import type { Annotation, RunProfile, ContractIssue, TraceRequest, TraceResponse } from "../run/shapes.ts";
import { MAX_CONTRACT_ISSUES, REDACTED } from "../run/wire.ts";
import { isShownLater, responseBody, type Beginning } from "../capture/http/bodies.ts";
import {
  addField,
  addHeader,
  paramsOf,
  queryOf,
  shownParams,
  shownQuery,
  sizeOfFields,
  type Fields,
  type Pair,
} from "../capture/http/fields.ts";
import {
  shownError,
  withoutSecrets,
  type EndedRun,
  type FinishedTrace,
  type TraceTools,
  type UnnumberedTrace,
} from "./finished-trace.ts";
import { phasesOf, type TimedStep } from "./phases.ts";
import type { DropCounts, RecordingResult, Recording } from "./recorder.ts";
import type { SentHeaders } from "./services/sent-headers.ts";
import { sentCookies, setCookies } from "../capture/http/shown-cookies.ts";
import type { Snapshot } from "../capture/snapshot.ts";

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The result of an open trace. */
export interface Left {
  readonly run: number;
  readonly recording: Recording;
  readonly finished: RecordingResult;
  /** Bytes that the recording had for arguments and results. */
  readonly budget: number;
  readonly startedAt: number;
  readonly sent: SentHeaders;
  readonly sentBody: Snapshot;
  /** The name of the run in the response. */
  readonly named: string | undefined;
  readonly annotations: readonly Annotation[] | undefined;
  readonly steps: readonly TimedStep[];
  readonly beginning: Beginning | undefined;
  readonly profile?: RunProfile | undefined;
  readonly completion: Completion;
  /** The shown completion, with the recorded body. */
  readonly shown: Completion;
}

/** A request after its end. */
export class EndedRequest implements EndedRun {
  readonly run: number;
  readonly dropped: Readonly<DropCounts>;
  readonly bytes: number;
  /** Whether the application can no longer change any of it, and none of it takes much memory to keep. */
  readonly canWait: boolean;
  readonly #tools: TraceTools;
  readonly #left: Left;
  readonly #method: string;
  readonly #url: string;
  readonly #route: string | undefined;
  readonly #version: string | undefined;
  readonly #params: readonly Pair[];
  readonly #query: readonly Pair[];
  readonly #requestId: unknown;
  readonly #issues: unknown;
  readonly #asked: readonly string[] | undefined;
  /** Whether there were more calls than are kept. Calls after its end are dropped for another reason. */
  readonly #hadTooMany: boolean;

  constructor(ctx: Context, tools: TraceTools, left: Left) {
    const { recording, shown } = left;
    this.run = left.run;
    this.dropped = recording.dropped;
    this.#tools = tools;
    this.#left = left;
    this.#method = ctx.method;
    this.#url = ctx.url;
    this.#route = ctx.route;
    this.#version = ctx.apiVersion;
    this.#params = paramsOf(ctx);
    this.#query = queryOf(ctx);
    this.#requestId = ctx.attribute("requestId");
    this.#issues = ctx.attribute("contractIssues");
    this.#asked = recording.asked;
    this.#hadTooMany = recording.dropped.count > 0;
    recording.asked = undefined;
    this.bytes = sizeOf(left);
    this.canWait =
      !shown.aborted &&
      shown.error === undefined &&
      recording.thrown === undefined &&
      recording.replay === undefined &&
      this.#issues === undefined &&
      isShownLater(shown.body);
  }

  finish(): FinishedTrace {
    try {
      return this.#finished();
    } catch {
      return { trace: this.#bare(), bytes: 1_024, payloadBytes: 0, dropped: this.dropped };
    }
  }

  #finished(): FinishedTrace {
    const { recording, finished } = this.#left;
    this.#tools.snapshots.within(recording.secrets);
    const payload = this.#payload();
    const trace: Writable<UnnumberedTrace> = { ...this.#outline(), ...payload.shown, ...finished };
    if (this.#version !== undefined) trace.version = this.#version;
    const { annotations, steps } = this.#left;
    if (annotations !== undefined && annotations.length > 0) trace.annotations = annotations;
    if (this.#asked !== undefined) trace.entered = this.#asked;
    if (this.#hadTooMany) trace.callLimit = this.#tools.maxCalls;
    const contractIssues = shownIssues(this.#issues, this.#tools);
    if (contractIssues.length > 0) trace.contractIssues = contractIssues;
    const phases = phasesOf(steps, recording.startedAt, trace.durationUs);
    if (phases.length > 0) trace.phases = phases;
    const { profile } = this.#left;
    if (profile !== undefined) trace.profile = profile;
    if (recording.replay !== undefined) trace.replayOf = recording.replay.shown;
    recording.thrown = undefined;
    const payloadBytes = payload.bytes + recordedBytes(this.#left) - entryBytes(finished);
    const bytes =
      payloadBytes +
      entryBytes(finished) +
      1_024 +
      sizeOfFields(payload.shown.request.headers) +
      sizeOfFields(payload.shown.response.headers) +
      sizeOfFields(payload.shown.request.query) +
      issuesSize(contractIssues) +
      96 * phases.length +
      profileSize(profile);
    return { trace: withoutSecrets(trace, recording.secrets), bytes, payloadBytes, dropped: this.dropped };
  }

  /** The parts without a secret in any case. */
  #bare(): UnnumberedTrace {
    const { completion, startedAt } = this.#left;
    const { status, aborted, bytes } = completion;
    return {
      id: null,
      correlationId: null,
      method: this.#method,
      path: REDACTED,
      route: this.#route ?? null,
      status,
      startedAt,
      durationUs: 0,
      aborted,
      calls: [],
      leaves: [],
      error: null,
      run: this.run,
      request: { pathParams: {}, query: {}, headers: {}, body: null },
      response: { headers: {}, body: null, bytes },
    };
  }

  /** All parts without the payloads. */
  #outline(): Omit<UnnumberedTrace, "request" | "response" | "calls" | "leaves"> {
    const { snapshots, paths, errors } = this.#tools;
    const { completion, recording, sent, startedAt } = this.#left;
    const { correlationId } = sent;
    const id = this.#requestId;
    return {
      id: typeof id === "string" && id !== "" ? snapshots.text(id) : correlationId,
      correlationId,
      method: this.#method,
      path: paths.of(this.#url, this.#route),
      route: this.#route ?? null,
      status: completion.status,
      startedAt,
      durationUs: Math.max(0, Math.floor(completion.durationMs * 1_000)),
      aborted: completion.aborted,
      error: completion.error === undefined ? null : shownError(completion.error, recording, errors),
      run: this.run,
    };
  }

  #payload(): { readonly shown: Pick<UnnumberedTrace, "request" | "response">; readonly bytes: number } {
    const { sentBody, beginning, shown } = this.#left;
    const body = responseBody(shown, this.#method, beginning, this.#tools);
    return {
      shown: { request: this.#request(), response: shownResponse(this.#left, body, this.#tools) },
      bytes: sentBody.bytes + body.bytes,
    };
  }

  #request(): TraceRequest {
    const tools = this.#tools;
    const { sent, sentBody } = this.#left;
    const headers: Fields = {};
    const { lines } = sent;
    for (let at = 0; at + 1 < lines.length; at += 2) addHeader(headers, lines[at] ?? "", lines[at + 1] ?? "", tools);
    const shown = {
      pathParams: shownParams(this.#params, tools),
      query: shownQuery(this.#query, tools),
      headers,
      body: sentBody.json,
    };
    const cookies = "cookie" in headers ? sentCookies(lines, tools.snapshots) : undefined;
    return cookies === undefined ? shown : { ...shown, cookies };
  }
}

/** Devtools' own texts in the trace are not searched for secrets. */
function shownResponse({ completion, named }: Left, body: Snapshot, tools: TraceTools): TraceResponse {
  const { headers: lines, bytes } = completion;
  const headers: Fields = {};
  for (let at = 0; at + 1 < lines.length; at += 2) {
    const [name, value] = [lines[at] ?? "", lines[at + 1] ?? ""];
    if (value === named) addField(headers, name.toLowerCase(), value);
    else addHeader(headers, name, value, tools);
  }
  const shown = { headers, body: body.json, bytes };
  const cookies = "set-cookie" in headers ? setCookies(lines, tools.snapshots) : undefined;
  return cookies === undefined ? shown : { ...shown, cookies };
}

const entryBytes = ({ calls, leaves }: RecordingResult): number => 240 * (calls.length + leaves.length);

/** The size of the values that were recorded during the run. */
const recordedBytes = ({ budget, recording }: Left): number => budget - recording.budget;

/** Its memory, with two bytes for each character. */
function sizeOf(left: Left): number {
  const { sent, sentBody, beginning, completion, shown } = left;
  let chars = sent.chars + (typeof shown.body === "string" ? shown.body.length : 0);
  for (const line of completion.headers) chars += line.length;
  return recordedBytes(left) + sentBody.bytes + (beginning?.bytes ?? 0) + 2 * chars + 2_048 + 128 * left.steps.length;
}

const noIssues: readonly ContractIssue[] = [];

/**
 * The breaches of the contract. A validator may quote the value, so its words about a secret are hidden, and so are values
 * that are hidden elsewhere in the trace.
 */
function shownIssues(issues: unknown, { snapshots, redactor }: TraceTools): readonly ContractIssue[] {
  if (!Array.isArray(issues)) return noIssues;
  const shown = issues.slice(0, MAX_CONTRACT_ISSUES).map((issue: unknown): ContractIssue => {
    const { pointer = "", message = "" } = issue as Partial<Record<"pointer" | "message", unknown>>;
    const [place, said] = [snapshots.text(String(pointer)), String(message)];
    const isSecret = place.split("/").some((key) => redactor.hides(key, said));
    return { pointer: place, message: isSecret ? REDACTED : snapshots.text(said) };
  });
  const more = issues.length - shown.length;
  return more === 0 ? shown : [...shown, { pointer: "", message: `and ${more} more` }];
}

const issuesSize = (issues: readonly ContractIssue[]): number =>
  issues.reduce((size, { pointer, message }) => size + 96 + pointer.length + message.length, 0);

/** A stack has thirty frames at most, whose texts are shared. */
const profileSize = (profile: RunProfile | undefined): number =>
  profile === undefined ? 0 : 200 * (profile.lines.length + profile.allocations.length) + 4_000 * profile.stacks.length;
