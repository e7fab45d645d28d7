/**
 * Wanted: the value whose origin somebody asked for in a JSON tree. The Why tab shows where it was.
 */

import { signal, type Signal } from "@preact/signals";
import type { JsonRow } from "./rows.ts";

/** The value as a text, or null. */
export const wanted: Signal<string | null> = signal(null);

/** The value of a row as a text, if it is a text or a number that may have an origin. Flags and digits are everywhere. */
export function wantedIn({ kind, type, text }: JsonRow): string | undefined {
  if (kind !== "leaf") return undefined;
  if (type === "number") return text.replace(/n$/, "");
  if (type !== "string" || !text.endsWith('"')) return undefined;
  const value = JSON.parse(text) as string;
  return value.length > 1 ? value : undefined;
}
