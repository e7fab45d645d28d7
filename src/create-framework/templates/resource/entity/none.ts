/**
 * What is kept of __plural__, and what clients may say of one.
 */
import { UnprocessableContentError } from "framework";

export interface __Type__ {
  readonly id: string;
  readonly name: string;
}

/** What a client sets. */
export interface __Type__Input {
  readonly name: string;
}

const MAX_NAME = 200;

/** Checks a body. @throws UnprocessableContentError (422) naming each mistake */
export function __variable__Input(value: unknown): __Type__Input {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new UnprocessableContentError([{ path: [], message: "must be an object" }]);
  }
  const { name, ...unknown } = value as Record<string, unknown>;
  const issues = Object.keys(unknown).map((key) => ({ path: [key], message: "is unknown" }));
  const isName = typeof name === "string" && name.trim() !== "" && name.length <= MAX_NAME;
  if (!isName) issues.push({ path: ["name"], message: `must be text of 1 to ${MAX_NAME} characters` });
  if (!isName || issues.length > 0) throw new UnprocessableContentError(issues);
  return { name: name.trim() };
}
