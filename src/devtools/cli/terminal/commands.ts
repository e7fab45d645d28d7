/**
 * Commands: the requests of each command to devtools, and its output.
 *
 *   command ──▶ client ──▶ text for people, or JSON of the shapes of spec/ ──▶ print, exit code
 */
import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import {
  brokenRules,
  graphDiff,
  graphDocument,
  parseRule,
  unknownSides,
  type GraphDocument,
  type Rule,
} from "../../run/compare/graph-diff.ts";
import { messageOf, traceKey } from "../../run/format.ts";
import { isSpanFile, SpanFile } from "../../run/otlp/span-file.ts";
import { otlpText } from "../../run/otlp/write.ts";
import { runReport } from "../../run/report.ts";
import { parseRun } from "../../run/read-run.ts";
import { formatRun, type SavedRun } from "../../run/run-file.ts";
import { documentOf, parseQuery, searchOf, type Search } from "../../run/search/index.ts";
import { hitOf } from "../../run/search/match.ts";
import type { Trace, SearchHit } from "../../run/shapes.ts";
import type { Command } from "./args.ts";
import type { DevtoolsClient } from "./client.ts";
import { diffLines, diffMarkdown } from "./diff-text.ts";
import { lineOf, misunderstood, TerminalError } from "./errors.ts";
import { graphLines, graphMermaid, graphPicture } from "./graph-text.ts";
import { runNamed } from "./named-run.ts";
import { profileLines } from "./profile-text.ts";
import { cutTo, printable, printableJson } from "./printable.ts";
import { runRow } from "./run-list.ts";
import { runTree, toneOf } from "./run-tree.ts";
import type { Screen } from "./screen.ts";
import { send, type SendResult } from "./send.ts";
import { sendAgain } from "./send-again.ts";

/** The parts of the program that a command needs. */
export interface Setting {
  readonly client: DevtoolsClient;
  readonly screen: Screen;
  print(line: string): void;
  /** Prints a message that is not a result. */
  say(line: string): void;
  /** Aborts when it must stop. */
  readonly signal: AbortSignal;
}

type Of<K extends Command["kind"]> = Extract<Command, { readonly kind: K }>;

const BROKEN = 1;
/** The printed part of a response, since its tree matters more here. */
const MOST_OF_A_BODY = 2_000;
/** Printed runs, so that none is repeated after a restart of the stream. */
const REMEMBERED = 1_000;
const RETRY_MS = 500;

/** `runs`. */
export async function printRuns(command: Of<"runs">, setting: Setting): Promise<number> {
  const { client, screen, print, signal } = setting;
  const found = searchFor(command.query);
  const printed = new Set<string>();
  let current = await currentInstance(client);
  const show = (hit: SearchHit): void => {
    const key = traceKey(hit);
    if (printed.has(key)) return;
    printed.add(key);
    const [oldest = key] = printed;
    if (printed.size > REMEMBERED) printed.delete(oldest);
    print(command.isJson ? printableJson(hit) : runRow(hit, current, screen));
  };
  const list = async (): Promise<void> => {
    for (const hit of (await client.search(command.query, command.limit)).hits.toReversed()) show(hit);
  };
  if (!command.isFollowing) return list().then(() => 0);
  const open = async (): Promise<AsyncGenerator<Trace>> => {
    // The stream first, so that a run that completes while the list is read is in both.
    const runs = await client.follow(signal);
    current = await currentInstance(client);
    await list();
    return runs;
  };
  const showFound = (trace: Trace): void => {
    const document = documentOf(trace);
    const hit = found(document);
    if (hit !== undefined) show(hitOf(document, hit));
  };
  await follow(await open(), open, showFound, setting);
  return 0;
}

