/**
 * The stored data of __plural__, and the data that clients may send.
 */
import { checked, documented, membersOf } from "../schema.ts";

export interface __Type__ {
  readonly id: string;
  readonly name: string;
}

/** The fields that a client sets. */
export interface __Type__Input {
  readonly name: string;
}

const MAX_NAME = 200;
const sent = {
  type: "object",
  properties: { id: { type: "string" }, name: { type: "string" } },
  required: ["id", "name"],
};

/** One in a response. */
export const __variable__Schema = documented<__Type__>(sent);
export const __variable__List = documented<readonly __Type__[]>({ type: "array", items: sent });

/** The body of a request. */
export const __variable__Input = checked<__Type__Input>(
  {
    type: "object",
    properties: { name: { type: "string", maxLength: MAX_NAME, pattern: "\\S" } },
    required: ["name"],
    additionalProperties: false,
  },
  (value) => {
    const found = membersOf(value, ["name"]);
    if (found === undefined) return { issues: [{ path: [], message: "must be an object" }] };
    const { name } = found.members;
    const isName = typeof name === "string" && name.trim() !== "" && name.length <= MAX_NAME;
    if (isName && found.issues.length === 0) return { value: { name: name.trim() } };
    const issue = { path: ["name"], message: `must be text of 1 to ${MAX_NAME} characters` };
    return { issues: isName ? found.issues : [...found.issues, issue] };
  },
);
