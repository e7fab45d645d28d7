/**
 * The result of a tool call: the response of its route, as an agent reads it.
 *
 *   200 application/json   ──▶ its text, and its value as structured content
 *   422 problem+json       ──▶ an error with the problem, whose issues say what to mend
 *   200 image/png, a file  ──▶ an image, or an embedded resource
 *   200 text/event-stream  ──▶ the events
 *   303                    ──▶ the place that it names
 *   too large              ──▶ an error that says how large it may be
 */
import { fieldOf, isJson, mediaTypeOf } from "../http/headers.ts";
import { base64Of } from "../internal/base64.ts";
import { isWithoutContent, reasonPhrase } from "../internal/http-rules.ts";
import type { ReadEvent } from "./events.ts";
import type { Received } from "./exchange.ts";

/** A part of a result. */
export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource";
      readonly resource:
        | { uri: string; mimeType: string; text: string }
        | { uri: string; mimeType: string; blob: string };
    };

/** The result of a call. */
export interface ToolResult {
  readonly content: Content[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean;
}

/** An error that the model can read. */
export const failed = (sentence: string): ToolResult => ({
  content: [{ type: "text", text: sentence }],
  isError: true,
});

/** The events of a route, and why there are no more. */
export interface ReadEvents {
  readonly events: readonly ReadEvent[];
  readonly isFull: boolean;
}

/** The result of a response. @param uriOf the request's URL, which names a file */
export function resultOf(received: Received, read: ReadEvents, uriOf: () => string, maxBytes: number): ToolResult {
  const { status, headers, body, isCut } = received;
  const type = fieldOf(headers, "Content-Type") ?? "";
  const mediaType = mediaTypeOf(type) ?? "";
  if (isCut)
    return failed(
      `${line(status)}: the response has more than ${maxBytes} bytes. Ask for less, with a filter or a page.`,
    );
  if (status >= 400) return failed(body.length === 0 ? line(status) : decoded(body));
  if (mediaType === "text/event-stream") return ofEvents(read);
  const location = fieldOf(headers, "Location");
  const place: Content[] = location === undefined ? [] : [{ type: "text", text: `Location: ${location}` }];
  if (status >= 300 || body.length === 0 || isWithoutContent(status))
    return { content: [{ type: "text", text: line(status) }, ...place] };
  if (isJson(mediaType)) return ofJson(decoded(body), place);
  return { content: [contentOf(body, type, mediaType, uriOf), ...place] };
}

const line = (status: number): string =>
  `${status} ${status >= 400 ? reasonPhrase(status) : (phrases[status] ?? "")}`.trim();
const phrases: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  303: "See Other",
};

const decoder = new TextDecoder();
const decoded = (body: Received["body"]): string => (typeof body === "string" ? body : decoder.decode(body));

function ofJson(text: string, place: Content[]): ToolResult {
  const content: Content[] = [{ type: "text", text }, ...place];
  try {
    return { content, structuredContent: JSON.parse(text) as unknown };
  } catch {
    return { content };
  }
}

function ofEvents({ events, isFull }: ReadEvents): ToolResult {
  const structuredContent = { events, isComplete: !isFull };
  return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
}

function contentOf(body: Received["body"], type: string, mimeType: string, uriOf: () => string): Content {
  const isText = mimeType.startsWith("text/") || /xml$|yaml$|javascript$|ndjson$|jsonl$|json-seq$/.test(mimeType);
  if (mimeType === "text/plain" || mimeType === "") return { type: "text", text: decoded(body) };
  if (isText) return { type: "resource", resource: { uri: uriOf(), mimeType: type, text: decoded(body) } };
  const data = base64Of(typeof body === "string" ? new TextEncoder().encode(body) : body);
  if (mimeType.startsWith("image/")) return { type: "image", data, mimeType };
  if (mimeType.startsWith("audio/")) return { type: "audio", data, mimeType };
  return { type: "resource", resource: { uri: uriOf(), mimeType, blob: data } };
}
