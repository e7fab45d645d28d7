/**
 * Response checks: is what a route sends what its contract says?
 *
 *   recorded response ──▶ the schema of its status ──▶ it fits: nothing happens
 *                                                  └──▶ it does not: told (`warn`), or an error (`enforce`)
 *
 * What is checked is what goes out: the JSON as a client parses it. Streams and bytes are not looked into. Problems of
 * statuses that no contract names (404, 413, 500 …) are no break of it.
 *
 * A contract says of a response what the document says: the JSON Schema of what the schema returns (its output side). The
 * schema itself is asked too where it takes what it returns, since it may say more than JSON Schema can.
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

/** What is done with a response that breaks its contract. */
export type ResponseChecks = "off" | "warn" | "enforce";

/** The part of a recorded response that is looked at. */
export interface SentResponse {
  readonly status: number;
  /** Its media type; undefined without one. */
  readonly type: string | undefined;
  readonly isJson: boolean;
  readonly body: unknown;
}

/** The issues of a response, none where it fits; a promise only where its schema is asynchronous. */
export type CheckResponse = (response: SentResponse) => readonly ProblemIssue[] | Promise<readonly ProblemIssue[]>;

const none: readonly ProblemIssue[] = Object.freeze([]);
const issue = (message: string): readonly ProblemIssue[] => [{ path: [], pointer: "", message }];

/** How to check a route's responses; undefined where its contracts, the outermost first, declare none. */
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

/** Holds a value against what the document says of the schema, and against the schema where that takes what it returns. */
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

/** What the two sides may differ in, and whatever is on the one still be taken on the other. */
const lenient: ReadonlySet<string> = new Set(["required", "additionalProperties", "default", "$schema"]);
const maps: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs"]);

/**
 * Does a schema take what it returns? Its sides are the same then, but for defaults and for members that it leaves out, and
 * no part of it is unknown: behind `{}` may be a Date, or a transform.
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

/** @throws never: what is no JSON is a text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
