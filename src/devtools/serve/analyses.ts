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
import { analyses, type Answers, type Questions, type SentRun } from "../run/analyses.ts";
import { messageOf } from "../run/format.ts";
import { fits, isTrace, orNull, record, type Shape } from "../run/search/kept-trace.ts";
import type { Trace } from "../run/shapes.ts";
import { isText, jsonOf } from "../run/values.ts";
import { apiPath } from "../run/wire.ts";
import { onlyPost, problem, sendJson, sendProblem, type EndpointAt } from "./endpoints.ts";

/** The most bytes of a request. */
const maxBytes = 33_554_432;
/** The most runs that a request names. */
const maxRuns = 500;

const run: Shape = (value) => isText(value) || isTrace(value);

/** The form of each question. */
const forms: { readonly [K in keyof Questions]: Readonly<Record<keyof Questions[K], Shape>> } = {
  why: { run, own: orNull(run), good: orNull(run), others: [run] },
  share: { set: [run], rest: [run], without: [""], commits: record("") },
  compare: { a: run, b: run },
  forms: { run, name: "", services: record("") },
  file: { text: "" },
};
const isName = (name: string): name is keyof Questions => Object.hasOwn(forms, name);

/** The endpoint of all analyses. */
export const analysesOf = (kept: KeptRuns): EndpointAt => [
  apiPath("analyses/"),
  (ctx, name) => (isName(name) ? serve(ctx, name, kept) : problem(ctx, 404, "Not Found", "there is no such analysis")),
];

async function serve<K extends keyof Questions>(ctx: Context, name: K, kept: KeptRuns): Promise<void> {
  if (!onlyPost(ctx)) return;
  if (!/^application\/json\s*(?:;|$)/i.test(ctx.header("content-type") ?? ""))
    return problem(ctx, 415, "Unsupported Media Type", "a question is application/json");
  let text: string;
  try {
    text = new TextDecoder().decode(await ctx.bodyAsBytes({ maxBytes }));
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return problem(ctx, error.status, STATUS_CODES[error.status] ?? "Bad Request", error.message);
  }
  const question = jsonOf(text);
  if (!isQuestion(name, question)) return problem(ctx, 400, "Bad Request", `this is no question for ${name}`);
  const runs = new Runs(kept);
  const whole = await runs.inPlaceOfKeys<K>(question);
  if (runs.count > maxRuns) return problem(ctx, 400, "Bad Request", `more than ${maxRuns} runs`);
  if (runs.missing.length > 0) {
    const detail = "a run is not held";
    return sendProblem(ctx, { type: "about:blank", title: "Not Found", status: 404, detail, missing: runs.missing });
  }
  let answer: Answers[K];
  try {
    answer = analyses[name](whole);
  } catch (error) {
    return problem(ctx, 400, "Bad Request", messageOf(error));
  }
  sendJson(ctx, JSON.stringify(answer));
}

const isQuestion = <K extends keyof Questions>(name: K, value: unknown): value is Questions[K] =>
  fits(value, forms[name]);

/** The runs of one question. */
class Runs {
  readonly #kept: KeptRuns;
  /** The keys of those that are not held. */
  readonly missing: string[] = [];
  count = 0;

  constructor(kept: KeptRuns) {
    this.#kept = kept;
  }

  /** The question with whole runs. */
  async inPlaceOfKeys<K extends keyof Questions>(question: Questions[K]): Promise<Questions<Trace>[K]> {
    const members = Object.entries(question).map(async ([name, value]) => [name, await this.#member(name, value)]);
    return Object.fromEntries(await Promise.all(members)) as Questions<Trace>[K];
  }

  async #member(name: string, value: unknown): Promise<unknown> {
    if (!ofRuns.has(name) || value === null) return value;
    if (!Array.isArray(value)) return this.#read(value as SentRun);
    const runs: (Trace | undefined)[] = [];
    for (const one of value as readonly SentRun[]) runs.push(await this.#read(one));
    return runs;
  }

  async #read(sent: SentRun): Promise<Trace | undefined> {
    this.count += 1;
    if (this.count > maxRuns || typeof sent !== "string") return typeof sent === "string" ? undefined : sent;
    const text = await this.#kept.textOf(sent);
    if (text !== undefined) return JSON.parse(text) as Trace;
    this.missing.push(sent);
    return undefined;
  }
}

/** The members that are runs. */
const ofRuns: ReadonlySet<string> = new Set(["run", "own", "good", "others", "set", "rest", "a", "b"]);
