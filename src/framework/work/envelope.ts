/**
 * Envelope: a job as JSON, written when it is sent and read before each attempt.
 *
 *   input ──▶ JSON ──▶ its schema ──▶ small enough ──▶ envelope                 else the sender gets the issues
 *   envelope ──▶ version ──▶ name ──▶ its schema ──▶ the value for the handler   else a dead letter, or back to the engine
 *
 * The schema checks the JSON, since that is what the handler will get. A schema that converts does so for each attempt.
 */
import type { Job } from "../app/work.ts";
import { type Checked, isRejected, listed } from "../contract/schema.ts";
import type { ProblemIssue } from "../internal/errors.ts";
import { checkerOfJob } from "./job.ts";
import type { Envelope, Outcome } from "./types.ts";

/** The input that a caller sends is not allowed. */
export class JobInputError extends Error {
  readonly code = "WORK_INPUT";
  /** Why its schema rejects it. Empty when it is too large, or has no JSON form. */
  readonly issues: readonly ProblemIssue[];

  constructor(message: string, issues: readonly ProblemIssue[] = []) {
    super(message);
    this.name = "JobInputError";
    this.issues = issues;
  }
}

/** The JSON value of an input that the job's schema accepts. @throws (rejects) JobInputError with the issues. */
export async function checkedInput(job: Job, input: unknown): Promise<unknown> {
  const json = jsonOf(job, input);
  const checked = await checkerOfJob(job)(json);
  if (!isRejected(checked)) return json;
  const issues = issuesOf(checked.issues);
  throw new JobInputError(
    `the job ${job.name} was not sent: its input does not fit its schema${first(issues)}`,
    issues,
  );
}

/** @throws JobInputError when the envelope is longer than `maxBytes`. */
export function checkSize(envelope: Envelope, maxBytes: number): void {
  const bytes = new TextEncoder().encode(JSON.stringify(envelope)).length;
  if (bytes <= maxBytes) return;
  throw new JobInputError(
    `the job ${envelope.name} was not sent: it has ${bytes} bytes, and ${maxBytes} are allowed; keep large data elsewhere, ` +
      "and send its id",
  );
}

function jsonOf({ name }: Job, input: unknown): unknown {
  let json: string | undefined;
  try {
    json = JSON.stringify(input);
  } catch (error) {
    throw new JobInputError(`the job ${name} was not sent: its input has no JSON form (${messageOf(error)})`);
  }
  if (json === undefined) throw new JobInputError(`the job ${name} was not sent: its input has no JSON form`);
  return JSON.parse(json) as unknown;
}

/** An envelope that an attempt may begin with, or what becomes of the job instead. */
export type Opened =
  | { readonly envelope: Envelope; readonly value: unknown }
  | Exclude<Outcome, { kind: "done" | "failed" }>;

/** The time after which a process asks again for a job of a newer version. */
const newerAgainMs = 30_000;

/** Reads an envelope. Never rejects. */
export async function opened(job: Job, given: unknown): Promise<Opened> {
  const envelope = Object(given) as Partial<Record<keyof Envelope, unknown>>;
  const { v, name } = envelope;
  if (typeof v === "number" && v > 1) return { kind: "back", delayMs: newerAgainMs };
  if (v !== 1 || typeof name !== "string") return { kind: "dead", reason: `what is stored is no job of ${job.name}` };
  if (name !== job.name) return { kind: "dead", reason: `it is a job ${name}, and was taken as ${job.name}` };
  let checked: Checked;
  try {
    checked = await checkerOfJob(job)(envelope.input);
  } catch (error) {
    return { kind: "dead", reason: `its schema failed: ${messageOf(error)}` };
  }
  if (!isRejected(checked)) return { envelope: envelopeOf(job, envelope), value: checked.value };
  const issues = issuesOf(checked.issues);
  return { kind: "dead", reason: `its input does not fit its schema${first(issues)}`, issues };
}

/** With members of the right types only. */
export function envelopeOf({ name }: Job, stored: unknown): Envelope {
  const given = Object(stored) as Partial<Record<keyof Envelope, unknown>>;
  const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
  const { schedule } = given;
  const { name: scheduled, at } = Object(schedule) as { name?: unknown; at?: unknown };
  return {
    v: 1,
    name,
    input: given.input,
    traceparent: text(given.traceparent),
    tracestate: text(given.tracestate),
    requestId: text(given.requestId),
    note: text(given.note),
    sentAt: typeof given.sentAt === "number" ? given.sentAt : 0,
    ...(typeof scheduled === "string" && typeof at === "number" ? { schedule: { name: scheduled, at } } : {}),
  };
}

const issuesOf = (found: readonly unknown[]): readonly ProblemIssue[] => listed([[undefined, found]])[0];

const first = ([issue]: readonly ProblemIssue[]): string =>
  issue === undefined ? "" : ` (${issue.pointer === "" ? "" : `${issue.pointer}: `}${issue.message})`;

/** The message of any thrown value. */
export const messageOf = (error: unknown): string =>
  error instanceof Error && error.message !== "" ? error.message : String(Object(error).code ?? error);

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The id of a job: random, or always the same for a key. A UUID, because PostgreSQL keeps one. */
export async function idOf(name: string, key: string | undefined): Promise<string> {
  if (key === undefined) return crypto.randomUUID();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${name}\n${key}`)));
  const text = hex(digest.subarray(0, 16));
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-8${text.slice(13, 16)}-a${text.slice(17, 20)}-${text.slice(20)}`;
}
