/**
 * Runs vectors: each is a case like the others, so that probe, report, self-test and command line serve it too.
 *
 *   Vector ──▶ Case ──▶ send each step ──▶ status, headers, body ──▶ Violation, or none
 */
import { requirements, type Requirement } from "../../spec/requirements.ts";
import { shapes, type Shape } from "../faults/documents.ts";
import { valuesAt } from "../faults/fields.ts";
import { holdersOf, parsed } from "../faults/of-shapes.ts";
import type { Case } from "../kit/case.ts";
import type { Exchange } from "../kit/exchange.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";
import { misfit } from "../kit/shape.ts";
import { Violation, wasClosed } from "../kit/violation.ts";
import { misfitOf } from "./misfit.ts";
import { bodyTextOf, valueAt } from "./pointer.ts";
import type { Saved, Step, Vector, VectorRequest } from "./vector.ts";

/** What a mark stands for, by its name. */
type Words = Map<string, unknown>;

/** The vector as a case. */
export function caseOf({ id, title, profile, features, steps, afterwards }: Vector): Case {
  const { schema }: Requirement = requirements[id];
  const shape = shapes.find(({ name }) => name === schema);
  const run = async (probe: Probe): Promise<void> => {
    const { origin, host } = probe.base;
    const words: Words = new Map(Object.entries({ token: probe.token(), origin, host }));
    const seen: HttpResponse[] = [];
    try {
      for (const [at, step] of steps.entries()) {
        const problem = await runStep(probe, filled(step, words) as Step, seen, words);
        const { method, target } = step.request;
        const last = probe.exchanges.at(-1);
        const found = problem ?? (shape && last && misfitOfShape(shape, last));
        if (found !== undefined) throw new Violation(`step ${at + 1}, ${method} ${target.slice(0, 80)}: ${found}`);
        probe.passed();
      }
    } finally {
      for (const request of afterwards) await sendStep(probe, request);
    }
  };
  return { id, title, profile, features, run };
}

/** What the response lacks of the shape, where it holds it. */
function misfitOfShape(shape: Shape, exchange: Exchange): string | undefined {
  const values = holdersOf(shape, exchange).flatMap(({ at }) => valuesAt(parsed(exchange), at));
  const [problem] = values.flatMap((value) => misfit(shape.schema, value) ?? []);
  return problem === undefined ? undefined : `the body does not fit ${shape.name}: ${problem}`;
}

/** The value with what its marks stand for; a text that is one mark alone becomes the value itself. */
function filled(value: unknown, words: Words): unknown {
  if (typeof value === "string") return filledText(value, words);
  if (Array.isArray(value)) return value.map((one) => filled(one, words));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => [String(filledText(name, words)), filled(one, words)]);
  return Object.fromEntries(entries) as unknown;
}

function filledText(text: string, words: Words): unknown {
  const [, alone = ""] = /^\{\{(\w+)\}\}$/.exec(text) ?? [];
  if (words.has(alone)) return words.get(alone);
  return text.replaceAll(/\{\{(?:x\*(\d+)|(\w+))\}\}/g, (mark, count: string | undefined, name: string) =>
    count === undefined ? String(words.get(name) ?? mark) : "x".repeat(Number(count)),
  );
}

/** Sends a step and says what is not as expected; its response is added to those seen, what it saves to the words. */
async function runStep(
  probe: Probe,
  { request, until, expect, save = {} }: Step,
  seen: HttpResponse[],
  words: Words,
): Promise<string | undefined> {
  if (expect?.cut === true) return (await isCut(probe, request)) ? undefined : "the response came whole";
  const began = performance.now();
  const sentOnce = async (): Promise<HttpResponse | undefined> => {
    const response = await sendStep(probe, request);
    return until === undefined || misfitOf(until, response, seen) === undefined ? response : undefined;
  };
  const response = await probe.eventually(`what GET ${request.target} waits for`, sentOnce);
  const seconds = (performance.now() - began) / 1_000;
  const problem = expect === undefined ? undefined : misfitOf(expect, response, seen);
  seen.push(response);
  if (problem !== undefined) return problem;
  for (const [name, saved] of Object.entries(save)) {
    const value = savedOf(saved, response);
    if (value === undefined) return `it has nothing to save as ${name}`;
    words.set(name, value);
  }
  if (expect?.within === undefined || seconds <= expect.within) return undefined;
  return `it took ${seconds.toFixed(1)} seconds, expected ${expect.within}`;
}

function savedOf(saved: Saved, response: HttpResponse): unknown {
  if ("at" in saved) return valueAt(response, saved.at);
  const [text, part = ""] =
    "body" in saved ? [bodyTextOf(response), saved.body] : [response.header(saved.header), saved.part];
  const found = new RegExp(part).exec(text ?? "");
  return text === undefined || found === null ? undefined : (found[1] ?? text);
}

async function sendStep(probe: Probe, request: VectorRequest): Promise<HttpResponse> {
  const { method, target, headers = {}, chunked = false } = request;
  const isUnusual = ["host", "content-type"].some((name) => typeof (headers[name] ?? "") !== "string");
  if (isUnusual || "upgrade" in headers) return sendLines(probe, request);
  const body = bodyOf(request);
  const framing = chunked && probe.speaksHttp1 ? { "transfer-encoding": "chunked" } : {};
  return probe.send(method, target, { headers: { ...headers, ...framing }, ...(body && { body }) });
}

/** Sends lines that no client sends: one name twice, a Host of any form, none, or an upgrade. */
async function sendLines(probe: Probe, request: VectorRequest): Promise<HttpResponse> {
  const { method, target, headers = {} } = request;
  const body = bodyOf(request) ?? Buffer.alloc(0);
  const length = body.length === 0 ? {} : { "content-length": String(body.length) };
  const all = { host: probe.base.host, connection: "close", ...headers, ...length };
  const lines = Object.entries(all).flatMap(([name, value]) => [value].flat().map((line) => `${name}: ${line}\r\n`));
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`, "latin1");
  const { responses } = await probe.raw(Buffer.concat([head, body]), { responses: 1 });
  const [response] = responses;
  if (response === undefined) throw new Violation(`${method} ${target}: there was no response`);
  return response;
}

function bodyOf({ body, base64 }: VectorRequest): Buffer | undefined {
  if (base64 !== undefined) return Buffer.from(base64, "base64");
  return body === undefined ? undefined : Buffer.from(body);
}

/** Was it closed before it was whole? A platform that gathers the first bytes may not have sent the head by then. */
async function isCut(probe: Probe, { method, target }: VectorRequest): Promise<boolean> {
  try {
    return !(await probe.sendToEnd(method, target)).whole;
  } catch (error) {
    if (wasClosed(error)) return true;
    throw error;
  }
}
