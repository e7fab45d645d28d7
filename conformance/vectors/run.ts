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
import { Violation } from "../kit/violation.ts";
import type { BodyExpectation, Expectation, HeaderExpectation, Step, Vector, VectorRequest } from "./vector.ts";

/** The vector as a case. */
export function caseOf({ id, title, profile, steps, afterwards }: Vector): Case {
  const run = async (probe: Probe): Promise<void> => {
    const filled = JSON.parse(JSON.stringify(steps).replaceAll("{{token}}", probe.token())) as readonly Step[];
    const seen: HttpResponse[] = [];
    try {
      for (const [at, { request, expect }] of filled.entries()) {
        const response = await sendStep(probe, request);
        const problem = expect === undefined ? undefined : misfitOf(expect, response, seen);
        if (problem !== undefined)
          throw new Violation(`step ${at + 1}, ${request.method} ${request.target}: ${problem}`);
        seen.push(response);
      }
    } finally {
      for (const request of afterwards) await sendStep(probe, request);
    }
  };
  return { id, title, profile, run };
}

function sendStep(probe: Probe, { method, target, headers, body }: VectorRequest): Promise<HttpResponse> {
  const content = body === undefined ? {} : { body };
  return probe.send(method, target, { headers: headers ?? {}, ...content });
}

/** A sentence on what is not as expected; undefined when all of it is. `seen` are the responses to the steps before. */
export function misfitOf(
  { status, headers = {}, body }: Expectation,
  response: HttpResponse,
  seen: readonly HttpResponse[] = [],
): string | undefined {
  if (status !== undefined && response.status !== status) return `the status is ${response.status}, expected ${status}`;
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
  if ("sameAs" in expected) return value === undefined || value === seen[expected.sameAs - 1]?.header(name);
  if (value === undefined) return false;
  if ("present" in expected) return true;
  if ("is" in expected) return value === expected.is;
  if ("members" in expected) return sameMembers(response.list(name), expected.members);
  if ("namesAre" in expected) return sameMembers(caseless(response.list(name)), caseless(expected.namesAre));
  if ("names" in expected) return caseless(response.list(name)).includes(expected.names.toLowerCase());
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
  return Object.entries(expected.holds).every(([name, wanted]) => isDeepStrictEqual(Reflect.get(value, name), wanted));
}

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
