/**
 * The values of a JSON tree whose origin can be asked for.
 */

import { REDACTED } from "../../run/wire.ts";
import type { JsonRow } from "./rows.ts";

/** The value of a row as a text, if it is a text or a number that may have an origin. Flags and digits are everywhere. */
export function wantedIn({ kind, type, text }: JsonRow): string | undefined {
  if (kind !== "leaf") return undefined;
  if (type === "number") return text.replace(/n$/, "");
  if (type !== "string" || !text.endsWith('"')) return undefined;
  const value = JSON.parse(text) as string;
  return value.length > 1 && !value.includes(REDACTED) ? value : undefined;
}
