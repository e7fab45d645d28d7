/**
 * Inspects an object without running any of its code.
 *
 * Everything is read by property descriptors and by brands that only the engine sets. Prototype chains are
 * followed until they end or meet a proxy, since its traps would be the application's code.
 *
 * Spec: spec/trace.md
 */
import { types } from "node:util";
import type { ErrorInfo } from "../run/shapes.ts";

const maxChain = 32;
const maxListed = 10;

/** The value of an own data property, or undefined when there is none. */
export function ownData(value: object, key: PropertyKey): unknown {
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}

/** The first items of an own data property that is a list, empty for any other value. */
export function ownList(value: object, key: PropertyKey): readonly unknown[] {
  const list = ownData(value, key);
  if (!Array.isArray(list) || types.isProxy(list)) return [];
  return Array.from({ length: Math.min(list.length, maxListed) }, (_, at) => ownData(list, at));
}

/** The value of the nearest data property of that name, or undefined when it is missing or an accessor. */
export function dataOf(value: object, key: PropertyKey): unknown {
  for (const object of chainOf(value)) {
    const property = Object.getOwnPropertyDescriptor(object, key);
    if (property !== undefined) return property.value;
  }
  return undefined;
}

/** The object and its prototypes, up to the first proxy. */
export function chainOf(value: object): readonly object[] {
  const chain: object[] = [];
  for (let object: object | null = value; object !== null && chain.length < maxChain; object = prototypeOf(object)) {
    if (types.isProxy(object)) break;
    chain.push(object);
  }
  return chain;
}

const prototypeOf = (value: object): object | null => Object.getPrototypeOf(value) as object | null;

/** The name of the object's class, or undefined for a plain object. */
export function classNameOf(value: object): string | undefined {
  const prototype = prototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  for (const object of chainOf(prototype)) {
    const made = ownData(object, "constructor");
    if (typeof made !== "function" || types.isProxy(made)) continue;
    const name = ownData(made, "name");
    if (name === "Object" && prototypeOf(object) === null) return object === prototype ? undefined : "Object";
    return typeof name === "string" && name !== "" ? name : "(anonymous)";
  }
  return "(unknown)";
}

const privateField = /[\n;{}][ \t]*#[A-Za-z_$][\w$]*[ \t]*(?:=(?!=)|[;\r\n}])/;
/** By the prototype of an instance, whether one of its classes has data that other code cannot see. */
const keepsPrivate = new WeakMap<object, boolean>();

/**
 * Whether a class of the object has data that other code cannot see: in private fields, or as a class of the engine does, such
 * as WeakMap. Found by the source text of its classes, read once.
 */
export function hasPrivateFields(value: object): boolean {
  const prototype = prototypeOf(value);
  if (prototype === null) return false;
  const known = keepsPrivate.get(prototype);
  if (known !== undefined) return known;
  const keeps = chainOf(prototype).some((one) => keepsPrivateItself(one, types.isNativeError(value)));
  keepsPrivate.set(prototype, keeps);
  return keeps;
}

function keepsPrivateItself(prototype: object, isError: boolean): boolean {
  const made = ownData(prototype, "constructor");
  if (typeof made !== "function" || types.isProxy(made) || ownData(made, "prototype") !== prototype) return false;
  const source = Function.prototype.toString.call(made).slice(0, 20_000);
  // An error hides only what every error has. An object hides nothing.
  if (source.endsWith("{ [native code] }")) return !isError && prototypeOf(prototype) !== null;
  return privateField.test(source);
}

/** Whether the object has a `then` that can be called. */
export function isThenableObject(value: object): boolean {
  return typeof dataOf(value, "then") === "function";
}

/** The kind of stream, if the object can be consumed. */
export function streamTypeOf(value: object, name: string): string | undefined {
  if (types.isGeneratorObject(value)) return "Generator";
  if (types.isMapIterator(value) || types.isSetIterator(value)) return "Iterator";
  const has = (key: PropertyKey): boolean => typeof dataOf(value, key) === "function";
  const consumed =
    (has("pipe") && has("on")) || has("getReader") || has("getWriter") || (has("next") && has(Symbol.asyncIterator));
  return consumed || name === "Response" || name === "Request" ? name : undefined;
}

