/**
 * Lines: the content of a history file, one JSON object a line.
 *
 *   { "v": 1, "session": … }   the writer of the next lines, at the head of each file and of each process in it
 *   { "v": 1, "run": Trace, "skipped": n }
 *   { "v": 1, "start": StartUp, "at": url }   of a start; a failed one has no address
 *
 * A file is written by many processes over weeks, cut by crashes and edited by people, so any other line is named
 * by its kind, and is never an error.
 *
 * Spec: spec/history.md
 */
import { fits, isCount, isInstance, isTrace, orNull } from "../../run/search/kept-trace.ts";
import { isRecord, jsonOf } from "../../run/values.ts";
import type { Session, StartUp, Trace } from "../../run/shapes.ts";

/** The version of the lines that are written, and the latest that is read. */
const VERSION = 1;

/** The writing process. */
export type SessionLine = Pick<Session, "instance" | "startedAt" | "app" | "commit" | "branch">;

/** The kind of a line. `cut` is one of ours that a crash has ended, `newer` one of a later version, `other` anything else. */
export type HistoryLine =
  | { readonly kind: "session"; readonly session: SessionLine }
  | { readonly kind: "run"; readonly run: Trace; readonly skipped: number }
  | { readonly kind: "start"; readonly start: StartUp }
  | { readonly kind: "cut" | "newer" | "other" };

/** A session as a line, without its end. */
export const sessionText = (session: SessionLine): string => JSON.stringify({ v: VERSION, session });

/** A run as a line. @param skipped runs of this session that were not written so far @param run a Trace as JSON */
export const runText = (run: string, skipped: number): string => `{"v":${VERSION},"skipped":${skipped},"run":${run}}`;

/** A start as a line. @param at the address of the application, for the terminal */
export const startText = (start: StartUp, at?: string): string => JSON.stringify({ v: VERSION, start, at });

/** Reads a line. Never throws. */
export function readHistoryLine(text: string): HistoryLine {
  const line: unknown = jsonOf(text);
  if (line === undefined) return { kind: text.startsWith(`{"v":${VERSION},`) ? "cut" : "other" };
  if (!isRecord(line) || !Number.isInteger(line["v"])) return { kind: "other" };
  if (line["v"] !== VERSION) return { kind: Number(line["v"]) > VERSION ? "newer" : "other" };
  const { session, run, start, skipped } = line;
  if (isSession(session)) return { kind: "session", session };
  if (isTrace(run)) return { kind: "run", run, skipped: isCount(skipped) ? skipped : 0 };
  return isStart(start) ? { kind: "start", start } : { kind: "other" };
}

const NAMED = { name: "", message: "" };

const SESSION = { instance: isInstance, startedAt: 0, app: orNull(""), commit: orNull(""), branch: orNull("") };
const isSession = (value: unknown): value is SessionLine => fits(value, SESSION);

const MADE = { startUs: 0, durationUs: orNull(0), error: orNull(NAMED) };
const START = {
  instance: isInstance,
  startedAt: 0,
  durationUs: orNull(0),
  droppedBeans: 0,
  beans: [{ bean: "", stereotype: "", parent: orNull(""), selfUs: orNull(0), ...MADE }],
  hooks: [{ name: "", ...MADE }],
  notBuilt: [""],
  chain: [""],
  error: orNull(NAMED),
} as const;
const isStart = (value: unknown): value is StartUp => fits(value, START);
