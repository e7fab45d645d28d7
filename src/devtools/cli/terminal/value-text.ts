/**
 * Value text: a recorded value on part of a line, in a person's notation.
 *
 *   {"id":7,"at":{"$date":"2026-01-01T00:00:00.000Z"}}  ──▶  {id: 7, at: 2026-01-01T00:00:00.000Z}
 *
 * It is cut to the available room before it is built, so a value of a megabyte costs only its shown part.
 */
import type { Json, JsonObject } from "../../run/shapes.ts";
import { cutTo, printable } from "./printable.ts";
import { isList } from "../../run/values.ts";

/** The shown forms of values that JSON lacks (the table of spec/trace.md). */
const forms: Readonly<Record<string, (value: Json) => string>> = {
  $bigint: (value) => `${String(value)}n`,
  $number: String,
  $undefined: () => "undefined",
  $symbol: (value) => `Symbol(${String(value)})`,
  $function: (value) => `function ${String(value)}`,
  $date: String,
  $bytes: (value) => `${String(value)} bytes`,
  $stream: (value) => `stream ${String(value)}`,
  $thenable: () => "a promise",
  $pending: () => "not settled",
  $bean: String,
  $context: () => "ctx",
  $circular: () => "circular",
  $evicted: () => "not kept",
};

/** The value in at most this many columns. */
export function valueText(value: Json, columns: number): string {
  const writer = { room: columns + 1, text: "" };
  write(value, writer, 0);
  return cutTo(writer.text, columns);
}

interface Writer {
  readonly room: number;
  text: string;
}

function write(value: Json, to: Writer, depth: number): void {
  if (to.text.length > to.room) return;
  if (typeof value === "string") to.text += printable(JSON.stringify(value.slice(0, to.room)));
  else if (typeof value !== "object" || value === null) to.text += String(value);
  else if (depth > 8) to.text += "…";
  else if (isList(value)) writeAll(to, "[", "]", value, (item) => write(item, to, depth + 1));
  else writeObject(value, to, depth);
}

function writeObject(value: JsonObject, to: Writer, depth: number): void {
  const [first] = Object.keys(value);
  const inner = first === undefined ? undefined : value[first];
  const form = first !== undefined && Object.hasOwn(forms, first) ? forms[first] : undefined;
  if (form !== undefined && inner !== undefined) {
    to.text += printable(form(inner));
    const yielded = value["$yielded"];
    if (yielded !== undefined) write(yielded, to, depth + 1);
    return;
  }
  if (first === "$string" && typeof inner === "string") {
    to.text += `${printable(JSON.stringify(inner.slice(0, to.room)))}…`;
    return;
  }
  const entries = Object.entries(value).filter(([key]) => key !== "$class");
  writeAll(to, "{", "}", entries, ([key, item]) => {
    if (key === "$truncated") to.text += "…";
    else {
      to.text += `${printable(key.startsWith("$$") ? key.slice(1) : key)}: `;
      write(item, to, depth + 1);
    }
  });
}

function writeAll<T>(to: Writer, before: string, behind: string, items: readonly T[], one: (item: T) => void): void {
  to.text += before;
  for (const [at, item] of items.entries()) {
    if (to.text.length > to.room) return;
    if (at > 0) to.text += ", ";
    one(item);
  }
  to.text += behind;
}
