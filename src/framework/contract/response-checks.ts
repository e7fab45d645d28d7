/**
 * Response checks: is what a route sends what its contract says?
 *
 *   recorded response ──▶ the schema of its status ──▶ it fits: nothing happens
 *                                                  └──▶ it does not: told (`warn`), or an error (`enforce`)
 *
 * What is checked is what goes out: the JSON as a client parses it. Streams and bytes are not looked into. Problems of
 * statuses that no contract names (404, 413, 500 …) are no break of it.
 *
 * Spec: spec/contracts.md (CONTRACT)
 */
import type { ProblemIssue } from "../internal/errors.ts";
import { isThenable } from "../internal/thenable.ts";
import type { Contract } from "./contract.ts";
import { type CompileSchema, validatorOf } from "./input.ts";
import { type Checked, type Checker, checkerOf, isRejected, listed } from "./schema.ts";

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
  compile: CompileSchema | undefined,
): CheckResponse | undefined {
  if (contracts.every(({ responses }) => responses === undefined)) return undefined;
  const checkers = new Map<number, Checker | null>();
  for (const { responses = {} } of contracts)
    for (const [status, schema] of Object.entries(responses))
      checkers.set(
        Number(status),
        schema === null ? null : checkerOf(validatorOf(`${where}: its response ${status}`, schema, compile)),
      );
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
