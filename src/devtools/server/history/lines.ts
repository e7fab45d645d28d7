/**
 * Lines: what a file of history holds, one JSON object a line.
 *
 *   { "v": 1, "session": … }   who writes what follows, at the head of each file and of each process in it
 *   { "v": 1, "run": Trace, "skipped": n }
 *   { "v": 1, "start": StartUp }   of a start that failed, or of the first that did not behind it
 *
 * A file is written by many processes over weeks, cut by crashes and edited by people: whatever is not such a line is named
 * for what it is, and never an error.
 *
 * Spec: spec/history.md (HISTORY)
 */
import type { KeptTrace } from "../../search/document.ts";
import type { StartUp } from "../../wire-history.ts";

/** The version of the lines that are written, and the latest that is read. */
const VERSION = 1;

/** Who writes. */
export interface SessionLine {
  readonly instance: string;
  readonly startedAt: number;
  readonly app: string | null;
  readonly commit: string | null;
  readonly branch: string | null;
}

/** What a line is: `cut` is one of ours that a crash has ended, `newer` one of a later version, `other` anything else. */
export type HistoryLine =
  | { readonly kind: "session"; readonly session: SessionLine }
  | { readonly kind: "run"; readonly run: KeptTrace; readonly skipped: number }
  | { readonly kind: "start"; readonly start: StartUp }
  | { readonly kind: "cut" | "newer" | "other" };

/** A session as a line, without its end. */
export const sessionText = (session: SessionLine): string => JSON.stringify({ v: VERSION, session });

/** A run as a line. @param skipped runs of this session that were not written so far @param run a Trace as JSON */
export const runText = (run: string, skipped: number): string => `{"v":${VERSION},"skipped":${skipped},"run":${run}}`;

/** A start as a line. */
export const startText = (start: StartUp): string => JSON.stringify({ v: VERSION, start });

/** Reads a line. Never throws. */
export function readHistoryLine(text: string): HistoryLine {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return { kind: text.startsWith(`{"v":${VERSION},`) ? "cut" : "other" };
  }
  if (!isRecord(line) || !Number.isInteger(line["v"])) return { kind: "other" };
  if (line["v"] !== VERSION) return { kind: Number(line["v"]) > VERSION ? "newer" : "other" };
  const { session, run, start, skipped } = line;
  if (isSession(session)) return { kind: "session", session };
  if (isTrace(run)) return { kind: "run", run, skipped: isCount(skipped) ? skipped : 0 };
  return isStart(start) ? { kind: "start", start } : { kind: "other" };
}

type Test = (value: unknown) => boolean;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText: Test = (value) => typeof value === "string";
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
const isFlag: Test = (value) => typeof value === "boolean";
const orNull =
  (test: Test): Test =>
  (value) =>
    value === null || test(value);
const orAbsent =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value);
const listOf =
  (test: Test): Test =>
  (value) =>
    Array.isArray(value) && value.every(test);
const recordOf =
  (test: Test): Test =>
  (value) =>
    isRecord(value) && Object.values(value).every(test);
const like =
  (members: Readonly<Record<string, Test>>): Test =>
  (value) =>
    isRecord(value) && Object.entries(members).every(([name, test]) => test(value[name]));

const instance: Test = (value) => typeof value === "string" && /^[A-Za-z0-9-]{1,64}$/.test(value);
const named = like({ name: isText, message: isText });
const isError: Test = (value) => named(value) && orAbsent(listOf(named))((value as { causes?: unknown }).causes);
const isAny: Test = (value) => value !== undefined;

const isCall = like({
  ...{ id: isCount, parentId: orNull(isCount), depth: isCount, bean: isText, declaredBy: isText, method: isText },
  ...{ stereotype: isText, args: Array.isArray, params: orAbsent(listOf(isText)), result: isAny },
  ...{ error: orNull(isError), startUs: isCount, durationUs: orNull(isCount), async: isFlag },
});

const isLeaf = like({
  ...{ id: isCount, parentId: orNull(isCount), kind: isText, name: isText, detail: isRecord, error: orNull(named) },
  ...{ startUs: isCount, durationUs: orNull(isCount) },
});

const traceTest = like({
  ...{ instance, id: isText, sequence: isCount, correlationId: orNull(isText), method: isText, path: isText },
  ...{ route: orNull(isText), status: isCount, startedAt: isCount, durationUs: isCount, aborted: isFlag },
  request: like({
    pathParams: recordOf(isText),
    query: recordOf(listOf(isText)),
    headers: recordOf(listOf(isText)),
    body: isAny,
  }),
  response: like({ headers: recordOf(listOf(isText)), body: isAny, bytes: isCount }),
  ...{ calls: listOf(isCall), droppedCalls: isCount, error: orNull(isError) },
  // Versions before leaves wrote none.
  leaves: orAbsent(listOf(isLeaf)),
  kind: orAbsent((value) => value === "trace" || value === "background" || value === "websocket"),
  contractIssues: orAbsent(listOf(like({ pointer: isText, message: isText }))),
});

/** As far as it is read here and drawn by the page. */
const isTrace = (value: unknown): value is KeptTrace => traceTest(value);

const sessionTest = like({
  ...{ instance, startedAt: isCount, app: orNull(isText), commit: orNull(isText), branch: orNull(isText) },
});
const isSession = (value: unknown): value is SessionLine => sessionTest(value);

const startTest = like({
  ...{ instance, startedAt: isCount, durationUs: orNull(isCount), droppedBeans: isCount },
  beans: listOf(
    like({
      ...{ bean: isText, stereotype: isText, parent: orNull(isText), startUs: isCount },
      ...{ durationUs: orNull(isCount), selfUs: orNull(isCount), error: orNull(named) },
    }),
  ),
  hooks: listOf(like({ name: isText, startUs: isCount, durationUs: orNull(isCount), error: orNull(named) })),
  ...{ notBuilt: listOf(isText), chain: listOf(isText), error: orNull(named) },
});
const isStart = (value: unknown): value is StartUp => startTest(value);
