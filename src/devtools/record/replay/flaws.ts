/**
 * Flaws: why a recorded value does not replace the original value.
 *
 *   argument ──▶ can it be told from another one?      result ──▶ can it be made again?
 *        └── cut · redacted · bytes · a stream · a function · private fields · … ──▶ a sentence that names the place
 *
 * A snapshot shows a value but is not the value. A value that it shows in full can be compared and made again. For every other
 * value, a replay says why it cannot, and guesses nothing.
 *
 * Spec: spec/replay.md
 */
import type { Call, ErrorInfo, Json, JsonObject } from "../../run/shapes.ts";
import { REDACTED } from "../../run/wire.ts";
import { KEY_CHARS } from "../../capture/walk.ts";
import { formKeyOf, isForm, withoutForm, type Reviver } from "../../capture/revive.ts";
import { isList } from "../../run/values.ts";

/** A call in a recording. */
export type RecordedCall = Pick<Call, "bean" | "method" | "args" | "result" | "error" | "async"> & {
  /** Its end, in microseconds from the run's start. */
  readonly endUs: number;
};

/** A call of a trace in the form of a recording. */
export function recordedCall(call: Call): RecordedCall {
  const { bean, method, args, result, async, startUs, durationUs } = call;
  const error = call.error === null ? null : plainError(call.error);
  return { bean, method, args, result, error, async, endUs: startUs + (durationUs ?? 0) };
}

/** Without the stack, since the error that is thrown again has a new one. */
const plainError = ({ name, message, fields }: ErrorInfo): ErrorInfo =>
  fields === undefined ? { name, message } : { name, message, fields };

/** Why a call cannot be replayed, or undefined if it can. */
export function flawOfCall(call: RecordedCall, reviver: Reviver): string | undefined {
  return flawOfArguments(call.args) ?? flawOfOutcome(call, reviver);
}

/** Why an outcome cannot be made, or undefined if it can. */
export function flawOfOutcome(
  { bean, result, error }: Pick<RecordedCall, "bean" | "result" | "error">,
  reviver: Reviver,
): string | undefined {
  const rules: Rules = { of: "result", bean, reviver };
  return error === null ? flawOf(result, "result", rules) : flawOfError(error, rules);
}

/** Why arguments are not distinguishable from others, or undefined if they are. */
export function flawOfArguments(args: readonly Json[]): string | undefined {
  return firstOf(args.map((arg, at) => () => flawOf(arg, `args[${at}]`, { of: "argument" })));
}

/** Why a value that is really JSON, such as a body, is incomplete, or undefined if it is complete. */
export const flawOfData = (json: Json, place: string): string | undefined => flawOf(json, place, { of: "data" });

/** A bean's outcome must be made again; every other value must only be distinguishable from others. */
type Rules = { readonly of: "argument" | "data" } | Outcome;
interface Outcome {
  readonly of: "result";
  readonly bean: string;
  readonly reviver: Reviver;
}

/** Forms that stand for missing data. */
const lost: ReadonlyMap<string, string> = new Map([
  ["$symbol", "is a symbol"],
  ["$function", "is a function"],
  ["$bytes", "is bytes, which are not kept"],
  ["$stream", "is a stream"],
  ["$thenable", "is a promise"],
  ["$pending", "had not returned when the request was over"],
  ["$context", "is a request's context"],
  ["$circular", "refers to what is around it"],
  ["$evicted", "was dropped to make room"],
  ["$string", "is cut"],
  ["$truncated", "is cut"],
]);

function flawOf(json: Json, place: string, rules: Rules): string | undefined {
  if (typeof json === "string") return json.includes(REDACTED) ? `${place} is redacted` : undefined;
  if (typeof json !== "object" || json === null) return undefined;
  if (isList(json)) return firstOf(json.map((item, at) => () => flawOf(item, `${place}[${at}]`, rules)));
  const keys = Object.keys(json);
  const tag = formKeyOf(json);
  const gone = keys.map((key) => lost.get(key)).find((why) => why !== undefined);
  if (gone !== undefined) return `${place} ${gone}`;
  if (tag === "$class") return flawOfInstance(json, place, rules);
  if (tag === "$bean")
    return rules.of === "result" && json[tag] !== rules.bean ? `${place} is another bean` : undefined;
  if (tag === "$error") return rules.of === "result" ? `${place} is an error that was not thrown` : undefined;
  if (tag !== undefined && !isForm(tag)) return `${place} is of a form that is not known here: ${tag}`;
  return flawOfFields(json, place, rules);
}

function flawOfInstance(json: JsonObject, place: string, rules: Rules): string | undefined {
  const name = String(json["$class"]);
  if (json["$private"] === true) return `${place} is an instance of ${name}, which keeps data in private fields`;
  if (name === "Proxy") return `${place} is a proxy`;
  if (rules.of === "result" && !rules.reviver.knows(name))
    return `${place} is an instance of ${name}: Devtools.create({ revive: [[${name}, (shown) => …]] }) says how one is made`;
  return flawOfFields(json, place, rules);
}

const flawOfFields = (json: JsonObject, place: string, rules: Rules): string | undefined =>
  firstOf(
    Object.entries(json).map(
      ([key, item]) =>
        () =>
          flawOfKey(key, place) ?? flawOf(item, `${place}.${key}`, rules),
    ),
  );

/** A key that is shown changed can be the key of another value. */
function flawOfKey(key: string, place: string): string | undefined {
  if (key.includes(REDACTED)) return `a key of ${place} is redacted`;
  return key.length > KEY_CHARS ? `a key of ${place} is cut` : undefined;
}

function flawOfError(error: ErrorInfo, rules: Outcome): string | undefined {
  const { message, fields = {} } = error;
  if (message.includes(REDACTED)) return "the message of its error is redacted";
  if (/… \d+ more$/.test(message)) return "the message of its error is cut";
  const flaw = flawOf(withoutForm(fields), "its error", rules);
  if (flaw !== undefined) return flaw;
  const name = String(fields["$class"]);
  const isMade = rules.reviver.knows(name);
  if (fields["$private"] === true && !isMade)
    return `its error is an instance of ${name}, which keeps data in private fields`;
  if (fields["$hidden"] === true && !isMade) return "its error has data that is not shown, such as a cause";
  return rules.reviver.flawOfError(error);
}

function firstOf(looks: readonly (() => string | undefined)[]): string | undefined {
  for (const look of looks) {
    const flaw = look();
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}
