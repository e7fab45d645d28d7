/**
 * Looks: what is measured first, and what once more because it looks short of its target.
 *
 *   everything ──▶ judged ──▶ rows that are short ──▶ what their figures come from ──▶ judged by all that was seen
 *                     └─────────────────────────── three times at most ◀────────────────────────┘
 */
import { isShort, type Judged } from "./evaluate.ts";
import type { List } from "./lists.ts";
import type { Contender } from "./method/list.ts";
import { rows, type Source } from "./rows.ts";

/** What one look measures. */
export interface Look {
  readonly lists: readonly List[];
  /** The servers whose start and memory are looked at. */
  readonly footprints: readonly Contender[];
  readonly micro: boolean;
}

/** How often, at most, what looks short is measured once more. */
export const furtherLooks = 3;

/** The first look. */
export const everything = (lists: readonly List[]): Look => ({
  lists,
  footprints: plainOf(lists),
  micro: true,
});

/** The look at what rows come from that are short of target, or of what is asked beside Fastify; undefined without such. */
export function furtherLook(judged: readonly Judged[], lists: readonly List[]): Look | undefined {
  const ids = new Set(judged.filter(isShort).map(({ id }) => id));
  const sources = rows.filter(({ id }) => ids.has(id)).map(({ source }) => source);
  if (sources.length === 0) return undefined;
  const behind = new Set(sources.flatMap(listsBehind));
  return {
    lists: lists.filter(({ id }) => behind.has(id.replace(/#.*$/, ""))),
    footprints: sources.some(({ kind }) => kind === "footprint") ? plainOf(lists) : [],
    micro: sources.some(({ kind }) => kind === "micro"),
  };
}

/** The lists that a row's figure comes from; a list `hello#2` is one of `hello`. */
function listsBehind(source: Source): readonly string[] {
  if (source.kind === "own") return ["alone-ours", "alone-hand", "alone-fastify"];
  return "list" in source ? [source.list] : [];
}

/** Start and memory are asked of a plain hello. */
function plainOf(lists: readonly List[]): readonly Contender[] {
  const wanted = new Set(["bare", "twin", "ours", "fastify", "hono"]);
  return (lists.find(({ id }) => id === "hello")?.contenders ?? []).filter(({ name }) => wanted.has(name));
}
