/**
 * Sends one request and receives its response as it arrives.
 *
 *   request ──▶ fetch ──▶ head ──▶ chunk, chunk … ──▶ progress, ten times a second ──▶ the whole
 *
 * An endless response, such as an event stream, is shown while it lasts and kept when the user stops it.
 */

import { CORRELATION_HEADER } from "../../run/wire.ts";

/** One part of a form with files. */
export type FormPart = readonly [name: string, value: string | File];

/** A request ready to be sent. */
export interface OutgoingRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | File | undefined;
  /** In place of a body, a form with files. The browser makes its Content-Type. */
  readonly form?: readonly FormPart[] | undefined;
}

/** A response from the browser. */
export interface ReceivedResponse {
  /** 0 for a redirect, because the browser hides a redirect that it does not follow. */
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly bytes: Uint8Array;
  /** From sending to the last byte, in microseconds, measured in the browser. */
  readonly durationUs: number;
  /** Absent when all of it is there. */
  readonly state?: "arriving" | "stopped" | "too long" | "broken off" | undefined;
}

/** The options of watching a request. */
export interface SendOptions {
  /** Ends the request; the received part is kept. */
  readonly signal: AbortSignal;
  /** Called with the received part, at most ten times a second. */
  readonly progress: (soFar: ReceivedResponse) => void;
}

/** Sends a request; tests replace it. */
export function senderSlice(): typeof send {
  return send;
}

/** Bytes of a body beyond which the page stops reading. */
export const MAX_BODY = 32_000_000;
const PROGRESS_MS = 100;

/**
 * Sends a request, marked by its correlation id. Redirects are not followed.
 *
 * @throws the error of `fetch` when there is no response at all
 */
export async function send(
  request: OutgoingRequest,
  correlationId: string,
  { signal, progress }: SendOptions,
): Promise<ReceivedResponse> {
  const headers = new Headers(request.headers.map(([name, value]) => [name, value] as [string, string]));
  headers.set(CORRELATION_HEADER, correlationId);
  const started = performance.now();
  const response = await fetch(request.url, {
    method: request.method,
    headers,
    cache: "no-store",
    redirect: "manual",
    signal,
    ...bodyOf(request),
  });
  const chunks: Uint8Array[] = [];
  const soFar = (state?: ReceivedResponse["state"]): ReceivedResponse => ({
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers],
    bytes: joined(chunks),
    durationUs: Math.round((performance.now() - started) * 1_000),
    ...(state ? { state } : {}),
  });
  return soFar(await read(response, chunks, signal, () => progress(soFar("arriving"))));
}

function bodyOf({ body, form }: OutgoingRequest): { readonly body?: string | File | FormData } {
  if (!form) return body === undefined ? {} : { body };
  const data = new FormData();
  for (const [name, value] of form) data.append(name, value);
  return { body: data };
}

/** Reads the body into `chunks`; says why it ended early, if it did. */
async function read(
  response: Response,
  chunks: Uint8Array[],
  signal: AbortSignal,
  progress: () => void,
): Promise<ReceivedResponse["state"]> {
  const reader = response.body?.getReader();
  if (!reader) return undefined;
  let length = 0;
  let reportedAt = performance.now();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      chunks.push(part.value);
      length += part.value.length;
      if (length > MAX_BODY) {
        await reader.cancel();
        return "too long";
      }
      const now = performance.now();
      if (now - reportedAt < PROGRESS_MS) continue;
      reportedAt = now;
      progress();
    }
    return undefined;
  } catch {
    return signal.aborted ? "stopped" : "broken off";
  }
}

function joined(chunks: Uint8Array[]): Uint8Array {
  const [only] = chunks;
  if (chunks.length === 1 && only) return only;
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
