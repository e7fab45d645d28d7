/**
 * Match: whether and where a run matches a query.
 *
 *   terms ──▶ those about one call, together │ each other one alone ──▶ all found? ──▶ calls, leaves and parts to light
 *
 * A plain function of a document. The server runs it over ten thousand, the page over the one it draws.
 *
 * Spec: spec/search.md
 */
import type { SearchHit, SearchPart } from "../shapes.ts";
import { KEYS_END, OWNER_END, PART_END, type CallColumns, type RunDocument } from "./document.ts";
import type { Operator } from "./fields.ts";
import type { Query, Term } from "./query.ts";

/** Where a run matches: ids of calls and leaves, and parts of the run itself. */
export type Found = Pick<SearchHit, "calls" | "leaves" | "parts">;

/** A run as a hit. */
export function hitOf(document: RunDocument, found: Found): SearchHit {
  const { instance, sequence, kind, method, path, route, status, startedAt, durationUs, job } = document;
  const run = { instance, sequence, kind, method, path, route, status, startedAt, durationUs };
  return { ...run, ...(job === undefined ? {} : { job }), ...found };
}

/** Facts from outside of the run. */
export interface SearchContext {
  /** Correlation ids of the page that asks, for `is:mine`. Without them, a run that any page sent is mine. */
  readonly mine?: ReadonlySet<string> | undefined;
}

/** Searches a document. Undefined if the run does not match the query. */
export type Search = (document: RunDocument) => Found | undefined;

/** Prepares a query for many documents. */
export function searchOf(query: Query, context: SearchContext = {}): Search {
  const groups: Term[][] = [];
  const others: Term[] = [];
  for (const term of query.terms) {
    if (!isAboutCalls(term) || term.isNegated) others.push(term);
    else if (groups.length === 0 || (term.field?.name === "bean" && hasBean(groups.at(-1)))) groups.push([term]);
    else groups.at(-1)?.push(term);
  }
  const steps = [...others.map((term) => stepOf(term, context)), ...groups.map((terms) => groupStep(terms))];
  return (document) => {
    const marks = new Marks();
    for (const step of steps) if (!step(document, marks)) return undefined;
    return marks.found();
  };
}

const hasBean = (terms: readonly Term[] | undefined): boolean =>
  terms?.some(({ field }) => field?.name === "bean") === true;

const callFields: ReadonlySet<string | undefined> = new Set(["bean", "method", "arg", "result", "took"]);
const isAboutCalls = ({ field }: Term): boolean => callFields.has(field?.name);

/** Whether the condition holds. The places that match are marked. */
type Step = (document: RunDocument, marks: Marks) => boolean;

function stepOf(term: Term, context: SearchContext): Step {
  const ofCalls = isAboutCalls(term);
  const holds = ofCalls ? groupStep([term]) : positiveStep(term, context);
  const isTurned = ofCalls ? term.isNegated : term.isNegated !== (term.operator === "!=");
  return isTurned ? (document) => !holds(document, new Marks()) : holds;
}

function positiveStep(term: Term, context: SearchContext): Step {
  const { field } = term;
  if (field === undefined) return factStep(term, undefined);
  if (field.kind === "leaf") return factStep(term, field.name);
  if (field.kind === "mark") return factStep({ ...term, path: field.name }, "run");
  if (field.kind === "values" || field.name === "error") return factStep(term, field.name);
  const holds = columnTest(term, context);
  return (document, marks) => {
    if (!holds(document)) return false;
    marks.parts.add(field.name === "path" ? "path" : "run");
    return true;
  };
}

function columnTest(term: Term, { mine }: SearchContext): (document: RunDocument) => boolean {
  const isText = textTest(term);
  switch (term.field?.name) {
    case "status":
      return ({ status }) => statusHolds(term, status);
    case "dur":
      return ({ durationUs }) => compares(term.operator, durationUs, term.numbers[0]);
    case "path":
      return ({ path }) => isText(path);
    case "route":
      return ({ method, route }) => route !== null && (isText(route) || isText(`${method} ${route}`));
    case "id":
      return ({ id, correlationId, instance, sequence }) =>
        isText(id) || isText(`${instance}.${sequence}`) || (correlationId !== null && isText(correlationId));
    case "job":
      return ({ kind, path }) => kind === "job" && isText(path);
    case "attempt":
      return ({ job }) => job !== undefined && numberHolds(term, job.attempt);
    case "kind":
      return ({ kind }) => term.values.includes(kind);
    case "session":
      return ({ instance }) => term.values.some((value) => instance.startsWith(value));
    default:
      return (document) => term.values.some((word) => wordHolds(word, document, mine));
  }
}

/** A turn of `!=` is the caller's. */
const numberHolds = ({ operator, values, numbers }: Term, value: number): boolean =>
  /[<>]/.test(operator) ? compares(operator, value, numbers[0]) : values.includes(String(value));

function statusHolds(term: Term, status: number): boolean {
  const { operator, values } = term;
  if (/[<>]/.test(operator)) return numberHolds(term, status);
  return values.some((value) => (value.endsWith("xx") ? status.toString()[0] === value[0] : String(status) === value));
}

function wordHolds(word: string, document: RunDocument, mine: ReadonlySet<string> | undefined): boolean {
  const { correlationId, kind } = document;
  switch (word) {
    case "mine":
      return correlationId !== null && mine?.has(correlationId) !== false;
    case "failed":
    case "aborted":
    case "broken":
      return document[word];
    case "dead":
      return document.job?.outcome === "dead";
    case "unmatched":
      return kind === "request" && document.route === null;
    default:
      return kind === word;
  }
}

