/**
 * Keys in a JSON tree: which row is next, or which row opens or closes. Pure.
 */

import type { JsonRow } from "./rows.ts";

/** The effect of a key, which goes to a row, or toggles one. */
export type TreeMove = { readonly to: number } | { readonly toggle: number };

/** Arrows, Home, End, Enter and space, as in trees, or undefined for any other key. Closing lines are skipped. */
export function treeMove(rows: readonly JsonRow[], at: number, key: string): TreeMove | undefined {
  const row = rows[at];
  if (!row) return undefined;
  const foldable = isFoldable(row);
  const step = (by: 1 | -1): TreeMove => ({ to: nextRow(rows, at, by) });
  const moves: Readonly<Record<string, () => TreeMove>> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Home: () => ({ to: 0 }),
    End: () => ({ to: nextRow(rows, rows.length, -1) }),
    ArrowRight: () => (foldable && row.kind === "folded" ? { toggle: at } : step(1)),
    ArrowLeft: () => (row.kind === "open" ? { toggle: at } : { to: parentOf(rows, at) }),
    Enter: () => (foldable ? { toggle: at } : { to: at }),
    " ": () => (foldable ? { toggle: at } : { to: at }),
  };
  return moves[key]?.();
}

/** Whether the row can be opened or closed. */
export function isFoldable(row: JsonRow): boolean {
  return row.kind === "open" || (row.kind === "folded" && row.size > 0);
}

function nextRow(rows: readonly JsonRow[], from: number, by: 1 | -1): number {
  let at = from + by;
  while (rows[at]?.kind === "close") at += by;
  return rows[at] ? at : Math.min(from, rows.length - 1);
}

function parentOf(rows: readonly JsonRow[], at: number): number {
  const depth = rows[at]?.depth ?? 0;
  for (let i = at - 1; i >= 0; i--) if (rows[i]?.kind === "open" && (rows[i]?.depth ?? 0) < depth) return i;
  return at;
}
