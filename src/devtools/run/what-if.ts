/**
 * The header of a replay: of a request in which beans return what a run recorded, calls have another outcome, or that is
 * profiled. Pure.
 *
 *   { key, beans, whatIf, ticket } ──▶ "7f3a.12;beans=;what-if=W3siY2FsbCI6MywicmV0dXJucyI6MTAxfV0"
 *
 * Spec: spec/replay.md (REPLAY-001, REPLAY-025)
 */
import type { WhatIf } from "./shapes.ts";

/** The content of the header. */
export interface ReplayHeader {
  /** `{instance}.{sequence}` of the run. */
  readonly key: string;
  /** Beans that return what was recorded. */
  readonly beans: readonly string[];
  readonly whatIf: readonly WhatIf[];
  readonly isProfiled?: boolean | undefined;
  /** The plan's, if it has one. */
  readonly ticket: string | null;
}

/** The value of `X-Framework-Replay`. */
export function replayHeader({ key, beans, whatIf, isProfiled, ticket }: ReplayHeader): string {
  const parts = [`${key};beans=${beans.map(encodeURIComponent).join()}`];
  if (whatIf.length > 0) parts.push(`what-if=${base64url(JSON.stringify(whatIf))}`);
  if (isProfiled === true) parts.push("profile=1");
  if (ticket !== null) parts.push(`ticket=${ticket}`);
  return parts.join(";");
}

function base64url(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  return btoa(bytes.join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
