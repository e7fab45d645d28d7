/**
 * Recorded calls: finds the recorded call that matches a call of a replay.
 *
 *   bean, method, arguments as they are shown ──▶ the first of those that are left ──▶ its recorded outcome
 *                                                     └─ none left ──▶ why: no such call, other arguments, one too many
 *
 * Concurrent calls are matched by their arguments. With the same arguments, the first to begin is the first.
 *
 * Spec: spec/replay.md
 */
import type { Json } from "../../run/shapes.ts";
import type { RecordedCall } from "./flaws.ts";
import { isList, groupBy } from "../../run/values.ts";

/** The remaining calls of one recording. */
export class RecordedCalls {
  readonly #all: readonly RecordedCall[];
  readonly #left: ReadonlyMap<string, RecordedCall[]>;

  /** @param calls in the order of their starts */
  constructor(calls: readonly RecordedCall[]) {
    this.#all = calls;
    this.#left = groupBy(calls, ({ bean, method, args }) => keyOf(bean, method, args));
  }

  /** The recorded call, or the sentence why the recording does not have it. */
  take(bean: string, method: string, args: readonly Json[]): RecordedCall | string {
    const same = this.#left.get(keyOf(bean, method, args));
    const taken = same?.shift();
    if (taken !== undefined) return taken;
    const name = `${bean}.${method}()`;
    const recorded = this.#all.filter((call) => call.bean === bean && call.method === method);
    if (recorded.length === 0) return `the recording has no call of ${name}`;
    if (same !== undefined) {
      const count = recorded.filter((call) => keyOf(bean, method, call.args) === keyOf(bean, method, args)).length;
      return `the recording has ${count === 1 ? "one call" : `${count} calls`} of ${name} with these arguments, and this is one more`;
    }
    const next = this.left.find((call) => call.bean === bean && call.method === method) ?? recorded[0];
    return `no call of ${name} was recorded with these arguments: ${differenceOf(next?.args ?? [], args, "args") ?? "they differ"}`;
  }

  isAsync(bean: string, method: string): boolean {
    return this.#all.some((call) => call.bean === bean && call.method === method && call.async);
  }

  /** The remaining calls, in the order of their starts. */
  get left(): readonly RecordedCall[] {
    const left = new Set([...this.#left.values()].flat());
    return this.#all.filter((call) => left.has(call));
  }
}

/** Equal for values with the same snapshot, in any order of an object's keys. */
export const keyOf = (bean: string, method: string, args: readonly Json[]): string =>
  JSON.stringify([bean, method, args], (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );

/** The first place at which two values differ, in words. */
function differenceOf(before: Json, now: Json, place: string): string | undefined {
  if (isObject(before) && isObject(now) && isList(before) === isList(now)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
      const at = isList(before) ? `${place}[${key}]` : `${place}.${key}`;
      const found = differenceOf(memberOf(before, key), memberOf(now, key), at);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return before === now ? undefined : `${place} was ${shortly(before)}, and is ${shortly(now)}`;
}

const isObject = (json: Json): json is Exclude<Json, string | number | boolean | null> =>
  typeof json === "object" && json !== null;

const memberOf = (json: object, key: string): Json =>
  (Object.getOwnPropertyDescriptor(json, key)?.value as Json | undefined) ?? null;

function shortly(json: Json): string {
  const text = JSON.stringify(json);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
