/**
 * Header lists: reads the forms in which clients keep headers into names and values.
 *
 *   { accept: "a" } · [["accept", "a"]] · ["accept", "a", …] with buffers or texts · "accept: a\r\n…" ──▶ pairs
 *
 * Spec: spec/leaves.md
 */

/** Names and values, as libraries keep headers: an object, pairs, a flat list, or the text of a head. */
export type HeaderList = Readonly<Record<string, unknown>> | readonly unknown[] | string;

/** Headers of one message that are shown. */
const maxHeaders = 100;

/** The pairs of a list; items that are not headers are left out. */
export function headerPairs(list: HeaderList): readonly (readonly [name: string, value: string])[] {
  const pairs: [string, string][] = [];
  const add = (name: unknown, value: unknown): void => {
    const [key, text] = [textOf(name), textOf(value)];
    if (key !== undefined && key !== "" && text !== undefined && pairs.length < maxHeaders) pairs.push([key, text]);
  };
  const addAll = (name: unknown, value: unknown): void => {
    if (Array.isArray(value)) for (const one of value as unknown[]) add(name, one);
    else add(name, value);
  };
  if (typeof list === "string") for (const [name, value] of linesOf(list)) add(name, value);
  else if (!Array.isArray(list)) for (const [name, value] of Object.entries(list)) addAll(name, value);
  else if (list.length > 0 && list.every((item) => Array.isArray(item)))
    for (const [name, value] of list as unknown[][]) addAll(name, value);
  else for (let at = 0; at + 1 < list.length; at += 2) addAll(list[at], list[at + 1]);
  return pairs;
}

function linesOf(head: string): readonly (readonly [string, string])[] {
  return head
    .slice(0, 65_536)
    .split(/\r?\n/)
    .flatMap((line) => {
      const at = line.indexOf(":");
      return at <= 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()] as const];
    });
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : undefined;
}
