/**
 * The outcome that the user gives one call: a value, an error or a time. Pure.
 *
 *   what is typed ──▶ outcomeOf ──▶ { call, returns │ throws, afterMs }, or the sentence that says what is missing
 */

import type { Call, Json, WhatIf } from "../../run/shapes.ts";
import { jsonProblem } from "../json/problem.ts";

/** What is typed. */
export interface TypedOutcome {
  readonly kind: "returns" | "throws" | "same";
  /** JSON, as devtools show values. */
  readonly value: string;
  readonly name: string;
  readonly message: string;
  /** Milliseconds; empty for none. */
  readonly after: string;
}

/** The recorded outcome of a call, to be changed. */
export function typedOutcome({ result, error }: Call): TypedOutcome {
  return {
    kind: error === null ? "returns" : "throws",
    value: JSON.stringify(result, null, 2),
    name: error?.name ?? "Error",
    message: error?.message ?? "",
    after: "",
  };
}

/** The outcome, or what is missing. */
export function outcomeOf(call: number, { kind, value, name, message, after }: TypedOutcome): WhatIf | string {
  const ms = Number(after);
  if (after !== "" && !(Number.isInteger(ms) && ms > 0 && ms <= 60_000))
    return "The time is a whole number of milliseconds up to 60000.";
  const time = after === "" ? {} : { afterMs: ms };
  if (kind === "same") return after === "" ? "Type how long the call takes." : { call, ...time };
  if (kind === "returns") {
    const problem = value.trim() === "" ? { message: "it is empty" } : jsonProblem(value);
    return problem
      ? `The value is not JSON: ${problem.message}`
      : { call, returns: JSON.parse(value) as Json, ...time };
  }
  const typed = name.trim();
  if (typed === "") return "Type the name of the error, or a status such as 404.";
  const throws = /^[45]\d\d$/.test(typed)
    ? { name: "HttpError", message, status: Number(typed) }
    : { name: typed, message };
  return { call, throws, ...time };
}