/** Whether one call meets all of them. Every such call is marked. */
function groupStep(terms: readonly Term[]): Step {
  const inFacts = terms.filter(({ field }) => field?.kind === "values");
  const isCall = terms.filter(({ field }) => field?.kind !== "values").map((term) => callTest(term));
  const [first] = terms;
  const mayBeRequest = terms.length === 1 && first?.field?.name === "method" && first.operator !== "!=";
  const asksRequest = mayBeRequest ? textTest(first) : undefined;
  return (document, marks) => {
    let calls = document.calls.filter((call) => isCall.every((test) => test(call)));
    for (const term of inFacts) {
      if (calls.length === 0) break;
      const owners = new Set(ownersOf(document, term));
      calls = calls.filter(({ id }) => owners.has(`c${id}`) !== (term.operator === "!="));
    }
    for (const { id } of calls) marks.calls.add(id);
    const isRequest = asksRequest?.(document.method) === true;
    if (isRequest) marks.parts.add("run");
    return isRequest || calls.length > 0;
  };
}

function callTest(term: Term): (call: CallColumns) => boolean {
  const isText = textTest(term);
  const isOther = term.operator === "!=";
  if (term.field?.name === "bean") return ({ bean, declaredBy }) => (isText(bean) || isText(declaredBy)) !== isOther;
  if (term.field?.name === "method") return ({ method }) => isText(method) !== isOther;
  return ({ durationUs }) => durationUs !== null && compares(term.operator, durationUs, term.numbers[0]);
}

/** Contains, or is, one of the values. */
function textTest({ operator, values }: Term): (text: string) => boolean {
  if (operator === ":") return (text) => values.some((value) => text.toLowerCase().includes(value));
  return (text) => values.includes(text.toLowerCase());
}

function compares(operator: Operator, number: number, than = Number.NaN): boolean {
  if (operator === ">") return number > than;
  if (operator === ">=") return number >= than;
  return operator === "<" ? number < than : number <= than;
}

/** Conditions on the text. @param part undefined for any part */
function factStep(term: Term, part: string | undefined): Step {
  return (document, marks) => {
    const owners = ownersOf(document, term, part);
    for (const owner of owners) marks.add(owner);
    return owners.length > 0;
  };
}

/** The owners that match: `c3`, `l2`, or a part of the run after a dot. */
function ownersOf(document: RunDocument, term: Term, part = term.field?.name): readonly string[] {
  const { text } = document;
  const found: string[] = [];
  for (const value of isComparison(term) ? [""] : term.values) {
    const needle = needleOf(term, value);
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at)) {
      const line = readLine(text, at);
      if (isIn(line, part, term, value)) found.push(ownerOf(line));
      at = line.end;
    }
  }
  return found;
}

const isComparison = ({ operator }: Term): boolean => operator.startsWith("<") || operator.startsWith(">");

/** The certain part of a line, to be searched in the whole text. */
function needleOf(term: Term, value: string): string {
  const keys = term.path === "" ? "" : `.${term.path}${KEYS_END}`;
  if (isComparison(term)) return keys || KEYS_END;
  if (term.operator === ":") return value || keys || KEYS_END;
  return `${keys || KEYS_END}${value}\n`;
}

interface Line {
  readonly owner: string;
  readonly part: string;
  readonly keys: string;
  readonly value: string;
  readonly end: number;
}

function readLine(text: string, at: number): Line {
  const start = text.lastIndexOf("\n", at) + 1;
  const end = text.indexOf("\n", at);
  const [ownerEnd, partEnd, keysEnd] = [OWNER_END, PART_END, KEYS_END].map((mark) => text.indexOf(mark, start));
  return {
    owner: text.slice(start, ownerEnd),
    part: text.slice((ownerEnd ?? 0) + 1, partEnd),
    keys: text.slice((partEnd ?? 0) + 1, keysEnd),
    value: text.slice((keysEnd ?? 0) + 1, end),
    end,
  };
}

function isIn(line: Line, part: string | undefined, term: Term, value: string): boolean {
  if (part === undefined) return line.value.includes(value) || (/[a-z]/.test(value) && line.keys.includes(value));
  if (part === "leaf" ? !line.owner.startsWith("l") || line.part === "error" : line.part !== part) return false;
  if (term.path !== "" && !line.keys.endsWith(`.${term.path}`)) return false;
  if (isComparison(term)) return compares(term.operator, numberIn(line.value), term.numbers[0]);
  return term.operator === ":" ? line.value.includes(value) : line.value === value;
}

const numberIn = (text: string): number => (text === "" ? Number.NaN : Number(text));

const ownerOf = ({ owner, part }: Line): string => (owner === "" ? `.${part}` : owner);

class Marks {
  readonly calls: Set<number> = new Set();
  readonly leaves: Set<number> = new Set();
  readonly parts: Set<SearchPart> = new Set();

  add(owner: string): void {
    const kind = owner[0];
    if (kind === ".") this.parts.add(owner.slice(1) as SearchPart);
    else (kind === "c" ? this.calls : this.leaves).add(Number(owner.slice(1)));
  }

  found(): Found {
    const inOrder = (ids: ReadonlySet<number>): number[] => [...ids].toSorted((a, b) => a - b);
    return { calls: inOrder(this.calls), leaves: inOrder(this.leaves), parts: [...this.parts].toSorted() };
  }
}
