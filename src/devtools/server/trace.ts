/**
 * Trace: what one request was, assembled when it is over.
 *
 *   open(ctx) ──▶ the chain runs, the recorder fills the calls ──▶ close(completion) ──▶ Trace without its sequence
 *
 * Secrets are replaced here, before anything is kept: in headers, query, path parameters, the path itself and bodies.
 *
 * Spec: spec/trace.md (TRACE)
 */
import type { Completion, Context, RecordedResponse } from "framework";
import {
  CORRELATION_HEADER,
  CORRELATION_PATTERN,
  MAX_CONTRACT_ISSUES,
  REDACTED,
  type ContractIssue,
  type ErrorInfo,
  type Json,
  type ReplayOf,
  type TaggedValue,
  type Trace,
  type TraceRequest,
  type TraceResponse,
} from "../wire.ts";
import { KeptAnnotations } from "./annotations.ts";
import { Beginning, headerOf, requestBody, responseBody } from "./bodies.ts";
import { withoutSecrets as errorWithout, type ErrorInfos } from "./error-info.ts";
import { addHeader, type Fields, addField, sizeOfFields } from "./fields.ts";
import type { UnderWay } from "./in-flight.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import { withoutSecrets as leafWithout } from "./leaves/finished.ts";
import { beginRecording, type Dropped, type Finished, type Recording } from "./recorder.ts";
import type { Redactor } from "./redact.ts";
import { sentCookies, setCookies } from "./shown-cookies.ts";
import type { ShownPaths } from "./shown-paths.ts";
import type { Snapshotter } from "./snapshot.ts";

/** A trace before the store gives it its place; and an id, when one without its own is asked for. */
export type UnnumberedTrace = Omit<Trace, "id" | "instance" | "sequence" | "droppedCalls" | "droppedLeaves"> & {
  readonly id: string | null;
};

/** A finished trace, and what it takes in memory: all of it, and without its payloads. */
export interface FinishedTrace {
  readonly trace: UnnumberedTrace;
  readonly bytes: number;
  readonly payloadBytes: number;
  readonly dropped: Readonly<Dropped>;
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

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** One request on its way. */
export class OpenTrace implements UnderWay {
  readonly recording: Recording;
  run = 0;
  place = 0;
  /** How the response names this run to a service on this machine; undefined where it does not. */
  named: string | undefined;
  #annotations: KeptAnnotations | undefined;
  readonly #tools: TraceTools;
  readonly #startedAt: number = Date.now();
  readonly #budget: number;
  #beginning: Beginning | undefined;
  readonly #ctx: Context;
  /** The body as the application recorded it: what is sent may be compressed since. */
  #recorded: Completion["body"];

