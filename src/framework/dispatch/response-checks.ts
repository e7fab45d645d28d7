/**
 * Response checks: does a route send what its contract declares?
 *
 *   recorded response ──▶ the schema of its status ──▶ valid: nothing happens
 *                                                  └──▶ invalid: logged (`warn`), or an error (`enforce`)
 *
 * The sent response is checked, that is the JSON as a client parses it. Streams and bytes are not checked. Problems with
 * undeclared statuses (404, 413, 500 …) are valid.
 *
 * Spec: spec/contracts.md
 */
import type { Contract } from "../contract/contract.ts";
import { isResponseBody } from "../contract/declared-body.ts";
import { documentedChecker } from "../contract/documented.ts";
import { type Checked, type Checker, isRejected, listed } from "../contract/schema.ts";
import type { ShapeSettings } from "../contract/shape.ts";
import { type DeclaredResponses, issueList } from "../http/declared-responses.ts";
import { isJson, mediaTypeOf } from "../http/headers.ts";
import type { ProblemIssue } from "../internal/errors.ts";
import { isThenable } from "../internal/thenable.ts";

/** The checked part of a recorded response. */
export interface SentResponse {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: unknown;
}

/** The issues of a response, empty when it is valid. A promise only when its schema is asynchronous. */
export type CheckResponse = (response: SentResponse) => readonly ProblemIssue[] | Promise<readonly ProblemIssue[]>;

const none: readonly ProblemIssue[] = Object.freeze([]);

/** The check of a route's responses for `warn` and `enforce`. */
export function responseCheck(
  where: string,
  contracts: readonly Contract[],
  declared: DeclaredResponses,
  settings: ShapeSettings,
): CheckResponse {
  const checkers = new Map<number, Checker>();
  for (const { responses = {} } of contracts)
    for (const [status, schema] of Object.entries(responses))
      if (schema !== null && !isResponseBody(schema))
        checkers.set(Number(status), documentedChecker(`${where}: its response ${status}`, schema, settings));
  return function checkResponse({ status, contentType, body }) {
    const issue = declared.issueOf({ status, contentType, isEmpty: body === undefined });
    if (issue !== undefined) return issueList(issue);
    const check = checkers.get(status);
    if (check === undefined || typeof body !== "string") return none;
    const isOfJson = isJson(mediaTypeOf(contentType ?? "") ?? "");
    const checked = check(isOfJson ? parsed(body) : body);
    return isThenable(checked) ? checked.then(issuesOf) : issuesOf(checked);
  };
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
