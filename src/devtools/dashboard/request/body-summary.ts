/**
 * A body in one line: nested values as their sizes. Pure.
 *
 *   {"region": "FR", "seats": [1, 2, 3], "at": {"x": 1}}  ──▶  { region: "FR", seats: [3 items], at: {1 member} }
 */

import { count } from "../../run/format.ts";
import type { Json } from "../../run/shapes.ts";
import { isList, isObject, jsonOf } from "../../run/values.ts";

const MAX_TEXT = 120;
const MAX_VALUE = 24;

/** The line, at most 120 characters; empty for an empty body. */
export function bodySummary(body: string): string {
  const value = jsonOf(body);
  if (isObject(value)) {
    const members = Object.entries(value).map(([name, member]) => `${name}: ${shortValue(member)}`);
    return members.length === 0 ? "{}" : cut(`{ ${members.join(", ")} }`, MAX_TEXT);
  }
  return value === undefined ? cut(body.trim().replace(/\s+/g, " "), MAX_TEXT) : shortValue(value);
}

function shortValue(value: Json): string {
  if (isList(value)) return `[${count(value.length, "item")}]`;
  return isObject(value) ? `{${count(Object.keys(value).length, "member")}}` : cut(JSON.stringify(value), MAX_VALUE);
}

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);
