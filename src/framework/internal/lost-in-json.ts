/**
 * Values lost in JSON: it writes them as `{}` although they hold data.
 *
 *   { items: [Promise, Promise] } ──▶ a Promise at items[0] ──▶ "await it"
 *
 * The search costs as much as writing the JSON, so it runs only for a text with a `{}` in it. Parts that JSON does not read are
 * not searched, since an object with a `toJSON` has its own form.
 *
 * Spec: spec/context.md, spec/session.md
 */
import { isThenable } from "./thenable.ts";

/** The lost value, its place, and its replacement. */
export interface Lost {
  /** `a Map`. */
  readonly what: string;
  /** `items[0].tags`, or empty for the value itself. */
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

/** Maximum number of inspected values, enough for a fault in every item of a list. */
const maxValues = 10_000;

/** The value itself, if it is lost. */
export function lostItself(value: unknown, path = ""): Lost | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (isThenable(value)) return { what: "a Promise", path, remedy: "await it" };
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  const remedy = Object.hasOwn(remedies, tag) ? remedies[tag] : undefined;
  if (remedy === undefined || Object.keys(value).length > 0 || hasJson(value)) return undefined;
  return { what: `${/^[AEIOU]/.test(tag) ? "an" : "a"} ${tag}`, path, remedy };
}

/**
 * The first lost value within `value`, including itself. Never throws.
 *
 * @param path of `value`
 */
export function lostIn(value: unknown, path = ""): Lost | undefined {
  try {
    return search(value, path, { left: maxValues });
  } catch {
    return undefined; // A getter throws now and did not before, or it is too deep.
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