/** The text of a URL object. */
export function urlTextOf(value: object): string | undefined {
  if (prototypeOf(value) !== URL.prototype) return undefined;
  const text: unknown = Object.getOwnPropertyDescriptor(URL.prototype, "href")?.get?.call(value);
  return typeof text === "string" ? text : undefined;
}

/** The source and the flags of a regular expression, read as the engine keeps them. Undefined for anything else. */
export function regExpOf(value: object): { readonly source: string; readonly flags: string } | undefined {
  if (!types.isRegExp(value)) return undefined;
  const read = (key: string): unknown => Object.getOwnPropertyDescriptor(RegExp.prototype, key)?.get?.call(value);
  const flags = flagNames.filter(([, name]) => read(name) === true).map(([letter]) => letter);
  return { source: String(read("source")), flags: flags.join("") };
}

/** In the order of the language. */
const flagNames: readonly (readonly [letter: string, name: string])[] = [
  ["d", "hasIndices"],
  ["g", "global"],
  ["i", "ignoreCase"],
  ["m", "multiline"],
  ["s", "dotAll"],
  ["u", "unicode"],
  ["v", "unicodeSets"],
  ["y", "sticky"],
];

/** The number of bytes in a buffer or a view of one, or undefined for anything else. */
export function byteLengthOf(value: object): number | undefined {
  if (types.isTypedArray(value)) return lengthBy(Object.getPrototypeOf(Uint8Array.prototype) as object, value);
  if (types.isDataView(value)) return lengthBy(DataView.prototype, value);
  if (types.isArrayBuffer(value)) return lengthBy(ArrayBuffer.prototype, value);
  if (types.isSharedArrayBuffer(value)) return lengthBy(SharedArrayBuffer.prototype, value);
  return undefined;
}

const lengthBy = (prototype: object, value: object): number => builtInNumber(prototype, "byteLength", value);

/** The result of a getter of the language itself. */
function builtInNumber(prototype: object, key: string, value: object): number {
  const given: unknown = Object.getOwnPropertyDescriptor(prototype, key)?.get?.call(value);
  return typeof given === "number" ? given : 0;
}

/** The developer's form for the object's class or the nearest class above it. */
export function formOf<F>(value: object, forms: ReadonlyMap<object, F>): F | undefined {
  if (forms.size === 0) return undefined;
  for (const object of chainOf(value)) {
    const form = forms.get(object);
    if (form !== undefined) return form;
  }
  return undefined;
}

/** Name and message of any thrown value. */
export function errorInfoOf(thrown: unknown): ErrorInfo {
  if (typeof thrown !== "object" || thrown === null)
    return {
      name: thrown === null ? "null" : typeof thrown,
      message: typeof thrown === "function" ? "" : String(thrown),
    };
  const message = types.isProxy(thrown) ? undefined : dataOf(thrown, "message");
  const name = types.isProxy(thrown) ? "Proxy" : errorName(thrown);
  return { name, message: typeof message === "string" ? message : "" };
}

function errorName(thrown: object): string {
  const name = dataOf(thrown, "name");
  const named = typeof name === "string" && name !== "" ? name : "Error";
  return named === "Error" ? (classNameOf(thrown) ?? named) : named;
}

/** Entries of a map, even if its class overrides methods. */
export function mapEntries(map: ReadonlyMap<unknown, unknown>): Iterable<[unknown, unknown]> {
  return Map.prototype.entries.call(map) as Iterable<[unknown, unknown]>;
}

/** Values of a set, even if its class overrides methods. */
export function setValues(set: ReadonlySet<unknown>): Iterable<unknown> {
  return Set.prototype.values.call(set) as Iterable<unknown>;
}

/** The number of entries of a map. */
export const mapSize = (map: ReadonlyMap<unknown, unknown>): number => builtInNumber(Map.prototype, "size", map);

/** The number of values of a set. */
export const setSize = (set: ReadonlySet<unknown>): number => builtInNumber(Set.prototype, "size", set);

/** A date as ISO 8601. */
export function isoOf(date: Date): string {
  return Number.isNaN(Date.prototype.getTime.call(date)) ? "Invalid Date" : Date.prototype.toISOString.call(date);
}