  constructor(ctx: Context, tools: TraceTools) {
    this.#tools = tools;
    this.#ctx = ctx;
    this.#budget = Math.max(0, tools.traceBytes - 2 * tools.snapshotBytes);
    ctx.onChunk((chunk) => (this.#beginning ??= new Beginning()).take(chunk));
    this.recording = beginRecording(ctx.startedAt, this.#budget);
  }

  /** Hears of what middleware tells of the request. */
  annotated(name: unknown, value: unknown): void {
    (this.#annotations ??= new KeptAnnotations(this.recording)).take(name, value, this.#tools.snapshots);
  }

  /** Hears of the response before middleware makes of it what is sent. */
  recorded({ body }: RecordedResponse): void {
    this.#recorded = typeof body === "string" || body instanceof Uint8Array ? body : undefined;
  }

  /** Its context, wherever that turns up as a value. */
  get shown(): Json {
    return { $context: `${this.#ctx.method} ${this.#tools.paths.of(this.#ctx)}` } satisfies TaggedValue;
  }

  described(): ReturnType<UnderWay["described"]> {
    const { snapshots, paths } = this.#tools;
    snapshots.within(this.recording.secrets);
    const { method, route = null } = this.#ctx;
    const path = paths.of(this.#ctx);
    return {
      kind: "request",
      correlationId: correlationOf(this.#ctx),
      method,
      path,
      route,
      startedAt: this.#startedAt,
    };
  }

  /** The finished trace. */
  close(completion: Completion, { calls, leaves }: Finished): FinishedTrace {
    const ctx = this.#ctx;
    const { snapshots, redactor, paths, errors } = this.#tools;
    const { secrets } = this.recording;
    snapshots.within(secrets);
    const sent = requestBody(ctx, snapshots, redactor);
    const got = responseBody(asRecorded(completion, this.#recorded), ctx, {
      beginning: this.#beginning,
      snapshots,
      redactor,
    });
    const request = shownRequest(ctx, sent.json, this.#tools);
    const response = shownResponse(completion, got.json, this.#tools, this.named);
    const correlationId = correlationOf(ctx);
    const requestId = ctx.attribute("requestId");
    const { asked, dropped } = this.recording;
    const contractIssues = shownIssues(ctx.attribute("contractIssues"), this.#tools);
    const trace: Writable<UnnumberedTrace> = {
      id: typeof requestId === "string" && requestId !== "" ? snapshots.text(requestId) : correlationId,
      correlationId,
      method: ctx.method,
      path: paths.of(ctx),
      route: ctx.route ?? null,
      status: completion.status,
      startedAt: this.#startedAt,
      durationUs: Math.max(0, Math.floor(completion.durationMs * 1_000)),
      aborted: completion.aborted,
      request,
      response,
      calls,
      leaves,
      error: completion.error === undefined ? null : shownError(completion.error, this.recording, errors),
      run: this.run,
    };
    const annotations = this.#annotations?.all;
    if (annotations !== undefined && annotations.length > 0) trace.annotations = annotations;
    if (asked !== undefined) trace.entered = asked;
    if (dropped.count > 0) trace.callLimit = this.#tools.maxCalls;
    if (contractIssues.length > 0) trace.contractIssues = contractIssues;
    const { replay } = this.recording;
    if (replay !== undefined) trace.replayOf = replay.shown;
    this.recording.thrown = undefined;
    this.recording.asked = undefined;
    const entryBytes = 240 * (calls.length + leaves.length);
    const payloadBytes = sent.bytes + got.bytes + (this.#budget - this.recording.budget) - entryBytes;
    const bytes =
      payloadBytes +
      entryBytes +
      1_024 +
      sizeOfFields(request.headers) +
      sizeOfFields(response.headers) +
      sizeOfFields(request.query) +
      issuesSize(contractIssues);
    return { trace: withoutSecrets(trace, secrets), bytes, payloadBytes, dropped };
  }
}

function shownRequest(ctx: Context, body: Json, tools: TraceTools): TraceRequest {
  const { redactor, snapshots } = tools;
  const shown = {
    pathParams: shownParams(ctx, redactor, snapshots),
    query: shownQuery(ctx, redactor, snapshots),
    headers: sentHeaders(ctx, tools),
    body,
  };
  const cookies = "cookie" in shown.headers ? sentCookies(ctx, snapshots) : undefined;
  return cookies === undefined ? shown : { ...shown, cookies };
}

function shownResponse(
  { headers, bytes }: Completion,
  body: Json,
  tools: TraceTools,
  named: string | undefined,
): TraceResponse {
  const shown = { headers: gotHeaders(headers, tools, named), body, bytes };
  const cookies = "set-cookie" in shown.headers ? setCookies(headers, tools.snapshots) : undefined;
  return cookies === undefined ? shown : { ...shown, cookies };
}

/** A completion with the body that was recorded, where a middleware has coded it since: a person reads the one before. */
function asRecorded(completion: Completion, recorded: Completion["body"]): Completion {
  const { body, headers } = completion;
  if (recorded === undefined || body === undefined || body === recorded) return completion;
  if (headerOf(headers, "content-encoding") === undefined) return completion;
  const kept = headers.filter((_, at) => headers[at - (at % 2)]?.toLowerCase() !== "content-encoding");
  return { ...completion, body: recorded, headers: kept };
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

/** A valid, single `X-Framework-Dev` value. */
export function correlationOf(ctx: Context): string | null {
  const values = ctx.headerValues(CORRELATION_HEADER.toLowerCase());
  const [value] = values;
  return values.length === 1 && value !== undefined && CORRELATION_PATTERN.test(value) ? value : null;
}

function sentHeaders(ctx: Context, tools: TraceTools): Fields {
  const shown: Fields = {};
  for (const [name, value] of ctx.requestHeaders()) addHeader(shown, name, value, tools);
  return shown;
}

/** @param flat name, value, name, value */
/** @param named a value that devtools wrote themselves: no secret is looked for in it */
function gotHeaders(flat: readonly string[], tools: TraceTools, named: string | undefined): Fields {
  const shown: Fields = {};
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const name = flat[index] ?? "";
    const value = flat[index + 1] ?? "";
    if (value === named) addField(shown, name.toLowerCase(), value);
    else addHeader(shown, name, value, tools);
  }
  return shown;
}

function shownQuery(ctx: Context, redactor: Redactor, snapshots: Snapshotter): Fields {
  const shown: Fields = {};
  for (const [key, values] of Object.entries(attempt(() => ctx.query) ?? {}))
    for (const value of values) addField(shown, key, shownValue(key, value, redactor, snapshots));
  return shown;
}

/** The path parameters of a request as they may be shown. */
export function shownParams(ctx: Context, redactor: Redactor, snapshots: Snapshotter): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [key, value] of Object.entries<string>(attempt(() => ctx.pathParams) ?? {}))
    shown[key] = shownValue(key, value, redactor, snapshots);
  return shown;
}

function shownValue(key: string, value: string, redactor: Redactor, snapshots: Snapshotter): string {
  if (!redactor.hides(key, value)) return snapshots.text(value);
  redactor.remember(value);
  return REDACTED;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const noIssues: readonly ContractIssue[] = [];

/**
 * How the response breaks its contract. A validator may quote the value: what it says of a secret is hidden, and what was
 * hidden elsewhere in the trace is hidden here too.
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
