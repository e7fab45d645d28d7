/**
 * job: declares a kind of job, and checks inputs against its schema.
 *
 *   job("send-invoice", { input: z.object({ order: z.string() }), attempts: 5 }) ──▶ Job
 */
import type { Job, JobBackoff } from "../app/work.ts";
import { checkSchema, isJsonSchema } from "../contract/contract.ts";
import { jsonChecker } from "../contract/json-check.ts";
import type { JsonSchemaSource } from "../contract/json-schema.ts";
import { type Checker, checkerOf, isBodyType, type Schema } from "../contract/schema.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { shown, usageError } from "../internal/usage-errors.ts";

/** Options of `job`. */
export interface JobOptions<S extends Schema> {
  /** A schema of any library, or a JSON Schema. The input is checked when it is sent, and again before each attempt. */
  readonly input: S;
  /** How often it is tried in all. Default 3. */
  readonly attempts?: number | undefined;
  /** The delay before another attempt. Default `"exponential"`, from a second on. */
  readonly backoff?: JobBackoff["kind"] | JobBackoff | undefined;
  /** How long an attempt may take, in milliseconds. Default 30,000, at most 12 hours. */
  readonly timeoutMs?: number | undefined;
  /** How many attempts one process runs at a time. Default 1. */
  readonly concurrency?: number | undefined;
}

const made = new WeakSet<object>();
const checkers = new WeakMap<object, Checker>();
const optionNames = ["input", "attempts", "backoff", "timeoutMs", "concurrency"];
const namePattern = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
const longestMs = 12 * 60 * 60 * 1_000;

/**
 * Declares a kind of job. Export it, and import it where it is sent and where it is done.
 *
 * @throws TypeError (`WORK_INVALID`) naming what is not allowed.
 * @example
 * ```ts
 * const Mail = job("mail", { input: { type: "object", properties: { to: { type: "string" } } }, attempts: 5 });
 * ```
 */
export function job<S extends Schema>(name: string, options: JobOptions<S>): Job<S> {
  if (typeof name !== "string" || !namePattern.test(name))
    throw usageError(
      "WORK_INVALID",
      `a job has the name ${shown(name)}: a letter, then letters, digits, ".", "_" and "-" are allowed, 64 in all`,
    );
  const where = `the job ${name}`;
  checkOptionNames(where, options, optionNames, "WORK_INVALID");
  const { input, attempts = 3, backoff = "exponential", timeoutMs = 30_000, concurrency = 1 } = options;
  checkSchema(`${where}: its input`, input);
  const declared: Job<S> = Object.freeze({
    name,
    input,
    attempts: whole(where, "attempts", attempts, 1, 1_000),
    backoff: backoffOf(where, backoff),
    timeoutMs: whole(where, "timeoutMs", timeoutMs, 1, longestMs),
    concurrency: whole(where, "concurrency", concurrency, 1, 1_000),
  });
  made.add(declared);
  return declared;
}

/** @throws TypeError (`WORK_INVALID`) when it was not made by `job`. */
export function checkJob(what: string, given: unknown): void {
  if (typeof given === "object" && given !== null && made.has(given)) return;
  throw usageError(
    "WORK_INVALID",
    `${what} takes a job, which job("send-invoice", { input }) declares, not ${shown(given)}`,
  );
}

/** A whole number within limits. @throws TypeError (`WORK_INVALID`). */
export function whole(where: string, name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw usageError(
    "WORK_INVALID",
    `${where} has ${name}: ${shown(value)}; a whole number from ${least} to ${most} is allowed`,
  );
}

/** The delay after a failed attempt, in milliseconds. */
export const delayAfter = ({ backoff }: Job, attempt: number): number =>
  backoff.delayMs * (backoff.kind === "exponential" ? 2 ** Math.min(attempt - 1, 30) : 1);

/** The checker of a job's input, made once. */
export function checkerOfJob({ input }: Job): Checker {
  const known = checkers.get(input);
  if (known !== undefined) return known;
  const checker = isBodyType(input) ? checkerOf(input) : ofJsonSchema(input);
  checkers.set(input, checker);
  return checker;
}

function ofJsonSchema(schema: Schema): Checker {
  const issuesOf = isJsonSchema(schema) ? jsonChecker(schema as JsonSchemaSource) : () => [];
  return (value) => {
    const issues = issuesOf(value);
    return issues.length === 0 ? { value } : { issues };
  };
}

function backoffOf(where: string, given: JobBackoff["kind"] | JobBackoff): Job["backoff"] {
  const { kind, delayMs = 1_000 } = typeof given === "object" && given !== null ? given : { kind: given };
  if (kind !== "fixed" && kind !== "exponential")
    throw usageError("WORK_INVALID", `${where} has backoff: ${shown(given)}; "fixed" and "exponential" are allowed`);
  return { kind, delayMs: whole(where, "backoff.delayMs", delayMs, 0, longestMs) };
}
