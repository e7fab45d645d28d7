/**
 * Sends the requests of a Hurl file and reports errors in the responses. Every request is sent, even after a failed one.
 * A capture that a failed request did not make fails the requests that use it.
 */
import { isDeepStrictEqual } from "node:util";
import type { HurlAssert, HurlEntry } from "./hurl.ts";

/** The result of a request. It passed if nothing failed. */
export interface HurlOutcome {
  readonly line: number;
  /** As sent, e.g. `GET http://localhost:8080/api/tags`. */
  readonly request: string;
  readonly failures: readonly string[];
}

type Variables = Map<string, unknown>;

/** Runs the entries in order. `send` is `fetch`, or an app's own. */
export async function runHurl(
  entries: readonly HurlEntry[],
  variables: Readonly<Record<string, string>>,
  send: (request: Request) => Promise<Response>,
): Promise<readonly HurlOutcome[]> {
  const known: Variables = new Map(Object.entries(variables));
  const outcomes: HurlOutcome[] = [];
  for (const entry of entries) {
    const failures: string[] = [];
    try {
      failures.push(...(await runEntry(entry, known, send)));
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
    outcomes.push({ line: entry.line, request: `${entry.method} ${entry.url}`, failures });
  }
  return outcomes;
}

async function runEntry(
  { method, url, headers, body, status, asserts, captures }: HurlEntry,
  variables: Variables,
  send: (request: Request) => Promise<Response>,
): Promise<readonly string[]> {
  const fields = new Headers(headers.map(([name, value]): [string, string] => [name, rendered(value, variables)]));
  if (body !== undefined && !fields.has("Content-Type")) fields.set("Content-Type", "application/json");
  const content = body === undefined ? null : rendered(body, variables);
  const request = new Request(rendered(url, variables), { method, headers: fields, body: content, redirect: "manual" });
  const response = await send(request);
  const text = await response.text();
  const failures = response.status === status ? [] : [`${response.status} instead of ${status}: ${text}`];
  const value = asserts.length + captures.length === 0 ? undefined : (JSON.parse(text) as unknown);
  for (const one of asserts) {
    const found = at(value, one.path);
    if (!holds(one, found, variables)) failures.push(`${one.text}: it is ${JSON.stringify(found)}`);
  }
  for (const { name, path } of captures) {
    const found = at(value, path);
    if (found === undefined) failures.push(`${path} is not there to be captured`);
    else variables.set(name, found);
  }
  return failures;
}

/** @throws Error for a variable without a capture */
function valueOf(name: string, variables: Variables): unknown {
  if (!variables.has(name)) throw new Error(`{{${name}}} was not captured`);
  return variables.get(name);
}

const rendered = (text: string, variables: Variables): string =>
  text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => String(valueOf(name, variables)));

/** The value at a path of names and indexes, or undefined if there is none. */
function at(value: unknown, path: string): unknown {
  const steps = path.match(/\w+/g) ?? [];
  return steps.reduce<unknown>((from, step) => {
    const has = typeof from === "object" && from !== null && Object.hasOwn(from, step);
    return has ? Reflect.get(from, step) : undefined;
  }, value);
}

/** The value of an operand: a variable with its type, a text, or a number, a boolean or null. */
function operandOf(operand: string, variables: Variables): unknown {
  const [, name] = /^\{\{(\w+)\}\}$/.exec(operand) ?? [];
  if (name !== undefined) return valueOf(name, variables);
  const value: unknown = JSON.parse(operand);
  return typeof value === "string" ? rendered(value, variables) : value;
}

const tests: Readonly<Record<string, (found: unknown, operand: unknown) => boolean>> = {
  "==": (found, operand) => isDeepStrictEqual(found, operand),
  "!=": (found, operand) => !isDeepStrictEqual(found, operand),
  ">=": (found, operand) => typeof found === "number" && typeof operand === "number" && found >= operand,
  contains: (found, operand) =>
    Array.isArray(found)
      ? found.some((one) => isDeepStrictEqual(one, operand))
      : String(found).includes(String(operand)),
  matches: (found, operand) => typeof found === "string" && new RegExp(String(operand)).test(found),
  exists: () => true,
  isBoolean: (found) => typeof found === "boolean",
  isEmpty: (found) => (typeof found === "string" || Array.isArray(found)) && found.length === 0,
  isInteger: (found) => Number.isInteger(found),
  isList: (found) => Array.isArray(found),
  isString: (found) => typeof found === "string",
};

/** Is the assert true? For a missing value only `not exists` is true. */
function holds({ counts, negated, predicate, operand }: HurlAssert, found: unknown, variables: Variables): boolean {
  if (found === undefined) return negated && predicate === "exists";
  if (counts && !Array.isArray(found)) return false;
  const value = counts && Array.isArray(found) ? found.length : found;
  const wanted = operand === undefined ? undefined : operandOf(operand, variables);
  const result = tests[predicate]?.(value, wanted);
  if (result === undefined) throw new Error(`the predicate ${predicate} is not known`);
  return result !== negated;
}
