/**
 * Error values: where the values in the message of an error came from. Pure.
 *
 *   RangeError: no stock for p-7, thrown in Stock.take("p-7")  ──▶  "p-7" first was in the request, params.id
 */
import { occurrencesOf, type OriginPart } from "../origin.ts";
import type { Json, Trace } from "../shapes.ts";
import { finding, nameOf, short, type Finding } from "./findings.ts";
import { throwerOf } from "./thrower.ts";

/** The most origins of values that are named. */
const MOST_ORIGINS = 2;

/** The values in the message of the error that were given to the call that threw, and where each came from. */
export function errorValueFindings(trace: Trace): readonly Finding[] {
  const began = throwerOf(trace);
  if (began === null || trace.error === null) return [];
  const { message } = trace.error;
  const given = scalarsOf([...began.args]).filter((value) => hasWord(message, value));
  return [...new Set(given)].slice(0, MOST_ORIGINS).flatMap((value) => {
    const places = occurrencesOf(trace, value).filter(({ part }) => part !== "error");
    // The path has its parameters too, and their names say more.
    const first = places.find(({ part, path }) => part !== "request" || path !== "$.path") ?? places[0];
    if (first === undefined || first.call === began) return [];
    const of = first.call === null ? "" : ` of ${nameOf(first.call)}`;
    const what = `${short(value)}, which ${nameOf(began)} was given and names in its error, first was in ${PARTS[first.part]}${of}`;
    const place = first.path.replace(/^\$\.?/, "");
    return [finding("origin", what, { call: first.call, leafId: first.leaf?.id ?? null, detail: place })];
  });
}

const PARTS: Readonly<Record<OriginPart, string>> = {
  request: "the request",
  argument: "an argument",
  statement: "a statement",
  rows: "the rows",
  leaf: "an operation",
  result: "the result",
  error: "the error",
  response: "the response",
};

/** Whether the text has the value as a word of its own. */
const hasWord = (text: string, value: string): boolean =>
  value.length > 1 && ` ${text.replace(/[^\p{L}\p{N}_-]+/gu, " ")} `.includes(` ${value} `);

/** The texts and numbers in a value, as texts. */
function scalarsOf(value: Json): readonly string[] {
  if (typeof value === "object" && value !== null)
    return Object.values(value).flatMap((inner: Json) => scalarsOf(inner));
  return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
}
