/**
 * A JSON value as flat rows, so that a viewer draws only those on screen. Pure.
 *
 *   value + which nodes the user opened or closed ──▶ jsonRows ──▶ one row a line
 *
 * With `tagged`, recorded values that JSON lacks (`{ "$date": … }` and the like) are shown in their original form, as
 * one leaf, with a class name before the brace, or with a line that says how much was left out.
 */

import { memberStep } from "../../run/compare/diff.ts";
import type { Json, TaggedValue } from "../../run/shapes.ts";
import { grouped } from "../../run/format.ts";
import { keysOf, textOf } from "../../run/values.ts";

/** One line of the viewer. */
export interface JsonRow {
  /** JSONPath of the node; the closing line of a node has a trailing space so that keys stay unique. */
  readonly path: string;
  /** The member's name; null in arrays and at the root. */
  readonly key: string | null;
  readonly depth: number;
  readonly kind: "open" | "close" | "folded" | "leaf" | "note";
  /** The text of a leaf or note, or the bracket. */
  readonly text: string;
  readonly type: "string" | "number" | "literal" | "note" | "bracket";
  /** The number of items inside. */
  readonly size: number;
  /** A class or collection name before the bracket. */
  readonly label: string;
  readonly last: boolean;
}

/** The JSONPath of a JSON pointer; digits are taken for the index of an item. */
export const pathOf = (pointer: string): string =>
  keysOf(pointer).reduce((path, key) => path + (/^\d+$/.test(key) ? `[${key}]` : memberStep(key)), "$");

/** Nodes that differ from their initial state. */
export interface Folds {
  readonly opened: ReadonlySet<string>;
  readonly closed: ReadonlySet<string>;
  /** Opens everything that the user has not closed, for searching. */
  readonly all?: boolean | undefined;
}

/** Nodes deeper than this, and arrays longer than MANY, start folded. */
const DEEP = 4;
const MANY = 200;

/** The rows of a value. Each is written out in full, because copying shared parts took five times as long for 1 MB. */
export function jsonRows(value: Json, folds: Folds, tagged: boolean): JsonRow[] {
  const rows: JsonRow[] = [];
  const walk = (node: Json, path: string, key: string | null, depth: number, last: boolean): void => {
    const leaf = toLeaf(node, tagged);
    if (leaf) {
      const { text, type } = leaf;
      rows.push({ path, key, depth, kind: "leaf", text, type, size: 0, label: "", last });
      return;
    }
    const { members, brackets, label, notes } = toMembers(node, path, tagged);
    const size = members.length;
    const startsFolded = depth > DEEP || (size > MANY && depth > 0);
    const folded =
      (size === 0 && notes.length === 0) ||
      folds.closed.has(path) ||
      (startsFolded && folds.all !== true && !folds.opened.has(path));
    const bracket = (kind: JsonRow["kind"], text: string, at: string, name: string | null): number =>
      rows.push({ path: at, key: name, depth, kind, text, type: "bracket", size, label, last });
    if (folded) {
      bracket("folded", brackets, path, key);
      return;
    }
    bracket("open", brackets.slice(0, 1), path, key);
    members.forEach((m, i) => walk(m.value, m.path, m.key, depth + 1, i === size - 1 && notes.length === 0));
    notes.forEach((text, i) => {
      const at = { path: `${path} note ${i}`, key: null, depth: depth + 1 };
      rows.push({ ...at, kind: "note", text, type: "note", size: 0, label: "", last: true });
    });
    bracket("close", brackets.slice(1), `${path} `, null);
  };
  walk(value, "$", null, 0, true);
  return rows;
}

/** Folds with one node the other way round. */
export function toggleFold(folds: Folds, row: JsonRow): Folds {
  const opened = new Set(folds.opened);
  const closed = new Set(folds.closed);
  if (row.kind === "folded") {
    closed.delete(row.path);
    opened.add(row.path);
  } else {
    opened.delete(row.path);
    closed.add(row.path);
  }
  return { opened, closed };
}

/** Indices of the rows with this text in their key or value, in any case. */
export function findRows(rows: readonly JsonRow[], text: string): number[] {
  const wanted = text.toLowerCase();
  if (!wanted) return [];
  return rows.flatMap((row, i) =>
    row.kind !== "close" && `${row.key ?? ""}\n${row.label}\n${row.text}`.toLowerCase().includes(wanted) ? [i] : [],
  );
}

type Leaf = Pick<JsonRow, "text" | "type">;

function toLeaf(node: Json, tagged: boolean): Leaf | undefined {
  if (node === null || typeof node === "boolean") return { text: String(node), type: "literal" };
  if (typeof node === "number") return { text: String(node), type: "number" };
  if (typeof node === "string") return { text: JSON.stringify(node), type: "string" };
  if (!tagged || Array.isArray(node)) return undefined;
  return taggedLeaf(node as { readonly [key: string]: Json });
}