/** Until it is stopped. The application usually restarts while it is developed. */
async function follow(
  first: AsyncGenerator<Trace>,
  open: () => Promise<AsyncGenerator<Trace>>,
  show: (trace: Trace) => void,
  { say, signal }: Setting,
): Promise<void> {
  let runs: AsyncGenerator<Trace> | undefined = first;
  let isWaiting = false;
  while (!signal.aborted) {
    try {
      runs ??= await open();
      isWaiting = false;
      for await (const trace of runs) show(trace);
    } catch (error) {
      if (!isWaiting && !signal.aborted) say(`${lineOf(error)}; waiting for it`);
      isWaiting = true;
    }
    runs = undefined;
    await setTimeout(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}

function searchFor(text: string): Search {
  const { query, issues } = parseQuery(text);
  if (query !== undefined) return searchOf(query);
  throw new TerminalError(issues.map(misunderstood)[0]);
}

async function currentInstance(client: DevtoolsClient): Promise<string | undefined> {
  return (await client.read("sessions")).sessions.find((one) => one.current)?.instance;
}

/** `run`. */
export async function printRun({ id, form }: Of<"run">, { client, screen, print }: Setting): Promise<number> {
  const trace = await runNamed(client, id);
  if (form === "json") print(printableJson(trace));
  else if (form === "otlp") print(otlpText(trace, { name: await nameOf(client) }).trimEnd());
  else if (form === "file") print(formatRun(await savedRun(trace, client)).trimEnd());
  else for (const line of form === "markdown" ? reportLines(trace) : runTree(trace, screen)) print(line);
  return 0;
}

/** The report, in which no recorded text controls the terminal. */
const reportLines = (trace: Trace): readonly string[] => runReport(trace).trimEnd().split("\n").map(printable);

async function nameOf(client: DevtoolsClient): Promise<string> {
  return (await client.read("sessions")).sessions.find((one) => one.current)?.app ?? "application";
}

async function savedRun(trace: Trace, client: DevtoolsClient): Promise<SavedRun> {
  const [graph, routes] = await Promise.all([client.read("graph"), client.read("routes")]);
  const route = routes.find(
    ({ method, path, version }) => method === trace.method && path === trace.route && version === trace.version,
  );
  return { trace, graph, entries: route?.beans ?? [] };
}

/** `open`. Without an application. */
export function printFile({ file }: Of<"open">, { screen, print }: Pick<Setting, "screen" | "print">): number {
  const runs = runsIn(file);
  for (const [at, trace] of runs.entries()) {
    if (at > 0) print("");
    for (const line of runTree(trace, screen)) print(line);
  }
  return 0;
}

function runsIn(file: string): readonly Trace[] {
  const text = textOf(file, "the file");
  try {
    return isSpanFile(text) ? new SpanFile(text).runs.map(({ trace }) => trace) : [parseRun(text).trace];
  } catch (cause) {
    throw new TerminalError(`${file}: ${messageOf(cause)}`, { cause });
  }
}

/** `send`. */
export async function printSent(command: Of<"send">, { client, screen, print }: Setting): Promise<number> {
  const { method, path, headers, data, isJson } = command;
  const body = data?.startsWith("@") === true ? contentOf(data.slice(1)) : data;
  const sent = await send(client, { method, path, headers, body });
  if (sent.run === undefined)
    throw new TerminalError(
      `the response is ${sent.status}, and devtools have no run of it: do they record that path?`,
    );
  return printResult({ ...sent, run: sent.run }, isJson, { screen, print });
}

/** `what-if`. */
export async function printWhatIf(command: Of<"what-if">, { client, screen, print }: Setting): Promise<number> {
  const { id, whatIf, beans, headers, isJson } = command;
  const sent = await sendAgain(client, {
    trace: await runNamed(client, id),
    whatIf: [whatIf],
    isProfiled: false,
    beans,
    headers,
  });
  return printResult(sent, isJson, { screen, print });
}

/** `replay`. */
export async function printReplay(command: Of<"replay">, { client, screen, print }: Setting): Promise<number> {
  const { id, beans, headers, isJson } = command;
  const trace = await runNamed(client, id);
  const sent = await sendAgain(client, { trace, whatIf: [], isProfiled: false, beans, headers });
  return printResult(sent, isJson, { screen, print });
}

/** `profile`. */
export async function printProfile(command: Of<"profile">, { client, screen, print }: Setting): Promise<number> {
  const { id, beans, headers, isJson } = command;
  const trace = await runNamed(client, id);
  const { run } = await sendAgain(client, { trace, whatIf: [], isProfiled: true, beans, headers });
  if (isJson) print(printableJson(run));
  else for (const line of profileLines(run, screen)) print(line);
  return 0;
}

function printResult(
  { status, contentType, body, run }: SendResult & { readonly run: Trace },
  isJson: boolean,
  { screen, print }: Pick<Setting, "screen" | "print">,
): number {
  if (isJson) {
    print(printableJson(run));
    return 0;
  }
  print(`${screen.paint(toneOf(status), String(status))} ${printable(contentType)}`.trimEnd());
  if (body !== "") print(cutTo(printable(body.slice(0, MOST_OF_A_BODY)), screen.width));
  print("");
  for (const line of runTree(run, screen)) print(line);
  return 0;
}

/** `graph`. */
export async function printGraph({ form }: Of<"graph">, { client, screen, print }: Setting): Promise<number> {
  const document = await documentFrom(client);
  if (form === "json") print(printableJson(document, 2));
  else if (form === "svg") print(graphPicture(document.graph).trimEnd());
  else
    for (const line of form === "mermaid" ? graphMermaid(document.graph) : graphLines(document.graph, screen))
      print(line);
  return 0;
}

/** `graph diff`. */
export async function printDiff(command: Of<"graph-diff">, { client, screen, print, say }: Setting): Promise<number> {
  const base = documentIn(command.base);
  const rules = rulesOf(command);
  const head = await documentFrom(client);
  const [unknown] = unknownSides(rules, head.graph);
  if (unknown !== undefined)
    throw new TerminalError(`a rule names ${JSON.stringify(unknown)}, which is neither a bean nor a stereotype`);
  const diff = graphDiff(base, head);
  const broken = brokenRules(rules, head.graph, base.graph);
  if (command.form === "json") print(printableJson({ ...diff, broken }, 2));
  else
    for (const line of command.form === "markdown" ? diffMarkdown(diff, broken) : diffLines(diff, broken, screen))
      print(line);
  if (broken.length === 0) return 0;
  say(`${broken.length === 1 ? "a dependency is" : `${broken.length} dependencies are`} forbidden`);
  return BROKEN;
}

async function documentFrom(client: DevtoolsClient): Promise<GraphDocument> {
  const [graph, routes] = await Promise.all([client.read("graph"), client.read("routes")]);
  return graphDocument(graph, routes);
}

function documentIn(file: string): GraphDocument {
  const value = jsonIn(file, "the base");
  const { graph, routes } = value as { graph?: Partial<GraphDocument["graph"]>; routes?: unknown };
  const isOne = Array.isArray(graph?.nodes) && Array.isArray(graph.edges) && Array.isArray(routes);
  if (!isOne) throw new TerminalError(`${file} is no graph: framework-devtools graph --json writes one`);
  return value as GraphDocument;
}

function rulesOf({ forbid, rules: file }: Of<"graph-diff">): readonly Rule[] {
  const kept = file === undefined ? [] : (jsonIn(file, "--rules") as { readonly forbid?: unknown }).forbid;
  if (!Array.isArray(kept) || kept.some((one) => typeof one !== "string"))
    throw new TerminalError(`${file} has no rules: { "forbid": ["controller -> repository"] } is allowed`);
  return [...(kept as readonly string[]), ...forbid].map((text) => {
    const rule = parseRule(text);
    if (typeof rule === "string") throw new TerminalError(rule);
    return rule;
  });
}

function jsonIn(file: string, what: string): object {
  const text = textOf(file, what);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch (cause) {
    throw new TerminalError(`${file} is no JSON`, { cause });
  }
  throw new TerminalError(`${file} has no object`);
}

/** The content of a file, as a text, or as bytes if it is not text. */
function contentOf(file: string): string | Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(file, "-d");
  return isUtf8(bytes) ? bytes.toString() : new Uint8Array(bytes);
}

const textOf = (file: string, what: string): string => bytesOf(file, what).toString();

function bytesOf(file: string, what: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const code: unknown = cause instanceof Error ? Reflect.get(cause, "code") : undefined;
    throw new TerminalError(`${what} cannot be read: ${file} (${String(code)})`, { cause });
  }
}
