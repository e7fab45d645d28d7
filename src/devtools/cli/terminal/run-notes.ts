/**
 * Run notes: the notes below the tree of a run, about its error and where it began, breaches of the contract, repeated
 * work, and dropped records.
 */
import { type TimelineRow } from "../../run/timeline-rows.ts";
import { leafRetriesOf, repeatsOf, retriesOf } from "../../run/retries.ts";
import { leafText } from "../../run/spent.ts";
import { alikeStatements } from "../../run/explain/alike.ts";
import { count, duration } from "../../run/format.ts";
import { attemptWords, linkedQuery, sentWords } from "../../run/jobs.ts";
import type { Call, ErrorInfo, Trace } from "../../run/shapes.ts";
import { cutTo, printable } from "./printable.ts";
import type { Screen } from "./screen.ts";

const NAMED = 3;
const FRAMES = 4;

/** The notes, each block after an empty line. */
export function notesOf(trace: Trace, rows: readonly TimelineRow[], screen: Screen): readonly string[] {
  const blocks = [
    jobLines(trace, screen),
    errorLines(errorOf(trace, rows), screen),
    contractLines(trace, screen),
    repeatLines(trace, screen),
    droppedLines(trace, screen),
  ];
  return blocks.flatMap((block) => (block.length === 0 ? [] : ["", ...block]));
}

/** The error, from the call where it began, which has its stack. */
function errorOf(trace: Trace, rows: readonly TimelineRow[]): ErrorInfo | null {
  return rows.find(({ threw }) => threw)?.call.error ?? trace.error;
}

function errorLines(error: ErrorInfo | null, { width, paint }: Screen): readonly string[] {
  if (error === null) return [];
  const line = (text: string): string => cutTo(printable(text), width);
  const own = (error.stack ?? []).filter((frame) => frame.own).slice(0, FRAMES);
  const places = own.map(({ name, file, line: row, column }) =>
    paint("muted", line(`  at ${name === "" ? "" : `${name} `}${file}:${row}:${column}`)),
  );
  const { excerpt } = error;
  const code = (excerpt?.lines ?? []).map((text, at) => {
    const number = (excerpt?.from ?? 1) + at;
    const shown = line(`${number === excerpt?.line ? ">" : " "} ${String(number).padStart(5)}  ${text}`);
    return number === excerpt?.line ? paint("bad", shown) : paint("muted", shown);
  });
  const causes = (error.causes ?? []).map((cause) => line(`  caused by ${cause.name}: ${cause.message}`));
  return [paint("bad", line(`${error.name}: ${error.message}`)), ...places, ...code, ...causes];
}

/** The attempt that the run is, and where the other end of its jobs is found. */
function jobLines(trace: Trace, { width, paint }: Screen): readonly string[] {
  const query = linkedQuery(trace);
  if (query === undefined) return [];
  const words = trace.job === undefined ? [] : [attemptWords(trace.job), sentWords(trace)].filter((one) => one !== "");
  const found = `${trace.job === undefined ? "its jobs" : "what sent it"}: runs '${query}'`;
  return [...words, found].map((text) => paint("muted", cutTo(printable(text), width)));
}

function contractLines({ contractIssues = [] }: Trace, { width, paint }: Screen): readonly string[] {
  if (contractIssues.length === 0) return [];
  const lines = contractIssues.map(({ pointer, message }) =>
    cutTo(printable(`  ${pointer === "" ? "the response" : pointer}: ${message}`), width),
  );
  return [paint("bad", cutTo("the response breaks its contract", width)), ...lines];
}

function repeatLines(trace: Trace, { width, paint }: Screen): readonly string[] {
  const retries = [
    ...retriesOf(trace).map((one) => ({ ...one, name: nameOf(one.attempts[0]) })),
    ...leafRetriesOf(trace).map((one) => ({ ...one, name: one.attempts[0] ? leafText(one.attempts[0]) : "" })),
  ].slice(0, NAMED);
  const calls = repeatsOf(trace).slice(0, NAMED);
  const statements = alikeStatements(trace).slice(0, NAMED);
  return [
    ...retries.map(({ name, attempts, hasWorked, costUs }) => {
      const end = hasWorked ? "" : ", and the last one failed too";
      return `${printable(name)} was tried again after it failed: ${count(attempts.length, "attempt")}${end}, ${duration(costUs)} until the last`;
    }),
    ...calls.map((one) => {
      const often = `${count(one.calls.length, "equal call")} of ${printable(nameOf(one.calls[0]))}`;
      return `${often}: all but the first took ${duration(one.costUs)}`;
    }),
    ...statements.map((one) => {
      const often = `${count(one.ids.length, "statement")} alike${one.bean === null ? "" : ` below ${printable(one.bean)}`}`;
      return `${often}, all but the first took ${duration(one.wastedUs)}: ${printable(one.statement)}`;
    }),
  ].map((line) => paint("warn", cutTo(line, width)));
}

const nameOf = (call: Call | undefined): string => (call ? `${call.bean}.${call.method}` : "");

function droppedLines({ droppedCalls, droppedLeaves }: Trace, { width, paint }: Screen): readonly string[] {
  return [
    droppedCalls > 0 ? `${count(droppedCalls, "call")} not recorded: the bound was reached, or the run was over` : "",
    droppedLeaves > 0 ? `not recorded below the calls: ${count(droppedLeaves, "thing")}` : "",
  ].flatMap((line) => (line === "" ? [] : [paint("warn", cutTo(line, width))]));
}
