/**
 * Walk: turns one value into bounded, redacted JSON.
 *
 *   value ──▶ primitive | built-in | instance | plain ──▶ Json, bytes counted as it grows
 *
 * Objects are read only by property descriptors and brands. Values over a bound are counted, never silently left out.
 *
 * Spec: spec/trace.md, "Values that JSON lacks"
 */
import { types } from "node:util";
import type { Json, TaggedValue } from "../run/shapes.ts";
import { REDACTED } from "../run/wire.ts";
import {
  byteLengthOf,
  classNameOf,
  errorInfoOf,
  formOf,
  hasPrivateFields,
  isoOf,
  isThenableObject,
  mapEntries,
  mapSize,
  ownData,
  ownList,
  regExpOf,
  setSize,
  setValues,
  streamTypeOf,
  urlTextOf,
} from "./inspect.ts";
import type { Redactor } from "./redact.ts";
import { copyOf, heapSizeOf, isHighSurrogate } from "./strings.ts";

/** Bounds of kept values. Sizes are bytes of heap, estimated from above. */
export interface CaptureLimits {
  /** Characters of one string. */
  readonly stringChars: number;
  /** Levels of arrays and objects within one value. */
  readonly depth: number;
  /** Items of one array, keys of one object. */
  readonly items: number;
  /** Nodes of one snapshot. */
  readonly nodes: number;
  readonly snapshotBytes: number;
  readonly callsPerTrace: number;
  readonly leavesPerTrace: number;
  readonly traceBytes: number;
  readonly ringBytes: number;
  readonly streamClients: number;
  /** Bytes waiting for one slow client of the stream. */
  readonly streamBufferBytes: number;
}

/** The functions that the walker needs. */
export interface SnapshotSettings {
  readonly limits: Pick<CaptureLimits, "stringChars" | "depth" | "items" | "nodes" | "snapshotBytes">;
  readonly redactor: Redactor;
  readonly forms: ReadonlyMap<object, (value: object) => unknown>;
  /** Names an object that is shown only by name, such as a bean or a context. */
  readonly nameOf: (value: object) => Json | undefined;
  /** Runs a developer's function with recording off. */
  readonly quietly: <R>(run: () => R) => R;
}

type Mutable = Record<string, Json>;

/** The memory of a value without parts. */
export const atomBytes = 16;

/** One snapshot in progress. */
export class Walk {
  readonly #settings: SnapshotSettings;
  readonly #budget: number;
  readonly #above: object[] = [];
  #nodes = 0;
  bytes = 0;

  constructor(settings: SnapshotSettings, budget: number) {
    this.#settings = settings;
    this.#budget = Math.min(budget, settings.limits.snapshotBytes);
  }

  safely(value: unknown): Json {
    try {
      return this.#value(value);
    } catch (failure) {
      this.#above.length = 0;
      return {
        $error: { name: "SnapshotError", message: failure instanceof RangeError ? "too deep" : "cannot be shown" },
      } satisfies TaggedValue;
    }
  }

  /** The own data of a thrown value, without what every error has; with the name of its class. */
  ofError(value: object, form: { readonly $class?: string; readonly $from?: string }): Mutable {
    const { $class: className, ...from } = form;
    const hidden = hidesData(value) ? { $hidden: true } : {};
    try {
      const fields = Object.entries(this.#fields(value, className) as Mutable);
      return { ...from, ...hidden, ...Object.fromEntries(fields.filter(([key]) => !ofEveryError.has(key))) };
    } catch {
      return this.#cut(1) as Mutable;
    }
  }

  get #full(): boolean {
    return this.bytes >= this.#budget || this.#nodes >= this.#settings.limits.nodes;
  }

