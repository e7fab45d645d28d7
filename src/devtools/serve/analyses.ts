/**
 * Analyses: explanations, comparisons and other forms of runs, which the page requests so that it needs no code for them.
 *
 *   POST …/api/analyses/{name} ──▶ guard ──▶ JSON of the analysis' form ──▶ keys become runs ──▶ run/analyses.ts ──▶ JSON
 *          404, 405, 415                     400, 413                        404 with the missing keys
 *
 * Nothing is changed and nothing kept. The bound of a body is not the application's, since a run may be longer than a request.
 *
 * Spec: spec/devtools.md
 */
import { STATUS_CODES } from "node:http";
import { HttpError, type Context } from "framework";
import type { KeptRuns } from "../keep/kept-runs.ts";
import { analyses, type Questions } from "../run/analyses.ts";
import { messageOf } from "../run/format.ts";
import { fits, isTrace, orNull, record, type Shape } from "../run/search/kept-trace.ts";
import type { TaggedValue, Trace } from "../run/shapes.ts";
import { isText, jsonOf } from "../run/values.ts";
import { apiPath } from "../run/wire.ts";
import { isJson, onlyPost, problem, sendJson, sendProblem, type EndpointAt } from "./endpoints.ts";

/** The most bytes of a request. */
const maxBytes = 33_554_432;
/** The most runs that a request names. */
const maxRuns = 500;
/** The most characters of runs that stay parsed. */
const maxKept = 16_777_216;

const run: Shape = (value) => isText(value) || isTrace(value);

/** The form of each question. */
const forms: { readonly [K in keyof Questions]: Readonly<Record<keyof Questions[K], Shape>> } = {
  why: { run, own: orNull(run), good: orNull(run), others: [run] },
  share: { set: [run], rest: [run], without: [""], commits: record("") },
  search: { q: "", runs: [run], mine: [""] },
  syntax: {},
  compare: { a: run, b: run },
  forms: { run, name: "", services: record("") },
  file: { text: "" },
};
const isName = (name: string): name is keyof Questions => Object.hasOwn(forms, name);

/** The endpoint of all analyses. */
export function analysesOf(kept: KeptRuns): EndpointAt {
  const held = new HeldRuns(kept);
  return [
    apiPath("analyses/"),
    (ctx, name) =>
      isName(name) ? serve(ctx, name, held) : problem(ctx, 404, "Not Found", "there is no such analysis"),
  ];
}

async function serve<K extends keyof Questions>(ctx: Context, name: K, held: HeldRuns): Promise<void> {
  if (!onlyPost(ctx)) return;
  if (!isJson(ctx)) return problem(ctx, 415, "Unsupported Media Type", "a question is application/json");
  let text: string;
  try {
    text = new TextDecoder().decode(await ctx.bodyAsBytes({ maxBytes }));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return problem(ctx, error.status, STATUS_CODES[error.status] ?? "Bad Request", error.message);
  }
  const question = jsonOf(text);
  if (!isQuestion(name, question)) return problem(ctx, 400, "Bad Request", `this is no question for ${name}`);
  const runs = keysIn(question);
  if (runs.length > maxRuns) return problem(ctx, 400, "Bad Request", `more than ${maxRuns} runs`);
  const known = new Map<string, Trace>();
  const missing: string[] = [];
  for (const key of new Set(runs)) {
    const found = await held.read(key);
    if (found === undefined) missing.push(key);
    else known.set(key, found);
  }
  if (missing.length > 0) {
    const detail = "a run is not held";
    return sendProblem(ctx, { type: "about:blank", title: "Not Found", status: 404, detail, missing });
  }
  let answer: string;
  try {
    // A value of a hand-written run may be nested more deeply than the stack is.
    answer = JSON.stringify(analyses[name](withRuns<K>(question, known)));
  } catch (error) {
    return problem(ctx, 400, "Bad Request", messageOf(error));
  }
  sendJson(ctx, answer);
}

const isQuestion = <K extends keyof Questions>(name: K, value: unknown): value is Questions[K] =>
  fits(value, forms[name]);

/** The members that are runs. */
const ofRuns: ReadonlySet<string> = new Set(["run", "own", "good", "others", "set", "rest", "runs", "a", "b"]);

/** The keys of the runs in a question. */
const keysIn = (question: object): readonly string[] =>
  Object.entries(question).flatMap(([name, value]) => (ofRuns.has(name) ? [value].flat().filter(isText) : []));

/** The question with whole runs in place of keys. */
function withRuns<K extends keyof Questions>(
  question: Questions[K],
  known: ReadonlyMap<string, Trace>,
): Questions<Trace>[K] {
  const whole = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(whole) : isText(value) ? known.get(value) : value;
  const members = Object.entries(question).map(([name, value]) => [name, ofRuns.has(name) ? whole(value) : value]);
  return Object.fromEntries(members) as Questions<Trace>[K];
}

/** The kept runs, of which the last ones that were asked about stay parsed. */
class HeldRuns {
  readonly #kept: KeptRuns;
  readonly #parsed = new Map<string, { readonly trace: Trace; readonly chars: number }>();
  #chars = 0;

  constructor(kept: KeptRuns) {
    this.#kept = kept;
  }

  /** Undefined as well if its values were evicted, which the page may still have. */
  async read(key: string): Promise<Trace | undefined> {
    const known = this.#parsed.get(key);
    if (known !== undefined) return known.trace;
    const text = await this.#kept.textOf(key);
    if (text === undefined || text.includes(evicted)) return undefined;
    const trace = JSON.parse(text) as Trace;
    this.#parsed.set(key, { trace, chars: text.length });
    this.#chars += text.length;
    for (const [oldest, { chars }] of this.#parsed) {
      if (this.#chars <= maxKept) break;
      this.#parsed.delete(oldest);
      this.#chars -= chars;
    }
    return trace;
  }
}

const evicted = JSON.stringify({ $evicted: true } satisfies TaggedValue);
