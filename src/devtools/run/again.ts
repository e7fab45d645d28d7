/**
 * Again: the request of a run, to be sent once more. Pure.
 *
 *   trace ──▶ method, path with query, headers, body; and what is missing, because it was redacted, cut or not kept
 *
 * Headers of the connection, of the browser and of devtools are left out: the sender writes its own.
 */
import type { Trace } from "./shapes.ts";
import { REDACTED } from "./wire.ts";
import { restore } from "./restore.ts";

/** The request. */
export interface RequestAgain {
  readonly method: string;
  /** As it was sent, with its query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined without a body. */
  readonly body: string | undefined;
  /** A sentence for each missing part. Empty if the request is whole. */
  readonly missing: readonly string[];
}

/** The request of a run. */
export function requestAgain({ method, path, request }: Trace): RequestAgain {
  const missing: string[] = [];
  if (!isWhole(path)) missing.push("its path is redacted or cut");
  const pairs = Object.entries(request.query).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  for (const [name, value] of pairs)
    if (!isWhole(value)) missing.push(`its query parameter ${name} is redacted or cut`);
  const search = pairs.map((pair) => pair.map((text) => encodeURIComponent(text)).join("=")).join("&");
  const target = path.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, "");
  const headers = Object.entries(request.headers).flatMap(([name, values]) =>
    isAsked(name) && values.every(isWhole) ? values.map((value) => [name, value] as const) : [],
  );
  const body = bodyOf(request);
  if (body === null) missing.push("its body is redacted, cut or of a type that is not kept whole");
  for (const name of hiddenHeaders(request)) missing.push(`its header ${name} is redacted or cut`);
  return { method, path: search === "" ? target : `${target}?${search}`, headers, body: body ?? undefined, missing };
}

/** The names of headers that a sender would have to know. */
export const hiddenHeaders = ({ headers }: Trace["request"]): readonly string[] =>
  Object.entries(headers).flatMap(([name, values]) => (isAsked(name) && !values.every(isWhole) ? [name] : []));

/** Undefined without a body, null if it is not available. */
function bodyOf({ body, headers }: Trace["request"]): string | null | undefined {
  if (body === null || body === "") return undefined;
  const { value, leftOut } = restore(body);
  if (leftOut.length > 0 || value === undefined) return null;
  const [type = ""] = headers["content-type"] ?? [];
  // A text of a JSON type is JSON or could not be parsed as JSON, which is not known here.
  if (typeof value === "string") return isJson(type) || /^multipart\//i.test(type) ? null : value;
  return isJson(type) ? JSON.stringify(value) : null;
}

/** Whether a Content-Type is of JSON. */
export const isJson = (type: string): boolean => /^application\/(?:[^;]*\+)?json\s*(?:;|$)/i.test(type.trim());

const ofTransport =
  /^(?:host|connection|content-length|transfer-encoding|keep-alive|upgrade.*|te|expect|user-agent|accept-(?:encoding|language)|sec-.*|referer|origin|cache-control|pragma|dnt|priority|x-framework-.*)$/;

const isAsked = (name: string): boolean => !ofTransport.test(name);

/** Whether no part of a recorded text is redacted or cut. */
const isWhole = (text: string): boolean => !text.includes(REDACTED) && !/… \d+ more$/.test(text);
