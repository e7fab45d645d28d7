/**
 * A response body made readable: which ways there are to show it, and each of them as text. Pure.
 */

import type { Json } from "../wire.ts";
import type { ReceivedResponse } from "./api.ts";

/** A way to show a body. */
export type BodyView = "json" | "text" | "hex";

/** A body, decoded as far as it goes. */
export interface ReadBody {
  readonly views: readonly BodyView[];
  readonly json?: Json | undefined;
  readonly text: string;
}

const TEXT_TYPE = /^(text\/|application\/(.*\+)?(json|xml|javascript|x-www-form-urlencoded|x-ndjson|yaml)|image\/svg)/i;

/** Decodes a response; the first view is the one to start with. */
export function readBody(response: ReceivedResponse): ReadBody {
  const type = response.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  const text = decode(response.bytes);
  if (text === undefined || (type !== "" && !TEXT_TYPE.test(type)))
    return { views: text === undefined ? ["hex"] : ["hex", "text"], text: text ?? "" };
  const json = /[/+]json\b/i.test(type) ? parse(text) : undefined;
  return json === undefined ? { views: ["text", "hex"], text } : { views: ["json", "text", "hex"], text, json };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A classic hex dump of at most `limit` bytes. */
export function hexDump(bytes: Uint8Array, limit = 4_096): string {
  const lines: string[] = [];
  for (let at = 0; at < Math.min(bytes.length, limit); at += 16) {
    const row = [...bytes.subarray(at, Math.min(at + 16, limit))];
    const hex = row.map((b) => b.toString(16).padStart(2, "0")).join(" ");
    const ascii = row.map((b) => (b >= 32 && b < 127 ? String.fromCharCode(b) : ".")).join("");
    lines.push(`${at.toString(16).padStart(8, "0")}  ${hex.padEnd(47)}  ${ascii}`);
  }
  if (bytes.length > limit) lines.push(`… ${(bytes.length - limit).toLocaleString("en")} more bytes`);
  return lines.join("\n");
}
