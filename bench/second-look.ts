/**
 * The second look: what looks short of its target is measured once more, and judged by everything that was seen.
 *
 *   judged ──▶ rows that are short ──▶ the lists behind them
 */
import { isShort, type Judged } from "./evaluate.ts";
import type { List } from "./lists.ts";
import { rows, type Source } from "./rows.ts";

/** The lists that a row's figure comes from; a list `hello#2` is one of `hello`. */
function listsBehind(source: Source): readonly string[] {
  if (source.kind === "own") return ["alone-ours", "alone-hand", "alone-fastify"];
  return "list" in source ? [source.list] : [];
}

/** Those of the lists whose rows look short of target, or of what is asked of them beside Fastify. */
export function doubtful(judged: readonly Judged[], lists: readonly List[]): readonly List[] {
  const ids = new Set(judged.filter(isShort).map(({ id }) => id));
  const behind = new Set(rows.filter(({ id }) => ids.has(id)).flatMap(({ source }) => listsBehind(source)));
  return lists.filter(({ id }) => behind.has(id.replace(/#.*$/, "")));
}
