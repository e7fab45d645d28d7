/**
 * Send: one request to the application's ordinary port, and its run.
 *
 *   send POST /orders -d '{…}' ──▶ the application, with a correlation id of its own ──▶ response
 *                                      └ the run of that id, as soon as devtools have it
 *
 * Not to devtools, since they only read, and a request to them makes no run.
 */
import { randomUUID } from "node:crypto";
import { messageOf, traceKey } from "../../run/format.ts";
import type { Trace } from "../../run/shapes.ts";
import { CORRELATION_HEADER, PAGE_PATH } from "../../run/wire.ts";
import type { DevtoolsClient } from "./client.ts";
import { causeOf, TerminalError } from "./errors.ts";
import { decoded, jsonOf } from "../../run/values.ts";

/** The request to send. */
export interface Outgoing {
  readonly method: string;
  /** As in routes, with the context path; after `?` its query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | Uint8Array<ArrayBuffer> | undefined;
}

/** The response and the run. */
export interface SendResult {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** Undefined if devtools recorded none in time. */
  readonly run: Trace | undefined;
}

/** How long a response may take, and then its run. */
const RESPONSE_MS = 60_000;
const RUN_MS = 3_000;
const POLL_MS = 20;
/** The most characters of a response that are read. */
const MOST_CHARS = 1_000_000;

/** Sends it. @throws TerminalError */
export async function send(client: DevtoolsClient, outgoing: Outgoing): Promise<SendResult> {
  const { root, contextPath } = await client.application();
  const url = targetOf(root, contextPath, outgoing.path);
  const id = `terminal-${randomUUID()}`;
  const headers = headersOf(outgoing);
  headers.set(CORRELATION_HEADER, id);
  const { method, body = null } = outgoing;
  const signal = AbortSignal.any([AbortSignal.timeout(RESPONSE_MS), ...(client.signal ? [client.signal] : [])]);
  const init = { method, headers, body, redirect: "manual", signal } as const;
  const failed = (cause: unknown): never => {
    throw new TerminalError(`${method} ${url} failed: ${messageOf(causeOf(cause))}`, { cause });
  };
  const response = await fetch(url, init).catch(failed);
  const text = await textOf(response).catch(failed);
  const contentType = response.headers.get("content-type") ?? "";
  return { status: response.status, contentType, body: text, run: await runOf(client, id) };
}

/** The address, which must not be one of devtools in any spelling. */
function targetOf(root: string, contextPath: string, path: string): URL {
  if (!path.startsWith("/"))
    throw new TerminalError(`the path is ${JSON.stringify(path)}: one like /products/1 is allowed`);
  const url = URL.canParse(root + path) ? new URL(root + path) : undefined;
  if (url === undefined) throw new TerminalError(`${JSON.stringify(path)} is no path`);
  const own = `${new URL(root).pathname.replace(/\/$/, "")}${contextPath}${PAGE_PATH}`;
  const plain = url.pathname
    .split("/")
    .map(decoded)
    .join("/")
    .replace(/\/{2,}/g, "/");
  if (plain === own || plain.startsWith(`${own}/`))
    throw new TerminalError(`${path} is a path of devtools, which only read: send takes the application's own`);
  return url;
}

function headersOf({ headers, body }: Outgoing): Headers {
  const made = new Headers();
  for (const [name, value] of headers)
    try {
      made.append(name, value);
    } catch (cause) {
      throw new TerminalError(`-H ${JSON.stringify(`${name}: ${value}`)} is no header`, { cause });
    }
  if (body !== undefined && !made.has("content-type")) made.set("Content-Type", typeOf(body));
  return made;
}

function typeOf(body: string | Uint8Array): string {
  if (typeof body !== "string") return "application/octet-stream";
  return jsonOf(body) !== undefined ? "application/json" : "text/plain; charset=utf-8";
}

/** The body up to the bound, since an event stream has no end. */
async function textOf(response: Response): Promise<string> {
  const { body } = response;
  if (body === null) return "";
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
    await body.cancel();
    return "";
  }
  let text = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    // Leaving the loop closes the connection, since the rest may be of any length.
    if (text.length > MOST_CHARS) break;
  }
  return text.slice(0, MOST_CHARS);
}

/** The run of a correlation id. It is available when the response has ended for the application too, a moment later. */
export async function runOf(client: DevtoolsClient, id: string): Promise<Trace | undefined> {
  const until = performance.now() + RUN_MS;
  do {
    const [hit] = (await client.search(`id:${id}`, 1)).hits;
    if (hit !== undefined) return client.run(traceKey(hit));
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  } while (performance.now() < until);
  return undefined;
}
