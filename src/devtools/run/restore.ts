/**
 * A recorded value as it was sent. The marks of the recording are undone, and missing parts are left out and named.
 *
 *   {"$$ref": 1, "list": [1, {"$truncated": 9}], "password": "[redacted]"}
 *     ──▶ {"$ref": 1, "list": [1]}, left out: "list: 9 more were not recorded", "password: hidden"
 *
 * Pure.
 */

import type { Json, JsonObject } from "./shapes.ts";
import { REDACTED } from "./wire.ts";
import { isList } from "./values.ts";

/** The restored value, and a line for each missing part. */
export interface RestoreResult {
  /** Undefined if nothing could be restored. */
  readonly value: Json | undefined;
  readonly leftOut: readonly string[];
}

/** A recorded JSON value without the marks of the recording. */
export function restore(recorded: Json): RestoreResult {
  const leftOut: string[] = [];
  return { value: restored(recorded, "", (path, why) => void leftOut.push(`${path || "the body"}: ${why}`)), leftOut };
}

/** Whether any part of that text is hidden. */
export const isHidden = (text: string): boolean => text.includes(REDACTED);

type Note = (path: string, why: string) => void;

function restored(value: Json, path: string, note: Note): Json | undefined {
  if (typeof value === "string") return isHidden(value) ? without(path, "hidden", note) : value;
  if (typeof value !== "object" || !value) return value;
  if (isList(value)) return restoredList(value, path, note);
  const [mark = ""] = Object.keys(value).filter((key) => isMark(key) && !(key === "$truncated" && isCutObject(value)));
  if (mark) return without(path, whyNot(mark), note);
  return restoredObject(value, path, note);
}

function restoredList(list: readonly Json[], path: string, note: Note): Json {
  return list.flatMap((item, index) => {
    const cut = index === list.length - 1 ? cutOf(item) : undefined;
    if (cut !== undefined) return (note(path, `${cut} more were not recorded`), []);
    const kept = restored(item, `${path}[${index}]`, note);
    return kept === undefined ? [] : [kept];
  });
}

function restoredObject(object: JsonObject, path: string, note: Note): Json {
  const members = Object.entries(object).flatMap(([key, value]): [string, Json][] => {
    if (key === "$truncated") return (note(path, `${String(value)} more were not recorded`), []);
    const name = key.startsWith("$$") ? key.slice(1) : key;
    const kept = restored(value, path ? `${path}.${name}` : name, note);
    return kept === undefined ? [] : [[name, kept]];
  });
  return Object.fromEntries(members);
}

/** A key of the recording. The user's own keys that begin with `$` are written with `$$`. */
const isMark = (key: string): boolean => /^\$(?!\$)/.test(key);

/** Whether `$truncated` is the end of an object with own members. */
const isCutObject = (object: JsonObject): boolean => Object.keys(object).some((key) => !isMark(key));

/** The number of items that the mark at a list's end stands for, or undefined for any other value. */
function cutOf(item: Json): string | undefined {
  if (typeof item !== "object" || !item || isList(item)) return undefined;
  const keys = Object.keys(item);
  return keys.length === 1 && keys[0] === "$truncated" ? String(item["$truncated"]) : undefined;
}

function without(path: string, why: string, note: Note): undefined {
  note(path, why);
  return undefined;
}

function whyNot(mark: string): string {
  if (mark === "$string" || mark === "$truncated") return "too long, so only its beginning was recorded";
  if (mark === "$evicted") return "no longer kept";
  if (mark === "$bytes" || mark === "$stream") return "its bytes were not recorded";
  return "it has no JSON form";
}
