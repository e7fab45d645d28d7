/**
 * Snapshots: the current value as bounded and redacted JSON, without running any of its code.
 *
 *   value ──▶ walk by property descriptors ──▶ Json, bytes
 *               │ no getter, toJSON, iterator, `then` or proxy trap is ever run
 *               ▼ past a bound: { "$truncated": n }, never silence
 *
 * A snapshot never throws. Bytes are an upper estimate of the heap that the result takes.
 *
 * Spec: spec/trace.md, "Values that JSON lacks"
 */
import { types } from "node:util";
import type { ErrorInfo, Json, JsonObject, TaggedValue } from "../run/shapes.ts";
import { classNameOf, errorInfoOf } from "./inspect.ts";
import type { KnownSecrets } from "./secrets/known.ts";
import { originOf, type SeenErrors } from "./revive.ts";
import { copyOf } from "./strings.ts";
import { atomBytes, Walk, type SnapshotSettings } from "./walk.ts";

/** A captured value, and its memory. */
export interface Snapshot<T extends Json | readonly Json[] = Json> {
  readonly json: T;
  readonly bytes: number;
}

/** Takes snapshots. */
export class Snapshotter {
  readonly #settings: SnapshotSettings;

  constructor(settings: SnapshotSettings) {
    this.#settings = settings;
  }

  /** Sets the secrets that the next snapshots use and add to. */
  within(secrets: KnownSecrets): this {
    this.#settings.redactor.secrets = secrets;
    return this;
  }

  /** One value, with at most `budget` bytes. */
  take(value: unknown, budget: number = Number.POSITIVE_INFINITY): Snapshot {
    if (isAtom(value)) return { json: value, bytes: atomBytes };
    const walk = new Walk(this.#settings, budget);
    return { json: walk.safely(value), bytes: walk.bytes };
  }

  /** The arguments of a call as one snapshot with one array. */
  takeAll(values: readonly unknown[], budget: number = Number.POSITIVE_INFINITY): Snapshot<readonly Json[]> {
    if (values.length === 0) return noValues;
    const [first] = values;
    if (values.length === 1 && isAtom(first)) return { json: [first], bytes: atomBytes + 32 };
    const walk = new Walk(this.#settings, budget);
    const shown: Json[] = [];
    const count = Math.min(values.length, this.#settings.limits.items);
    for (let index = 0; index < count; index += 1) shown.push(walk.safely(values[index]));
    if (count < values.length) shown.push({ $truncated: values.length - count } satisfies TaggedValue);
    return { json: shown, bytes: walk.bytes + 32 };
  }

  error(thrown: unknown): ErrorInfo {
    try {
      const { name, message } = errorInfoOf(thrown);
      return { name: this.text(name), message: this.text(message) };
    } catch {
      return { name: "Error", message: "" };
    }
  }

  /**
   * The class and the own data of a thrown value, or undefined for an error of the language without any, and for a value that is
   * not an object. `seen` gets each class that is neither the language's nor the framework's.
   */
  errorFields(thrown: unknown, budget: number, seen: SeenErrors): Snapshot<JsonObject> | undefined {
    if (typeof thrown !== "object" || thrown === null || types.isProxy(thrown)) return undefined;
    const prototype = Object.getPrototypeOf(thrown) as object | null;
    const name = classNameOf(thrown) ?? "Object";
    const origin = originOf(prototype, name);
    if (origin === undefined && prototype !== null && types.isNativeError(thrown)) seen.add(name, prototype);
    // An error of the language is known by its name, unless it has another one.
    const isNamed = origin === "language" && errorInfoOf(thrown).name === name;
    const form = isNamed ? {} : { $class: name, ...(origin === undefined ? {} : { $from: origin }) };
    const walk = new Walk(this.#settings, budget);
    const json = walk.ofError(thrown, form);
    return Object.keys(json).length === 0 ? undefined : { json, bytes: walk.bytes };
  }

  /** A text for a place that only takes a string, redacted and cut visibly. @param room characters at most */
  text(text: string, room: number = Number.POSITIVE_INFINITY): string {
    const { limits, redactor } = this.#settings;
    const most = Math.min(limits.stringChars, room);
    if (text.length <= most && redactor.isHarmless(text)) return text;
    const shown = redactor.text(text, most);
    return text.length > most ? copyOf(`${shown}… ${text.length - most} more`) : shown;
  }
}

const noValues: Snapshot<readonly Json[]> = { json: [], bytes: 32 };

/** Whether it is its own snapshot, that is, a number of JSON, true or false, or null. Ids and counts are, and most results. */
const isAtom = (value: unknown): value is number | boolean | null =>
  typeof value === "number"
    ? Number.isFinite(value) && (value !== 0 || !Object.is(value, -0))
    : typeof value === "boolean" || value === null;
