/**
 * Sends one request and receives its response as it arrives.
 *
 *   request ──▶ fetch ──▶ head ──▶ chunk, chunk … ──▶ progress, ten times a second ──▶ the whole
 *                                    └─▶ events or rows, if it is a stream of them
 *
 * An endless response, such as an event stream, is shown while it lasts and kept when the user stops it.
 */

import { itemReader } from "../../run/event-stream.ts";
import { CORRELATION_HEADER } from "../../run/wire.ts";
import { NO_ITEMS, withEvents, type ItemLog } from "./item-log.ts";

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
  /** The events or rows of a stream. Absent for any other body. */
  readonly stream?: ItemLog | undefined;
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
  const usNow = (): number => Math.round((performance.now() - started) * 1_000);
  const chunks: Uint8Array[] = [];
  const items = itemReader(response.headers.get("content-type") ?? "");
  const decoder = new TextDecoder();
  let log = NO_ITEMS;
  const take = (chunk: Uint8Array): void => {
    chunks.push(chunk);
    if (items) log = withEvents(log, items(decoder.decode(chunk, { stream: true })), usNow());
  };
  const soFar = (state?: ReceivedResponse["state"]): ReceivedResponse => ({
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers],
    bytes: joined(chunks),
    ...(items ? { stream: log } : {}),
    durationUs: usNow(),
    ...(state ? { state } : {}),
  });
  return soFar(await read(response, take, signal, () => progress(soFar("arriving"))));
}

function bodyOf({ body, form }: OutgoingRequest): { readonly body?: string | File | FormData } {
  if (!form) return body === undefined ? {} : { body };
  const data = new FormData();
  for (const [name, value] of form) data.append(name, value);
  return { body: data };
}

/**
 * Passes on the chunks of the body; says why it ended early, if it did. The head is reported if no chunk comes, and the last chunk
 * before a pause too.
 */
async function read(
  response: Response,
  take: (chunk: Uint8Array) => void,
  signal: AbortSignal,
  progress: () => void,
): Promise<ReceivedResponse["state"]> {
  const reader = response.body?.getReader();
  if (!reader) return undefined;
  let length = 0;
  let reportedAt = performance.now();
  const report = (): void => {
    clearTimeout(timer);
    timer = undefined;
    reportedAt = performance.now();
    progress();
  };
  // The head of a response whose body is slow.
  let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(report, PROGRESS_MS);
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      take(part.value);
      length += part.value.length;
      if (length > MAX_BODY) {
        await reader.cancel();
        return "too long";
      }
      if (performance.now() - reportedAt >= PROGRESS_MS) report();
      else timer ??= setTimeout(report, PROGRESS_MS);
    }
    return undefined;
  } catch {
    return signal.aborted ? "stopped" : "broken off";
  } finally {
    clearTimeout(timer);
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
