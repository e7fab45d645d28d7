/**
 * Response checks: does a route send what its contract declares?
 *
 *   recorded response ──▶ the schema of its status ──▶ valid: nothing happens
 *                                                  └──▶ invalid: logged (`warn`), or an error (`enforce`)
 *
 * The sent response is checked, that is the JSON as a client parses it. Streams and bytes are not checked. Problems with
 * undeclared statuses (404, 413, 500 …) are valid.
 *
 * The check uses the document's JSON Schema, which is the output side of the schema. If the schema accepts its own output, the
 * schema itself also runs, since it may be stricter than JSON Schema.
 *
 * Spec: spec/contracts.md
 */
import type { ProblemIssue } from "../internal/errors.ts";
import { isThenable } from "../internal/thenable.ts";
import type { Contract } from "./contract.ts";
import { type InputSettings, validatorOf } from "./input.ts";
import { jsonChecker } from "./json-check.ts";
import { jsonSchemaOf, type JsonSchemaOf, objectOf } from "./json-schema.ts";
import { type Checked, type Checker, checkerOf, isRejected, isStandard, listed, type Schema } from "./schema.ts";

/** The reaction to a response that breaks its contract. */
export type ResponseChecks = "off" | "warn" | "enforce";

/** The checked part of a recorded response. */
export interface SentResponse {
  readonly status: number;
  /** Its media type, or undefined without one. */
  readonly type: string | undefined;
  readonly isJson: boolean;
  readonly body: unknown;
}

/** The issues of a response, empty when it is valid. A promise only when its schema is asynchronous. */
export type CheckResponse = (response: SentResponse) => readonly ProblemIssue[] | Promise<readonly ProblemIssue[]>;

const none: readonly ProblemIssue[] = Object.freeze([]);
const issue = (message: string): readonly ProblemIssue[] => [{ path: [], pointer: "", message }];

/** The check for a route's responses. Undefined when its contracts, the outermost first, declare none. */
export function responseCheck(
  where: string,
  contracts: readonly Contract[],
  { compileSchema, jsonSchemaOf: convert }: Pick<InputSettings, "compileSchema" | "jsonSchemaOf">,
): CheckResponse | undefined {
  if (contracts.every(({ responses }) => responses === undefined)) return undefined;
  const checkers = new Map<number, Checker | null>();
  for (const { responses = {} } of contracts)
    for (const [status, schema] of Object.entries(responses)) {
      const own = schema && checkerOf(validatorOf(`${where}: its response ${status}`, schema, compileSchema));
      checkers.set(Number(status), own && asDocumented(schema, own, convert));
    }
  const named = [...checkers.keys()].join(", ");
  return function checkResponse({ status, type, isJson, body }) {
    const check = checkers.get(status);
    if (check === undefined) {
      const isOwn = status === 304 || (status >= 400 && type === "application/problem+json");
      return isOwn ? none : issue(`the status ${status} is not in the contract, which names ${named}`);
    }
    if (check === null) return body === undefined ? none : issue(`no content was declared for ${status}`);
    if (typeof body !== "string") return body === undefined ? issue(`${status} was sent without content`) : none;
    const checked = check(isJson ? parsed(body) : body);
    return isThenable(checked) ? checked.then(issuesOf) : issuesOf(checked);
  };
}

/** Checks a value against the document's schema, and against the schema itself if that accepts its own output. */
function asDocumented(schema: Schema, own: Checker, convert: JsonSchemaOf | undefined): Checker {
  const output = jsonSchemaOf(schema, "output", convert);
  const isItself = !isStandard(schema) && jsonSchemaOf(schema, "output") !== undefined; // TypeBox, or a JSON Schema
  if (output === undefined || isItself) return own;
  const check = jsonChecker(output);
  const isOneSided = agree(jsonSchemaOf(schema, "input", convert), output);
  return function checkDocumented(value) {
    const issues = check(value);
    const documented: Checked = issues.length > 0 ? { issues } : { value };
    if (!isOneSided) return documented;
    const checked = own(value);
    const worse = (one: Checked): Checked => (isRejected(one) ? one : documented);
    return isThenable(checked) ? checked.then(worse) : worse(checked);
  };
}

/** Allowed differences of the two sides, so that a value of one is still accepted by the other. */
const lenient: ReadonlySet<string> = new Set(["required", "additionalProperties", "default", "$schema"]);
const maps: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"]);

/**
 * Does a schema accept its own output? Then its sides are the same except for defaults and omitted members, and no part is
 * unknown, because `{}` may hide a Date or a transform.
 */
function agree(input: unknown, output: unknown): boolean {
  const [a, b] = [objectOf(input), objectOf(output)];
  if (a === undefined || b === undefined) return JSON.stringify(input) === JSON.stringify(output);
  const names = Object.keys({ ...a, ...b }).filter((name) => !lenient.has(name));
  const rests = [a["additionalProperties"], b["additionalProperties"]].map((rest) => objectOf(rest) ?? {});
  if (rests.every((rest) => Object.keys(rest).length > 0) && !agree(rests[0], rests[1])) return false;
  return names.length > 0 && names.every((name) => agreeIn(name, a[name], b[name]));
}

function agreeIn(keyword: string, a: unknown, b: unknown): boolean {
  if (maps.has(keyword)) {
    const [one, other] = [objectOf(a) ?? {}, objectOf(b) ?? {}];
    return Object.keys({ ...one, ...other }).every((name) => agree(one[name], other[name]));
  }
  if (!Array.isArray(a) || !Array.isArray(b)) return agree(a, b);
  return a.length === b.length && a.every((one, at) => agree(one, b[at]));
}

const issuesOf = (checked: Checked): readonly ProblemIssue[] =>
  isRejected(checked) ? listed([[undefined, checked.issues]])[0] : none;

/** @throws never: a text that is not JSON stays a text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
