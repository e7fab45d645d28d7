/**
 * A leaf in one line. Pure.
 */

import type { Leaf } from "./shapes.ts";
import { oneLine } from "./statements.ts";

/** The statement, the address, the key, the message. */
export function leafText(leaf: Leaf): string {
  switch (leaf.kind) {
    case "sql":
      return oneLine(leaf.detail.statement);
    case "http":
      return `${leaf.detail.method} ${leaf.detail.url}`;
    case "cache":
      return [leaf.detail.command, leaf.detail.key].filter((part) => part !== "").join(" ");
    case "log":
      return oneLine(leaf.detail.message);
    case "message":
      return [leaf.detail.operation, leaf.detail.destination].filter((part) => part !== "").join(" ") || leaf.name;
    case "span":
      return leaf.name;
  }
}

/** Its result in a word: rows, a status, whether something was found. */
export function outcomeOf(leaf: Leaf): string {
  const { detail } = leaf;
  if (leaf.kind === "sql" && leaf.detail.rows !== null)
    return `${leaf.detail.rows} ${leaf.detail.rows === 1 ? "row" : "rows"}`;
  if (leaf.kind === "http" && leaf.detail.status !== null) return String(leaf.detail.status);
  if (leaf.kind === "cache" && leaf.detail.hit !== null) return leaf.detail.hit ? "hit" : "miss";
  return "level" in detail ? detail.level : "";
}
