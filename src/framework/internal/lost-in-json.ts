/**
 * What is lost in JSON: values that it writes as `{}` although they hold something.
 *
 *   { items: [Promise, Promise] } ──▶ a Promise at items[0] ──▶ "await it"
 *
 * Looking for one costs as much as writing the JSON does, so it is for a text that has a `{}` in it. What JSON does not
 * read is not looked at: an object with a `toJSON` has a form of its own.
 *
 * Spec: spec/context.md, spec/session.md
 */
import { isThenable } from "./thenable.ts";

/** What is lost, where, and what to write in its place. */
export interface Lost {
  /** `a Map`. */
  readonly what: string;
  /** `items[0].tags`; empty where it is the value itself. */
  readonly path: string;
  readonly remedy: string;
}

const entries = "Object.fromEntries(it)";
const list = "[...it]";
const bytes = "send bytes as a response of their own, or as base64";
/** By the tag of their class. */
const remedies: Readonly<Record<string, string>> = {
  Map: entries,
  Headers: entries,
  FormData: entries,
  URLSearchParams: entries,
  Set: list,
  Generator: list,
  "Map Iterator": list,
  "Set Iterator": list,
  "Array Iterator": list,
  ArrayBuffer: bytes,
  SharedArrayBuffer: bytes,
  DataView: bytes,
  Blob: bytes,
  File: bytes,
  Error: "its message",
  RegExp: "its source",
  AsyncGenerator: "await Array.fromAsync(it)",
  ReadableStream: "read it",
  Request: "read it",
  Response: "read it, or return it alone",
};

/** Values that are looked at: enough to find what every item of a list has. */
const maxValues = 10_000;

/** The value itself, where it is lost. */
export function lostItself(value: unknown, path = ""): Lost | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (isThenable(value)) return { what: "a Promise", path, remedy: "await it" };
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  const remedy = Object.hasOwn(remedies, tag) ? remedies[tag] : undefined;
  if (remedy === undefined || Object.keys(value).length > 0 || hasJson(value)) return undefined;
  return { what: `${/^[AEIOU]/.test(tag) ? "an" : "a"} ${tag}`, path, remedy };
}

/**
 * The first value within `value` that is lost, `value` itself included. Never throws.
 *
 * @param path of `value`
 */
export function lostIn(value: unknown, path = ""): Lost | undefined {
  try {
    return search(value, path, { left: maxValues });
  } catch {
    return undefined; // A getter throws now and has not before, or it goes too deep.
  }
}

/** `a Map at prices, which JSON writes as {}: Object.fromEntries(it)`. */
export const lostSentence = ({ what, path, remedy }: Lost): string =>
  `${what}${path === "" ? "" : ` at ${path}`}, which JSON writes as {}: ${remedy}`;

function search(value: unknown, path: string, room: { left: number }): Lost | undefined {
  room.left -= 1;
  if (typeof value !== "object" || value === null || room.left < 0) return undefined;
  const lost = lostItself(value, path);
  if (lost !== undefined || hasJson(value) || ArrayBuffer.isView(value)) return lost;
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key);
    if (typeof member !== "object" || member === null) continue;
    const found = search(member, Array.isArray(value) ? `${path}[${key}]` : memberPath(path, key), room);
    if (found !== undefined || room.left < 0) return found;
  }
  return undefined;
}

const hasJson = (value: object): boolean => "toJSON" in value && typeof value.toJSON === "function";

function memberPath(path: string, key: string): string {
  if (!/^[\w$]+$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === "" ? key : `${path}.${key}`;
}
