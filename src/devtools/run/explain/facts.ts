/**
 * Facts: what can be said about a run that may set it apart from others. Pure, and bounded for any run.
 *
 *   run ──▶ its route, status, process and commit · values of the request · beans and methods · values that methods got and
 *           returned, by path · what they threw · statements by shape · other services · log lines by shape
 */
import type { Json, Leaf, Trace } from "../shapes.ts";
import { leafText } from "../spent.ts";
import { shapeOf } from "../statements.ts";
import { isList, isObject, textOf } from "../values.ts";

/** The kinds of facts, causes before effects. */
export const FACT_KINDS = [
  "route",
  "request",
  "commit",
  "instance",
  "argument",
  "statement",
  "operation",
  "bean",
  "result",
  "error",
  "log",
  "status",
] as const;

/** The kind of a fact. */
export type FactKind = (typeof FACT_KINDS)[number];

/** One fact, which several runs can have. */
export interface Fact {
  readonly kind: FactKind;
  /** The fact as a short sentence; equal for equal facts. */
  readonly text: string;
}

/** How many facts one run has at most. */
const MOST_FACTS = 2_000;
/** How many values of one argument, result or body are looked at. */
const MOST_VALUES = 60;
const MOST_DEPTH = 6;
/** A longer text says little about what runs share. */
const MOST_CHARS = 80;

/** Headers that differ in each request, or that describe the transport. */
const OF_EACH: ReadonlySet<string> = new Set([
  "content-length",
  "date",
  "host",
  "connection",
  "traceparent",
  "tracestate",
  "x-request-id",
  "x-framework-dev",
  "etag",
  "if-none-match",
]);

/** The facts of a run, each once. @param commitOf the commit of a process, if it is known */
export function factsOf(trace: Trace, commitOf?: (instance: string) => string | undefined): readonly Fact[] {
  const facts = new Map<string, Fact>();
  const add = (kind: FactKind, text: string): void => {
    if (facts.size < MOST_FACTS && !facts.has(text)) facts.set(text, { kind, text });
  };
  add("route", `the route is ${trace.method} ${trace.route ?? "none"}`);
  add("status", `the status is ${trace.status}`);
  if (trace.aborted) add("status", "the client left");
  add("instance", `the process is ${trace.instance}`);
  const commit = commitOf?.(trace.instance);
  if (commit !== undefined) add("commit", `the commit is ${commit}`);
  requestFacts(trace, add);
  for (const issue of trace.contractIssues ?? [])
    add("result", `the response breaks the contract at ${issue.pointer || "its root"}`);
  if (trace.error !== null) add("error", `the run fails with ${trace.error.name}`);
  callFacts(trace, add);
  leafFacts(trace.leaves, add);
  return [...facts.values()];
}

type Add = (kind: FactKind, text: string) => void;

function requestFacts({ request: { pathParams, query, headers, body } }: Trace, add: Add): void {
  for (const [path, value] of scalarsIn({ params: pathParams, query, body }))
    add("request", `${path} of the request ${value}`);
  for (const [name, values] of Object.entries(headers))
    if (!OF_EACH.has(name)) add("request", `the header ${name} is ${shortened(values.join(", "))}`);
}

function callFacts({ calls }: Trace, add: Add): void {
  for (const { bean, method, args, params, result, error, durationUs } of calls) {
    const name = `${bean}.${method}`;
    add("bean", `${bean} is called`);
    add("bean", `${name} is called`);
    for (const [at, value] of args.entries())
      for (const [path, said] of scalarsIn(value, params?.[at] || `args[${at}]`))
        add("argument", `${path} of ${name} ${said}`);
    if (error !== null) add("error", `${name} throws ${error.name}: ${withoutNumbers(error.message)}`);
    else if (durationUs !== null)
      for (const [path, said] of scalarsIn(result, "the result")) add("result", `${path} of ${name} ${said}`);
  }
}

function leafFacts(leaves: readonly Leaf[], add: Add): void {
  const times = new Map<string, number>();
  for (const leaf of leaves) {
    const [kind, text] = leafFact(leaf);
    add(kind, text);
    const count = (times.get(text) ?? 0) + 1;
    times.set(text, count);
    // A statement in a loop is sent in every run, but in some of them often.
    if (count === 10 && leaf.kind !== "log") add(kind, `${text}, ten times or more`);
    if (leaf.error !== null)
      add("error", `${text} fails with ${leaf.error.name}: ${withoutNumbers(leaf.error.message)}`);
    if (leaf.kind === "http" && leaf.detail.status !== null) add("operation", `${text} and gets ${leaf.detail.status}`);
    if (leaf.kind === "cache" && leaf.detail.hit !== null)
      add("operation", `${text}, a ${leaf.detail.hit ? "hit" : "miss"}`);
  }
}

function leafFact(leaf: Leaf): readonly [FactKind, string] {
  if (leaf.kind === "sql") return ["statement", `it sends ${shortened(shapeOf(leaf.detail.statement), 160)}`];
  if (leaf.kind === "log") return ["log", `it logs ${leaf.detail.level}: ${withoutNumbers(leaf.detail.message)}`];
  return ["operation", `it does ${leaf.kind} ${withoutNumbers(leafText(leaf))}`];
}

/** The scalars in a value, each with its path and what is said of it. Lists say their length, too. */
function scalarsIn(value: Json, path = ""): readonly (readonly [path: string, said: string])[] {
  const found: (readonly [string, string])[] = [];
  const look = (at: Json, where: string, depth: number): void => {
    if (found.length >= MOST_VALUES) return;
    if (isList(at)) {
      found.push([
        where,
        at.length === 0 ? "is empty" : at.length >= 10 ? "has ten items or more" : "has fewer than ten items",
      ]);
      // The place in a list says nothing that other lists have too.
      for (const item of at.slice(0, 10)) if (depth < MOST_DEPTH) look(item, `${where}[]`, depth + 1);
      return;
    }
    if (!isObject(at)) return void found.push([where, `is ${shortened(textOf(at))}`]);
    if (at["$undefined"] === true) return void found.push([where, "is undefined"]);
    for (const [key, inner] of Object.entries(at))
      if (depth < MOST_DEPTH && inner !== undefined) look(inner, where === "" ? key : `${where}.${key}`, depth + 1);
  };
  look(value, path, 0);
  return found;
}

const shortened = (text: string, chars = MOST_CHARS): string =>
  text.length > chars ? `${text.slice(0, chars)}…` : text;

/** A text without numbers and ids, which is equal for log lines of one place in the code. */
const withoutNumbers = (text: string): string =>
  shortened(
    text.replace(/[\w-]+/g, (word) => (/\d/.test(word) ? "#" : word)),
    120,
  );
