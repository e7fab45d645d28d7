/**
 * Analyses: what the page asks the application's devtools about runs, which it therefore needs no code for. Pure.
 *
 *   page ──▶ POST …/api/analyses/{name}, with the keys of runs or whole runs ──▶ the same functions as the terminal and agents have
 *
 * The page loads these types alone, the functions run on the server.
 *
 * Spec: spec/devtools.md
 */
import { differencesOf, type Differences } from "./compare/differences.ts";
import type { FactKind } from "./explain/facts.ts";
import { whatTheyShare, type Shared } from "./explain/share.ts";
import { whyOf, type Why } from "./explain/why.ts";
import { traceKey } from "./format.ts";
import { isSpanFile, SpanFile } from "./otlp/span-file.ts";
import { otlpText } from "./otlp/write.ts";
import { runReport } from "./report.ts";
import { parseRun } from "./read-run.ts";
import type { SavedRun } from "./run-file.ts";
import { documentOf, type RunDocument } from "./search/document.ts";
import { fields, type Field } from "./search/fields.ts";
import { searchOf, type Found } from "./search/match.ts";
import { parseQuery } from "./search/query.ts";
import type { SearchIssue, ServiceRun, Trace } from "./shapes.ts";

/** A run in a request: its key, or all of it if devtools may not hold it. */
export type SentRun = string | Trace;

/** What is asked, by the name of the analysis. */
export interface Questions<R = SentRun> {
  /** Explains a run, compared with one that worked and with those at the same time. */
  readonly why: {
    /** With its parts in other services. */
    readonly run: R;
    /** The part in this application, if there are others. */
    readonly own: R | null;
    readonly good: R | null;
    readonly others: readonly R[];
  };
  /** What sets some runs apart from the rest. */
  readonly share: {
    readonly set: readonly R[];
    readonly rest: readonly R[];
    /** The kinds of facts that say nothing. */
    readonly without: readonly FactKind[];
    /** The commits of processes. */
    readonly commits: Readonly<Record<string, string>>;
  };
  /** Searches runs. */
  readonly search: {
    readonly q: string;
    readonly runs: readonly R[];
    /** The correlation ids of the page, for `is:mine`. */
    readonly mine: readonly string[];
  };
  /** The fields of a search. */
  readonly syntax: Readonly<Record<string, never>>;
  /** What differs between two runs. */
  readonly compare: { readonly a: R; readonly b: R };
  /** The other forms of a run. */
  readonly forms: {
    readonly run: R;
    /** The name of the application. */
    readonly name: string;
    /** The services of beans that are not the application's own. */
    readonly services: Readonly<Record<string, string>>;
  };
  /** Reads a saved run or a file of spans. */
  readonly file: { readonly text: string };
}

/** The results. */
export interface Answers {
  readonly why: Why;
  readonly share: Shared;
  readonly search: Searched;
  readonly syntax: readonly Pick<Field, "name" | "help" | "example">[];
  readonly compare: Differences;
  readonly forms: { readonly markdown: string; readonly otlp: string };
  readonly file: OpenedFile;
}

/** What a search found. */
export interface Searched {
  /** The mistakes in the text; then nothing was searched. */
  readonly issues: readonly SearchIssue[];
  /** Where each run was found, by its key; null if the text says nothing. */
  readonly found: Readonly<Record<string, Found>> | null;
}

/** What a file has. */
export interface OpenedFile {
  readonly runs: readonly SavedRun[];
  /** The runs of other services that they led to, by the ids that leaves refer to. */
  readonly behind: Readonly<Record<string, ServiceRun>>;
  /** How many runs are left out. */
  readonly leftOut: number;
}

/** Each analysis. `file` throws an Error with a sentence. */
export const analyses: { readonly [K in keyof Answers]: (question: Questions<Trace>[K]) => Answers[K] } = {
  why: ({ run, own, good, others }) => whyOf(run, good ?? undefined, others, own ?? run),
  share: ({ set, rest, without, commits }) => {
    const known = new Map(Object.entries(commits));
    return whatTheyShare(set, rest, { without: new Set(without), commitOf: (instance) => known.get(instance) });
  },
  search: ({ q, runs, mine }) => {
    const { query, issues } = parseQuery(q);
    if (issues !== undefined || query.terms.length === 0) return { issues: issues ?? [], found: null };
    const search = searchOf(query, { mine: new Set(mine) });
    const found = runs.flatMap((run) => {
      const where = search(documentFor(run));
      return where === undefined ? [] : [[traceKey(run), where] as const];
    });
    return { issues: [], found: Object.fromEntries(found) };
  },
  syntax: () => fields.map(({ name, help, example }) => ({ name, help, example })),
  compare: ({ a, b }) => differencesOf(a, b),
  forms: ({ run, name, services }) => {
    const known = new Map(Object.entries(services));
    return { markdown: runReport(run), otlp: otlpText(run, { name, serviceOf: (bean) => known.get(bean) }) };
  },
  file: ({ text }) => {
    if (!isSpanFile(text)) return { runs: [parseRun(text)], behind: {}, leftOut: 0 };
    const file = new SpanFile(text);
    const runs = file.runs.map(({ name, trace, graph }) => ({ trace, graph, entries: [name] }));
    return { runs, behind: file.behind, leftOut: file.leftOut };
  },
};

/** The document of each run that was searched; the next letter of a text searches it again. */
const documents = new WeakMap<Trace, RunDocument>();

function documentFor(run: Trace): RunDocument {
  const known = documents.get(run) ?? documentOf(run);
  documents.set(run, known);
  return known;
}