  #value(value: unknown): Json {
    this.#nodes++;
    this.bytes += atomBytes;
    switch (typeof value) {
      case "string":
        return this.#string(value);
      case "number":
        return Number.isFinite(value) && !Object.is(value, -0) ? value : this.#tag({ $number: numberName(value) });
      case "boolean":
        return value;
      case "object":
        return value === null ? null : this.#object(value);
      case "undefined":
        return this.#tag({ $undefined: true });
      case "bigint":
        return value > -hugeBigint && value < hugeBigint ? this.#tag({ $bigint: value.toString() }) : this.#cut(1);
      case "symbol":
        return this.#tag({ $symbol: this.#line(value.description ?? "") });
      default:
        return this.#function(value as object);
    }
  }

  #string(text: string): Json {
    const { limits, redactor } = this.#settings;
    // A text this short has room unless the snapshot is full.
    if (text.length <= limits.stringChars && redactor.isHarmless(text) && !this.#full) {
      this.bytes += text.length;
      return text;
    }
    const room = this.#full ? 0 : Math.min(limits.stringChars, Math.max(64, this.#budget - this.bytes));
    if (text.length <= room) {
      const shown = redactor.text(text, room);
      this.bytes += heapSizeOf(shown);
      return shown;
    }
    const end = room > 0 && isHighSurrogate(text.charCodeAt(room - 1)) ? room - 1 : room;
    const head = copyOf(redactor.text(text, end));
    this.bytes += 64 + heapSizeOf(head);
    return { $string: head, $truncated: text.length - end } satisfies TaggedValue;
  }

  #line(text: string): string {
    const shown = this.#settings.redactor.text(text, KEY_CHARS);
    this.bytes += shown.length * 2;
    return text.length > KEY_CHARS ? copyOf(`${shown}…`) : shown;
  }

  #tag(form: TaggedValue | { readonly $class: "Proxy" }): Json {
    this.bytes += 40;
    return form;
  }

  #function(value: object): Json {
    const name = types.isProxy(value) ? "" : ownData(value, "name");
    return this.#settings.nameOf(value) ?? this.#tag({ $function: this.#line(typeof name === "string" ? name : "") });
  }

  #object(value: object): Json {
    const named = this.#settings.nameOf(value);
    if (named !== undefined) {
      this.bytes += 80;
      return named;
    }
    if (types.isProxy(value)) return this.#tag({ $class: "Proxy" });
    if (this.#above.includes(value)) return this.#tag({ $circular: true });
    this.#above.push(value);
    const json = Array.isArray(value) ? this.#array(value) : this.#builtIn(value);
    this.#above.pop();
    return json;
  }

  #builtIn(value: object): Json {
    if (Object.getPrototypeOf(value) === Object.prototype) return this.#plain(value);
    if (types.isDate(value)) return this.#tag({ $date: isoOf(value) });
    if (types.isMap(value)) return this.#map(value);
    if (types.isSet(value)) return this.#set(value);
    if (types.isNativeError(value)) return this.#error(value);
    if (types.isPromise(value)) return this.#tag({ $thenable: true });
    const bytes = byteLengthOf(value);
    if (bytes !== undefined) return this.#tag({ $bytes: bytes });
    const name = classNameOf(value);
    return name === undefined ? this.#plain(value) : this.#instance(value, name);
  }

  /** An object without a class. Most are, so other kinds are not tested. */
  #plain(value: object): Json {
    return Object.hasOwn(value, "then") && isThenableObject(value)
      ? this.#tag({ $thenable: true })
      : this.#fields(value, undefined);
  }

  #instance(value: object, name: string): Json {
    const form = formOf(value, this.#settings.forms);
    if (form !== undefined && !this.#tooDeep) {
      const shown = this.#form(value, form, name);
      if (shown !== undefined) return shown;
    }
    if (isThenableObject(value)) return this.#tag({ $thenable: true });
    const stream = streamTypeOf(value, name);
    if (stream !== undefined) return this.#tag({ $stream: this.#line(stream) });
    const url = urlTextOf(value);
    if (url !== undefined) return { $class: "URL", href: this.#string(url) };
    const pattern = regExpOf(value);
    if (pattern === undefined) return this.#fields(value, name);
    return { $class: this.#line(name), source: this.#string(pattern.source), flags: pattern.flags };
  }

  /** A developer's own form for a type, or undefined when it fails. */
  #form(value: object, form: (value: object) => unknown, name: string): Json | undefined {
    let shown: unknown;
    try {
      shown = this.#settings.quietly(() => form(value));
    } catch {
      return undefined;
    }
    if (typeof shown !== "object" || shown === null) return this.#value(shown);
    // A form that rejects must not end the process, and a pending one shows nothing.
    if (types.isPromise(shown)) return void shown.then(undefined, () => undefined);
    if (shown === value) return undefined;
    if (types.isProxy(shown) || Array.isArray(shown) || classNameOf(shown) !== undefined) return this.#value(shown);
    return this.#fields(shown, name);
  }

  /** With its cause and the errors that it aggregates. */
  #error(value: Error): Json {
    const { name, message } = errorInfoOf(value);
    const shown = { name: this.#line(name), message: this.#settings.redactor.text(message, 4_096) };
    const [cause, errors] = [ownData(value, "cause"), ownList(value, "errors")];
    if (this.#tooDeep || (cause === undefined && errors.length === 0)) return this.#tag({ $error: shown });
    const causes = cause === undefined ? {} : { cause: this.#value(cause) };
    return this.#tag({
      $error: {
        ...shown,
        ...causes,
        ...(errors.length === 0 ? {} : { errors: errors.map((one) => this.#value(one)) }),
      },
    });
  }

  #array(value: readonly unknown[]): Json {
    const { length } = value;
    if (this.#tooDeep && length > 0) return this.#cut(length);
    const { redactor, limits } = this.#settings;
    const shown: Json[] = [];
    this.bytes += 32;
    const named = length % 2 === 0 && isNameList(value) ? redactor : undefined;
    for (let index = 0; index < length; index++) {
      if (index >= limits.items || this.#full) {
        shown.push(this.#cut(length - index));
        break;
      }
      const item = ownData(value, index);
      const before = index === 0 ? undefined : ownData(value, index - 1);
      const isNamed = index % 2 === 1 && named?.hides(before as string, item) === true;
      const isSecret = isNamed || (isOption(before) && redactor.hides(before, item));
      shown.push(isSecret ? this.#secretOfList(item) : this.#value(item));
    }
    return shown;
  }

  #map(value: ReadonlyMap<unknown, unknown>): Json {
    const size = mapSize(value);
    if (this.#tooDeep && size > 0) return this.#cut(size);
    const { redactor, limits } = this.#settings;
    const shown: Json[] = [];
    for (const [key, item] of mapEntries(value)) {
      if (shown.length >= limits.items || this.#full) {
        shown.push(this.#cut(size - shown.length));
        break;
      }
      this.bytes += 32;
      const isSecret = typeof key === "string" && redactor.hides(key, item);
      shown.push([this.#value(key), isSecret ? this.#secret(item) : this.#value(item)]);
    }
    return this.#tag({ $map: shown });
  }

  #set(value: ReadonlySet<unknown>): Json {
    const size = setSize(value);
    if (this.#tooDeep && size > 0) return this.#cut(size);
    const shown: Json[] = [];
    for (const item of setValues(value)) {
      if (shown.length >= this.#settings.limits.items || this.#full) {
        shown.push(this.#cut(size - shown.length));
        break;
      }
      shown.push(this.#value(item));
    }
    return this.#tag({ $set: shown });
  }

  #fields(value: object, className: string | undefined): Json {
    const keys = Object.keys(value);
    if (this.#tooDeep && keys.length > 0) return this.#cut(keys.length);
    const { redactor, limits } = this.#settings;
    const shown: Mutable = className === undefined ? {} : { $class: this.#line(className) };
    if (className !== undefined && hasPrivateFields(value)) shown["$private"] = true;
    this.bytes += 48;
    const namesSecret = Object.hasOwn(value, "value") && isNamedSecret(value, redactor);
    let count = 0;
    for (const key of keys) {
      if (count >= limits.items || this.#full) {
        shown["$truncated"] = keys.length - count;
        break;
      }
      count++;
      const field = Object.getOwnPropertyDescriptor(value, key);
      if (field === undefined || !("value" in field)) continue;
      const item: unknown = field.value;
      const isSecret = redactor.hides(key, item) || (namesSecret && key === "value");
      put(
        shown,
        this.#key(key),
        isSecret && item !== undefined && item !== null ? this.#secret(item) : this.#value(item),
      );
    }
    return shown;
  }

  #key(key: string): string {
    this.bytes += 32 + key.length;
    const shown = key.length > 20 ? this.#line(key) : key;
    return shown.startsWith("$") ? `$${shown}` : shown;
  }

  get #tooDeep(): boolean {
    return this.#above.length > this.#settings.limits.depth || this.#full;
  }

  #cut(items: number): Json {
    this.bytes += 40;
    return { $truncated: items } satisfies TaggedValue;
  }

  #secret(value: unknown): string {
    this.#nodes++;
    this.#settings.redactor.remember(value);
    return REDACTED;
  }

  /** A list of names would be taken for names and values, so its words are hidden, and not searched elsewhere. */
  #secretOfList(value: unknown): string {
    if (typeof value === "string" && /^[A-Za-z_]\w{0,15}$/.test(value)) this.#nodes++;
    else this.#secret(value);
    return REDACTED;
  }
}

/** Shown characters of a key, or of another short text. */
export const KEY_CHARS = 1_024;

/** Whether an error has hidden data, such as a cause, or properties that are not enumerable or are computed. */
function hidesData(error: object): boolean {
  return Object.getOwnPropertyNames(error).some((key) => {
    const { value, get, enumerable } = Object.getOwnPropertyDescriptor(error, key) ?? {};
    if (key === "message" || key === "stack" || key === "name" || typeof value === "function") return false;
    return get !== undefined || (value !== undefined && (enumerable === false || key === "cause"));
  });
}

const ofEveryError: ReadonlySet<string> = new Set(["message", "stack", "cause"]);

const hugeBigint = 2n ** 4096n;

/** A number that JSON lacks: NaN, an infinity or minus zero. */
function numberName(value: number): "NaN" | "Infinity" | "-Infinity" | "-0" {
  if (Number.isNaN(value)) return "NaN";
  if (value === 0) return "-0";
  return value > 0 ? "Infinity" : "-Infinity";
}

/** Whether this is a flat list of names and values, like `["password", "hunter2"]` or Node's `rawHeaders`. */
function isNameList(list: readonly unknown[]): boolean {
  const length = Math.min(list.length, 200);
  for (let index = 0; index < length; index += 2) {
    const name = ownData(list, String(index));
    if (typeof name !== "string" || name.length > 64 || !/^[\w.[\]-]+$/.test(name)) return false;
  }
  return length > 0;
}

/** Whether this is an option of a command line, with its value in the next item. */
const isOption = (item: unknown): item is string =>
  typeof item === "string" && item.startsWith("-") && /^--?[A-Za-z][\w.-]{0,63}$/.test(item);

/** Whether this is the field of a form or a header, like `{ name: "password", value: "hunter2" }`. */
const isNamedSecret = (field: object, redactor: Redactor): boolean =>
  ["name", "key", "header", "field"].some((place) => {
    const name = ownData(field, place);
    return typeof name === "string" && redactor.hides(name, ownData(field, "value"));
  });

function put(target: Mutable, key: string, value: Json): void {
  if (key === "__proto__")
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