/** The member names that distinguish the forms of TaggedValue. */
type Tag = TaggedValue extends infer Form ? (Form extends unknown ? keyof Form : never) : never;

/** The text of a form that is one leaf: its content between two texts, or its own text. */
const around =
  (before: string, after = "", type: Leaf["type"] = "note") =>
  (value: Json): Leaf => ({ text: before + textOf(value) + after, type });
const fixed =
  (text: string, type: Leaf["type"] = "note") =>
  (): Leaf => ({ text, type });

/** The forms; a missing one is a compile error. */
const NOTES: Readonly<Record<Exclude<Tag, "$string" | "$map" | "$set" | "$yielded">, (value: Json) => Leaf>> = {
  $bigint: around("", "n", "number"),
  $number: around("", "", "number"),
  $undefined: fixed("undefined", "literal"),
  $symbol: around("Symbol(", ")", "literal"),
  $function: around("ƒ ", "", "literal"),
  $date: around("Date ", "", "literal"),
  $bytes: around("", " bytes"),
  $error: (value) => ({ text: errorText(value), type: "note" }),
  $stream: around("stream "),
  $thenable: fixed("thenable, never started"),
  $pending: fixed("pending when the response was done"),
  $bean: around("bean "),
  $context: around("context of "),
  $circular: fixed("circular reference"),
  $evicted: fixed("dropped to save memory; send the request again to see it"),
  $truncated: (value) => ({ text: leftOut(Number(value)), type: "note" }),
};

function taggedLeaf(node: { readonly [key: string]: Json }): Leaf | undefined {
  const keys = Object.keys(node);
  const head = node["$string"];
  if (typeof head === "string")
    return { text: `${JSON.stringify(head)} … ${textOf(node["$truncated"] ?? 0)} more characters`, type: "string" };
  const [only] = keys;
  return keys.length === 1 && only !== undefined && isNoted(only) ? NOTES[only](node[only] ?? null) : undefined;
}

const isNoted = (key: string): key is keyof typeof NOTES => Object.hasOwn(NOTES, key);

interface Members {
  readonly members: readonly { readonly key: string | null; readonly path: string; readonly value: Json }[];
  readonly brackets: string;
  readonly label: string;
  readonly notes: readonly string[];
}

function toMembers(node: Json, path: string, tagged: boolean): Members {
  if (Array.isArray(node))
    return {
      members: node.map((value: Json, i) => ({ key: null, path: `${path}[${i}]`, value })),
      brackets: "[]",
      label: "",
      notes: [],
    };
  const object = node as { readonly [key: string]: Json };
  if (!tagged) return { members: membersOf(Object.entries(object), path), brackets: "{}", label: "", notes: [] };
  for (const [tag, label] of COLLECTIONS) {
    const items = object[tag];
    if (Array.isArray(items)) return { ...toMembers(items, `${path}.${tag}`, tagged), label };
  }
  const own = Object.entries(object).flatMap(([raw, value]) =>
    BESIDE.has(raw) ? [] : [[raw.startsWith("$$") ? raw.slice(1) : raw, value] as const],
  );
  const label = typeof object["$class"] === "string" ? object["$class"] : "";
  const more = Number(object["$truncated"] ?? 0);
  const notes = [...(object["$private"] === true ? [privateNote(label)] : []), ...(more > 0 ? [leftOut(more)] : [])];
  return { members: membersOf(own, path), brackets: "{}", label, notes };
}

const membersOf = (entries: readonly (readonly [string, Json])[], path: string): Members["members"] =>
  entries.map(([key, value]) => ({ key, path: path + memberStep(key), value }));

const COLLECTIONS = [
  ["$map", "Map"],
  ["$set", "Set"],
  ["$yielded", "generator"],
] as const;

/** Members of a recorded object that are not its own. */
const BESIDE: ReadonlySet<string> = new Set(["$class", "$private", "$truncated"]);

/** Private fields are invisible to the recorder; this says how to show them. */
const privateNote = (name: string): string =>
  `private fields; to show them: Devtools.create({ snapshot: [[${name}, (value) => value.toJSON()]] })`;

function leftOut(n: number): string {
  return `… ${grouped(n)} more left out`;
}

function errorText(value: Json): string {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return "error";
  const { name, message, cause, errors } = value as { readonly [key: string]: Json };
  const behind = [...(cause === undefined ? [] : [cause]), ...(Array.isArray(errors) ? (errors as Json[]) : [])];
  const causes = behind.map((one) => `; caused by ${isError(one) ? errorText(one["$error"] ?? null) : textOf(one)}`);
  return `${textOf(name ?? "Error")}: ${textOf(message ?? "")}${causes.join("")}`;
}

const isError = (value: Json): value is { readonly [key: string]: Json } =>
  value !== null && typeof value === "object" && "$error" in value;
