/**
 * What if: calls of a run for which somebody gave another outcome.
 *
 *   what-if=<base64url> ──▶ [{ call: 7, returns: null }, { call: 9, throws: { name, message } }, { call: 11, afterMs: 800 }]
 *   call of a bean ──▶ the same bean, method and arguments, for the same time as call 7 of the run? ──▶ its outcome
 *
 * The outcome is read as a replay reads a recorded one, so that a text cannot become an object that the application never makes.
 *
 * Spec: spec/replay.md
 */
import type { Call, ErrorInfo, Json, WhatIf } from "../../run/shapes.ts";
import { isErrorOfLanguage, type Reviver } from "../../capture/revive.ts";
import { isList } from "../../run/values.ts";
import { flawOfOutcome } from "./flaws.ts";
import { keyOf } from "./recorded-calls.ts";

/** The most outcomes of one request. */
const MOST = 20;
/** The longest time that a call can be made to take. */
export const MOST_MS = 60_000;

/** A call with another outcome. */
export interface SupposedCall {
  readonly bean: string;
  readonly method: string;
  readonly async: boolean;
  readonly afterMs: number;
  /** Undefined when only the time is given. */
  readonly outcome: { readonly result: Json; readonly error: ErrorInfo | null } | undefined;
}

/** The remaining calls with another outcome, of one request. */
export class SupposedCalls {
  /** By bean, method and arguments: the outcome of each call, in the order of their starts. */
  readonly #byKey = new Map<string, (SupposedCall | undefined)[]>();

  /** @param calls of the run, in the order of their starts */
  constructor(calls: readonly Call[], given: readonly WhatIf[]) {
    const keys = new Set(given.map(({ call }) => keyOfCall(calls[call])));
    for (const [at, call] of calls.entries()) {
      const key = keyOfCall(call);
      if (!keys.has(key)) continue;
      const supposed = given.find((one) => one.call === at);
      const list = this.#byKey.get(key) ?? [];
      list.push(supposed && supposedCall(call, supposed));
      this.#byKey.set(key, list);
    }
  }

  /** The outcome of the call that begins now, or undefined if none was given for it. */
  take(bean: string, method: string, args: readonly Json[]): SupposedCall | undefined {
    return this.#byKey.get(keyOf(bean, method, args))?.shift();
  }
}

const keyOfCall = (call: Call | undefined): string =>
  call === undefined ? "" : keyOf(call.bean, call.method, call.args);

function supposedCall({ bean, method, async }: Call, { returns, throws, afterMs = 0 }: WhatIf): SupposedCall {
  const isTimeOnly = returns === undefined && throws === undefined;
  const outcome = isTimeOnly ? undefined : { result: returns ?? null, error: throws ? errorOf(throws) : null };
  return { bean, method, async, afterMs, outcome };
}

/** Reads the outcomes from base64url. Undefined if they are not well formed. */
export function readWhatIf(text: string): readonly WhatIf[] | undefined {
  try {
    const list = JSON.parse(Buffer.from(text, "base64url").toString()) as Json;
    return isList(list) && list.length > 0 && list.length <= MOST && list.every(isWhatIf) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isWhatIf(json: Json): json is Json & WhatIf {
  if (typeof json !== "object" || json === null || isList(json)) return false;
  const { call, returns, throws, afterMs, ...more } = json;
  const isTime =
    afterMs === undefined || (Number.isSafeInteger(afterMs) && Number(afterMs) > 0 && Number(afterMs) <= MOST_MS);
  const given = [returns, throws].filter((one) => one !== undefined).length;
  return (
    Number.isSafeInteger(call) &&
    Number(call) >= 0 &&
    isTime &&
    (throws === undefined || isThrown(throws)) &&
    (given === 1 || (given === 0 && afterMs !== undefined)) &&
    Object.keys(more).length === 0
  );
}

function isThrown(json: Json): boolean {
  if (typeof json !== "object" || json === null || isList(json)) return false;
  const { name, message, status, ...more } = json;
  const isStatus = status === undefined || (Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599);
  return (
    typeof name === "string" && name !== "" && typeof message === "string" && isStatus && Object.keys(more).length === 0
  );
}

/** The error in the form of a trace. */
function errorOf({ name, message, status }: NonNullable<WhatIf["throws"]>): ErrorInfo {
  if (status !== undefined)
    return { name: "HttpError", message, fields: { $class: "HttpError", $from: "framework", status, headers: {} } };
  return isErrorOfLanguage(name) ? { name, message } : { name, message, fields: { $class: name } };
}

/** Why an outcome cannot be, or undefined if all can. */
export function flawOfWhatIf(calls: readonly Call[], given: readonly WhatIf[], reviver: Reviver): string | undefined {
  for (const { call: id, returns = null, throws } of given) {
    const call = calls[id];
    if (call === undefined) return `the run has no call ${id}`;
    const error = throws === undefined ? null : errorOf(throws);
    const flaw = flawOfOutcome({ bean: call.bean, result: returns, error }, reviver);
    if (flaw !== undefined) return `${call.bean}.${call.method}() cannot have this outcome: ${flaw}`;
  }
  return undefined;
}
