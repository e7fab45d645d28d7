/**
 * Runs vectors: each is a case like the others, so that probe, report, self-test and command line serve it too.
 *
 *   Vector ──▶ Case ──▶ send each step ──▶ status, headers, body ──▶ Violation, or none
 */
import { isDeepStrictEqual } from "node:util";
import type { Case } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";
import { parseList } from "../kit/structured-list.ts";
import { Violation, wasClosed } from "../kit/violation.ts";
import type {
  BodyExpectation,
  Expectation,
  HeaderExpectation,
  HeaderValueExpectation,
  Step,
  Vector,
  VectorRequest,
} from "./vector.ts";

/** The vector as a case. */
export function caseOf({ id, title, profile, features, steps, afterwards }: Vector): Case {
  const run = async (probe: Probe): Promise<void> => {
    const seen: HttpResponse[] = [];
    try {
      for (const [at, step] of filled(steps, probe.token()).entries()) {
        const problem = await runStep(probe, step, seen);
        const { method, target } = step.request;
        if (problem !== undefined) throw new Violation(`step ${at + 1}, ${method} ${target.slice(0, 80)}: ${problem}`);
      }
    } finally {
      for (const request of afterwards) await sendStep(probe, request);
    }
  };
  return { id, title, profile, features, run };
}

/** The steps with what their marks stand for. */
function filled(steps: readonly Step[], token: string): readonly Step[] {
  const text = JSON.stringify(steps).replaceAll("{{token}}", token);
  return JSON.parse(text.replaceAll(/\{\{x\*(\d+)\}\}/g, (_, count: string) => "x".repeat(Number(count)))) as Step[];
}

/** Sends a step and says what is not as expected; its response is added to those seen. */
async function runStep(probe: Probe, { request, expect }: Step, seen: HttpResponse[]): Promise<string | undefined> {
  if (expect?.cut === true) return (await isCut(probe, request)) ? undefined : "the response came whole";
  const began = performance.now();
  const response = await sendStep(probe, request);
  const seconds = (performance.now() - began) / 1_000;
  const problem = expect === undefined ? undefined : misfitOf(expect, response, seen);
  seen.push(response);
  if (problem !== undefined || expect?.within === undefined || seconds <= expect.within) return problem;
  return `it took ${seconds.toFixed(1)} seconds, expected ${expect.within}`;
}

async function sendStep(probe: Probe, request: VectorRequest): Promise<HttpResponse> {
  const { method, target, headers = {}, chunked = false } = request;
  if (Object.values(headers).some((value) => typeof value !== "string")) return sendLines(probe, request);
  const body = bodyOf(request);
  const framing = chunked && probe.speaksHttp1 ? { "transfer-encoding": "chunked" } : {};
  return probe.send(method, target, { headers: { ...headers, ...framing }, ...(body && { body }) });
}

/** Sends lines that no client sends: one name twice, a Host of any form, or none. */
async function sendLines(probe: Probe, request: VectorRequest): Promise<HttpResponse> {
  const { method, target, headers = {} } = request;
  const body = bodyOf(request) ?? Buffer.alloc(0);
  const all = { host: probe.base.host, ...headers, "content-length": String(body.length), connection: "close" };
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

/** A sentence on what is not as expected; undefined when all of it is. `seen` are the responses to the steps before. */
export function misfitOf(
  { status, headers = {}, body }: Expectation,
  response: HttpResponse,
  seen: readonly HttpResponse[] = [],
): string | undefined {
  const isRight = status === response.status || status === `${Math.floor(response.status / 100)}xx`;
  if (status !== undefined && !isRight) return `the status is ${response.status}, expected ${status}`;
  for (const [name, expected] of Object.entries(headers)) {
    if (headerFits(expected, response, name, seen)) continue;
    return `${name} is ${show(response.header(name))}, expected ${show(expected)}`;
  }
  if (body === undefined || bodyFits(body, response.text)) return undefined;
  return `the body is ${show(response.text.slice(0, 200))}, expected ${show(body)}`;
}

function headerFits(
  expected: HeaderExpectation,
  response: HttpResponse,
  name: string,
  seen: readonly HttpResponse[],
): boolean {
  const value = response.header(name);
  if (expected === null) return value === undefined;
  if (Array.isArray(expected)) return expected.every((one) => headerFits(one, response, name, seen));
  return valueFits(expected, response, name, seen);
}

function valueFits(
  expected: HeaderValueExpectation,
  response: HttpResponse,
  name: string,
  seen: readonly HttpResponse[],
): boolean {
  const value = response.header(name);
  if ("sameAs" in expected) return value === undefined || value === seen[expected.sameAs - 1]?.header(name);
  if (value === undefined) return false;
  if ("present" in expected) return true;
  if ("is" in expected) return value === expected.is;
  if ("members" in expected) return sameMembers(response.list(name), expected.members);
  if ("namesAre" in expected) return sameMembers(caseless(response.list(name)), caseless(expected.namesAre));
  if ("names" in expected) return caseless(response.list(name)).includes(expected.names.toLowerCase());
  if ("once" in expected)
    return caseless(response.list(name)).filter((one) => one === expected.once.toLowerCase()).length === 1;
  if ("lacks" in expected) return !caseless(response.list(name)).includes(expected.lacks.toLowerCase());
  if ("mediaType" in expected) return value.split(";")[0]?.trim().toLowerCase() === expected.mediaType;
  const items = parseList(value)?.map((item) => item.value);
  return items !== undefined && sameMembers(items, expected.structuredList);
}

function bodyFits(expected: BodyExpectation, text: string): boolean {
  if ("is" in expected) return text === expected.is;
  if ("lacks" in expected) return !text.includes(expected.lacks);
  const value = parsed(text);
  if ("json" in expected) return isDeepStrictEqual(value, expected.json);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  if ("keys" in expected) return sameMembers(Object.keys(value), expected.keys);
  if ("lists" in expected) return !isEmptyList(Reflect.get(value, expected.lists));
  return Object.entries(expected.holds).every(([name, wanted]) => isDeepStrictEqual(Reflect.get(value, name), wanted));
}

const isEmptyList = (value: unknown): boolean => !Array.isArray(value) || value.length === 0;

/** The JSON value; undefined, which no JSON is, when it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const caseless = (names: readonly string[]): readonly string[] => names.map((name) => name.toLowerCase());

const sameMembers = (some: readonly string[], others: readonly string[]): boolean =>
  isDeepStrictEqual(some.toSorted(), others.toSorted());

const show = (value: unknown): string => JSON.stringify(value) ?? "absent";
