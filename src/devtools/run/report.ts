/**
 * A run as Markdown for an issue: what was asked, how it ended, the error, its path over the beans, and how to repeat it. Pure.
 *
 * Secrets were hidden when the run was recorded. Every recorded text is in a code block or a code span that it cannot close.
 */
import { timelineRows, type TimelineRow } from "./timeline-rows.ts";
import { curlCommand, shellQuoted } from "./curl.ts";
import { duration, traceKey } from "./format.ts";
import { ownHeaders } from "./own-headers.ts";
import type { ErrorCause, Json, Leaf, Trace } from "./shapes.ts";
import { leafText, outcomeOf, runText } from "./spent.ts";
import { treeOf, type TreeLine } from "./tree.ts";
import { isRecord, textOf } from "./values.ts";

/** Characters of a value, and lines of the path. */
const valueChars = 60;
const maxLines = 200;

/** The report. */
export function runReport(trace: Trace): string {
  const { method, path, status, durationUs, aborted, route, startedAt, kind } = trace;
  const ended = kind === undefined ? String(status) : status < 400 ? "ok" : "failed";
  return [
    `## ${code(`${method} ${path}`)} → ${ended} in ${duration(durationUs)}${aborted ? ", the client left" : ""}`,
    [
      route === null ? "- No route" : `- Route: ${code(`${method} ${route}`)}`,
      `- ${runText(trace)}`,
      `- Started ${new Date(startedAt).toISOString()}, run ${code(traceKey(trace))}`,
      ...(trace.droppedCalls + trace.droppedLeaves === 0
        ? []
        : [`- Not recorded: ${trace.droppedCalls} calls, ${trace.droppedLeaves} operations below them`]),
    ].join("\n"),
    ...errorPart(trace),
    ...contractPart(trace),
    ["### Path", block("text", pathOf(trace))].join("\n\n"),
    ...(kind === undefined ? [["### Request", block("sh", curlOf(trace))].join("\n\n")] : []),
  ]
    .join("\n\n")
    .concat("\n");
}

function errorPart({ error, calls }: Trace): readonly string[] {
  const failed = error ?? calls.findLast((call) => call.error?.stack !== undefined)?.error ?? null;
  if (failed === null) return [];
  const caught = error === null ? ["A bean threw it, and it was handled."] : [];
  const causes = (failed.causes ?? []).flatMap((cause) => ["Caused by", block("text", errorText(cause))]);
  const { excerpt } = failed;
  const lines = excerpt?.lines.map((line, at) => {
    const number = excerpt.from + at;
    return `${number === excerpt.line ? ">" : " "} ${String(number).padStart(4)} | ${line}`;
  });
  const shown = excerpt === undefined || lines === undefined ? [] : [code(excerpt.file), block("ts", lines.join("\n"))];
  return [["### Error", ...caught, block("text", errorText(failed)), ...shown, ...causes].join("\n\n")];
}

/** The error with the frames of the application's own code, or the first ones if none is. */
function errorText({ name, message, stack = [] }: ErrorCause): string {
  const own = stack.filter((frame) => frame.own);
  const frames = (own.length > 0 ? own : stack).slice(0, 8);
  return [
    `${name}: ${message}`,
    ...frames.map((frame) => `    at ${frame.name || "<anonymous>"} (${frame.file}:${frame.line}:${frame.column})`),
  ].join("\n");
}

function contractPart({ contractIssues = [] }: Trace): readonly string[] {
  if (contractIssues.length === 0) return [];
  const lines = contractIssues.map(({ pointer, message }) => `${pointer || "/"}: ${message}`);
  return [["### The response breaks its contract", block("text", lines.join("\n"))].join("\n\n")];
}

function pathOf(trace: Trace): string {
  const lines = treeOf(trace, timelineRows(trace)).map(lineOf);
  if (lines.length === 0) return "no bean was called";
  const more = lines.length - maxLines;
  return [
    `${"total".padStart(9)} ${"self".padStart(9)}`,
    ...lines.slice(0, maxLines),
    ...(more > 0 ? [`… ${more} more`] : []),
  ].join("\n");
}

function lineOf({ branches, row, leaf }: TreeLine): string {
  const took = row?.call.durationUs ?? (leaf?.kind === "log" ? undefined : leaf?.durationUs);
  const times = `${(took === undefined ? "" : duration(took)).padStart(9)} ${(row === undefined ? "" : duration(row.selfUs)).padStart(9)}`;
  return `${times} ${row?.critical === true ? "*" : " "} ${branches}${row === undefined ? leafLine(leaf) : callLine(row)}`.trimEnd();
}

function callLine({ call, threw }: TimelineRow): string {
  const args = call.args.map(short).join(", ");
  const end =
    call.error !== null
      ? `✗ ${threw ? "threw" : "failed with"} ${oneLine(`${call.error.name}: ${call.error.message}`)}`
      : call.durationUs === null
        ? "→ has not settled"
        : `→ ${short(call.result)}`;
  return `${call.bean}.${call.method}(${args}) ${end}`;
}

function leafLine(leaf: Leaf | undefined): string {
  if (leaf === undefined) return "";
  const parameters =
    leaf.kind === "sql" && leaf.detail.parameters.length > 0 ? ` ${short(leaf.detail.parameters)}` : "";
  const failed = leaf.error === null ? "" : ` ✗ ${leaf.error.name}: ${leaf.error.message}`;
  const outcome = leaf.error === null ? outcomeOf(leaf) : "";
  return oneLine(`${leaf.kind} ${leafText(leaf)}${parameters}${outcome === "" ? "" : ` → ${outcome}`}${failed}`);
}

/** The request as it was received, without the headers of the client's own. */
function curlOf({ method, path, request }: Trace): string {
  const { headers, query, body } = request;
  const pairs = Object.entries(query).flatMap(([name, values]) => values.map((value) => [name, value]));
  const asked = new URLSearchParams(pairs).toString();
  const url = `http://${headers["host"]?.[0] ?? "localhost"}${path}${asked === "" ? "" : `?${asked}`}`;
  return curlCommand(method, url, ownHeaders(headers), bodyOf(body));
}

function bodyOf(body: Json): readonly string[] {
  if (body === null) return [];
  if (isRecord(body) && Object.keys(body).length === 1 && typeof body["$bytes"] === "number")
    return [`--data-binary ${shellQuoted(`@a file of ${body["$bytes"]} bytes`)}`];
  return [`--data-raw ${shellQuoted(textOf(body))}`];
}

function short(value: Json): string {
  const text = oneLine(JSON.stringify(value));
  return text.length > valueChars ? `${text.slice(0, valueChars)}…` : text;
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ");

/** A code span that the text cannot close. */
function code(text: string): string {
  const fence = fenceFor(text, 1);
  const padded = /^`|`$/.test(text) ? ` ${text} ` : text;
  return `${fence}${oneLine(padded) || " "}${fence}`;
}

/** A code block that the text cannot close. */
function block(language: string, text: string): string {
  const fence = fenceFor(text, 3);
  return `${fence}${language}\n${text}\n${fence}`;
}

function fenceFor(text: string, least: number): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  return "`".repeat(Math.max(least, longest + 1));
}
