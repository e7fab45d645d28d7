/** Traces in vectors: a request with a mark of its own, and the list of traces once the request's is there. */
import { asJson, requestsPath } from "../kit/devtools.ts";
import {
  step,
  type BodyPartExpectation,
  type Expectation,
  type Step,
  type StepOptions,
  type ValueExpectation,
  type VectorContent,
} from "./vector.ts";

/** What goes with a request whose trace is asked for, and what is expected of both. */
export interface TracedOptions extends Pick<StepOptions, "save"> {
  readonly content?: VectorContent;
  readonly expect?: Expectation;
  /** What the request is known by, where a vector has several. */
  readonly mark?: string;
  /** Of the list of traces, beside what is expected of this one. */
  readonly list?: readonly BodyPartExpectation[];
  /** What is saved of the trace, by its pointer. */
  readonly saveTrace?: Readonly<Record<string, string>>;
}

/** Where the trace of that mark stands in the list. */
export const traceOf = (mark = "a"): string => `/[correlationId={{token}}-${mark}]`;

/** Sends a request and waits for its trace, of which these things are true, by their pointers. */
export function traced(
  method: string,
  target: string,
  at: Readonly<Record<string, ValueExpectation>>,
  { content = {}, expect, mark = "a", list = [], save, saveTrace = {} }: TracedOptions = {},
): readonly Step[] {
  const trace = traceOf(mark);
  const headers = { ...content.headers, "x-framework-dev": `{{token}}-${mark}` };
  const mine: BodyPartExpectation = {
    at: Object.fromEntries(Object.entries(at).map(([pointer, value]) => [`${trace}${pointer}`, value])),
  };
  const saved = Object.fromEntries(
    Object.entries(saveTrace).map(([name, pointer]) => [name, { at: `${trace}${pointer}` }]),
  );
  return [
    step(method, target, expect, { ...content, headers }, save && { save }),
    step(
      "GET",
      requestsPath,
      { body: list.length === 0 ? mine : [mine, ...list] },
      {},
      { until: { body: { at: { [trace]: { present: true } } } }, save: saved },
    ),
  ];
}

/** What is read as JSON of devtools. */
export const read = (target: string, at: Readonly<Record<string, ValueExpectation>>): Step =>
  step("GET", target, { status: 200, body: { at: { ...at } } }, { headers: { ...asJson } });

/** What is true of the trace of that mark, which is there. */
export const again = (at: Readonly<Record<string, ValueExpectation>>, mark = "a"): Step =>
  step("GET", requestsPath, {
    body: { at: Object.fromEntries(Object.entries(at).map(([name, one]) => [`${traceOf(mark)}${name}`, one])) },
  });

/** A name as a step of a pointer. */
export const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
