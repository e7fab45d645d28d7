/** What of a response is not as a vector expects it, as a sentence. */
import { isDeepStrictEqual } from "node:util";
import type { HttpResponse } from "../kit/response.ts";
import { parseList } from "../kit/structured-list.ts";
import { challengesOf, sameChallenges } from "./challenges.ts";
import { bodyTextOf, jsonOf, plainTextOf, valueAt } from "./pointer.ts";
import type {
  BodyPartExpectation,
  Expectation,
  HeaderExpectation,
  HeaderValueExpectation,
  ValueExpectation,
} from "./vector.ts";

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
  const wrong = [body ?? []].flat().find((one) => !bodyFits(one, response));
  if (wrong === undefined) return undefined;
  return `the body is ${show(bodyTextOf(response).slice(0, 200))}, expected ${show(wrong).slice(0, 200)}`;
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
  if ("sameAs" in expected) {
    const before = seen[expected.sameAs - 1]?.header(name);
    return value === undefined || before === undefined || value === before;
  }
  if ("without" in expected) return value === undefined || !new RegExp(expected.without).test(value);
  if (value === undefined) return false;
  if ("present" in expected) return true;
  if ("is" in expected) return value === expected.is;
  if ("not" in expected) return value !== expected.not;
  if ("matches" in expected) return new RegExp(expected.matches).test(value);
  if ("members" in expected) return sameMembers(response.list(name), expected.members);
  if ("namesAre" in expected) return sameMembers(caseless(response.list(name)), caseless(expected.namesAre));
  if ("names" in expected) return caseless(response.list(name)).includes(expected.names.toLowerCase());
  if ("once" in expected)
    return caseless(response.list(name)).filter((one) => one === expected.once.toLowerCase()).length === 1;
  if ("lacks" in expected) return !caseless(response.list(name)).includes(expected.lacks.toLowerCase());
  if ("mediaType" in expected) return value.split(";")[0]?.trim().toLowerCase() === expected.mediaType;
  if ("challenges" in expected) return sameChallenges(challengesOf(value), expected.challenges);
  const items = parseList(value)?.map((item) => item.value);
  return items !== undefined && sameMembers(caseless(items), caseless(expected.structuredList));
}

function bodyFits(expected: BodyPartExpectation, response: HttpResponse): boolean {
  if ("json" in expected) return isDeepStrictEqual(jsonOf(response), expected.json);
  if ("at" in expected)
    return Object.entries(expected.at).every(([pointer, wanted]) => fits(wanted, valueAt(response, pointer)));
  if ("is" in expected) return bodyTextOf(response) === expected.is;
  const text = plainTextOf(response);
  if ("matches" in expected) return new RegExp(expected.matches).test(text);
  if ("has" in expected) return text.includes(expected.has);
  return ![text, bodyTextOf(response)].some((one) => one.includes(expected.lacks));
}

/** Is that true of the value, which is undefined where there is none? */
function fits(expected: ValueExpectation, value: unknown): boolean {
  if ("present" in expected) return (value !== undefined) === expected.present;
  if (value === undefined) return false;
  if ("is" in expected) return isDeepStrictEqual(value, expected.is);
  if ("not" in expected) return !isDeepStrictEqual(value, expected.not);
  if ("members" in expected) return Array.isArray(value) && isDeepStrictEqual(sorted(value), sorted(expected.members));
  if ("has" in expected) return includes(value, expected.has) === true;
  if ("lacks" in expected) return includes(value, expected.lacks) === false;
  if ("matches" in expected) return typeof value === "string" && new RegExp(expected.matches).test(value);
  return typeof value === "number" && value >= expected.from && value <= expected.to;
}

/** Is it a member of the list, or a part of the text? undefined where the value is neither. */
function includes(value: unknown, wanted: unknown): boolean | undefined {
  if (Array.isArray(value)) return value.some((one) => isDeepStrictEqual(one, wanted));
  return typeof value === "string" ? value.includes(String(wanted)) : undefined;
}

/** JSON values in an order of their own. */
const sorted = (values: readonly unknown[]): readonly unknown[] =>
  values.toSorted((one, other) => (show(one) < show(other) ? -1 : 1));

const caseless = (names: readonly string[]): readonly string[] => names.map((name) => name.toLowerCase());

const sameMembers = (some: readonly string[], others: readonly string[]): boolean =>
  isDeepStrictEqual(some.toSorted(), others.toSorted());

const show = (value: unknown): string => JSON.stringify(value) ?? "absent";
