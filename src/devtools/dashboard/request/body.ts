/**
 * A readable response body: its possible views, and each of them as text. Pure.
 */

import type { Json } from "../../run/shapes.ts";
import { grouped } from "../../run/format.ts";
import { jsonOf } from "../../run/values.ts";
import type { ReceivedResponse } from "./receive.ts";

/** A way to show a body. */
export type BodyView = "json" | "events" | "rows" | "image" | "text" | "hex";

/** A body, decoded as far as possible. */
export interface ReadBody {
  readonly views: readonly BodyView[];
  readonly json?: Json | undefined;
  /** A data: URL. */
  readonly image?: string | undefined;
  readonly text: string;
}

const MAX_IMAGE = 8_000_000;
const IMAGE_TYPE = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)\s*(;|$)/i;
const TEXT_TYPE = /^(text\/|application\/(.*\+)?(json|xml|javascript|x-www-form-urlencoded|x-ndjson|yaml)|image\/svg)/i;

/** Decodes a response; the first view is the one to start with. */
export function readBody(response: ReceivedResponse): ReadBody {
  const type = headerIn(response.headers, "content-type") ?? "";
  if (response.stream) {
    const view = /^text\/event-stream\b/i.test(type) ? "events" : "rows";
    return {
      views: [view, "text"],
      // Only when it is looked at, since a stream is read ten times a second.
      get text() {
        return decodeCut(response.bytes);
      },
    };
  }
  const text = decode(response.bytes, response.state !== undefined);
  if (IMAGE_TYPE.test(type) && response.bytes.length <= MAX_IMAGE) {
    const image = dataUrl(type, response.bytes);
    return { views: text === undefined ? ["image", "hex"] : ["image", "text", "hex"], text: text ?? "", image };
  }
  if (text === undefined || (type && !TEXT_TYPE.test(type)))
    return { views: text === undefined ? ["hex"] : ["hex", "text"], text: text ?? "" };
  const json = /[/+]json\b/i.test(type) ? jsonOf(text) : undefined;
  return json === undefined ? { views: ["text", "hex"], text } : { views: ["json", "text", "hex"], text, json };
}

/** The most bytes of a text that is read again and again while it arrives. */
const MAX_GROWING = 2_000_000;

/** Whether an unfinished body can be shown already: a stream of items, or a text. Half a JSON document cannot be read. */
export const isReadable = (response: ReceivedResponse): boolean =>
  response.state !== "arriving" ||
  response.stream !== undefined ||
  (/^text\//i.test(bodyKind(response)) && response.bytes.length < MAX_GROWING);

/** The media type without its parameters, empty when there is none. */
export function bodyKind({ headers }: Pick<ReceivedResponse, "headers">): string {
  return headerIn(headers, "content-type")?.split(";")[0]?.trim() ?? "";
}

/** The first header of this name, which is in lower case. */
export function headerIn(headers: ReceivedResponse["headers"], wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

function dataUrl(type: string, bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 8_192) binary += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return `data:${type.split(";")[0]?.trim() ?? ""};base64,${btoa(binary)}`;
}

/** A stream that was cut may end inside a character. */
function decodeCut(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

function decode(bytes: Uint8Array, isCut: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
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
  if (bytes.length > limit) lines.push(`… ${grouped(bytes.length - limit)} more bytes`);
  return lines.join("\n");
}
