/**
 * proxy: forwards a request to another server, and returns its response.
 *
 *   ctx ──▶ node:http request: fields, query, body in pieces ──▶ upstream
 *    └──── Response: its status, fields, cookies, body in pieces ◀──┘
 *          502 without one · 504 when its head takes too long · the client leaves: the upstream's request ends
 *   ctx of app.ws ──▶ Upgrade ──▶ 101: both sockets are joined (tunnel.ts)
 */
import { type ClientRequest, type IncomingMessage, request as httpRequest, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { type Duplex, Readable } from "node:stream";
import { HttpError } from "../internal/errors.ts";
import type { Context } from "../http/context.ts";
import type { RequestContext } from "../http/request-context.ts";
import { isWithoutContent } from "../internal/http-rules.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { ignore } from "../internal/thenable.ts";
import { endToEnd, type Line, linesOf, nodeRequestOf, requestLines } from "./fields.ts";
import { targetOf } from "./target.ts";
import { handshakeLines, isHandshake, keyOf, tunnel } from "./tunnel.ts";

/** Options of {@link proxy}. */
export interface ProxyOptions {
  /** Fields of the upstream request that replace the client's. `undefined` removes a field. */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Sends the client's `Host` instead of the upstream's. Default: false. */
  readonly preserveHost?: boolean | undefined;
  /** The part of the path that the upstream does not have, e.g. `/api`. For an address without a path. */
  readonly prefix?: string | undefined;
  /**
   * Milliseconds until the response's head, else 504. Each sent piece of the body starts the time again. 0: no limit. Default:
   * 30,000.
   */
  readonly timeoutMs?: number | undefined;
}

/** Methods with requests that may be sent a second time (RFC 9110 §9.2.2). */
const idempotent: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE", "QUERY"]);

/**
 * Forwards the request to another server and returns its response: `app.any("/api/*rest", (ctx) => proxy(ctx, upstream))`. In a
 * route of `app.ws` it joins the WebSocket to one of the upstream.
 *
 * Connection fields are removed in both directions (RFC 9110 §7.6.1). `Forwarded` (RFC 7239), `X-Forwarded-For`, `-Proto`,
 * `-Host` and `Via` carry the client's data. Bodies are streamed, no faster than they are read. A request body with a
 * `Content-Encoding` is decoded, within `maxBodyBytes`, and also sent when the app has read it before. A response body keeps
 * its coding. Trailers are dropped.
 *
 * @param url the upstream. Without a path the request's own path is used, else exactly this one. Never let a client choose it.
 * @throws HttpError (rejects) 502 `BAD_GATEWAY` when the upstream gives no response, 504 `GATEWAY_TIMEOUT` when it is late.
 * TypeError (`CONFIG_INVALID`) on an invalid address or option.
 */
export async function proxy(
  ctx: Context,
  url: string | URL,
  options: ProxyOptions = {},
): Promise<Response | undefined> {
  checkOptionNames("proxy", options, ["headers", "preserveHost", "prefix", "timeoutMs"]);
  const { headers = {}, preserveHost = false, prefix, timeoutMs = 30_000 } = options;
  const target = targetOf(ctx, url, prefix);
  const host = (preserveHost ? ctx.host : undefined) ?? target.url.host;
  const isUpgrade = isHandshake(ctx);
  const key = isUpgrade ? keyOf(ctx) : "";
  const isWithBody = hasBody(ctx);
  const fields = requestLines(ctx, host, headers, isWithBody);
  const lines = isUpgrade ? [...fields, ...handshakeLines(ctx, key)] : fields;
  const how = { method: isUpgrade ? "GET" : ctx.method, path: target.path, isWithBody };
  const asked = new Asked(ctx, target.url, how, lines);
  const answer = await asked.answer(timeoutMs);
  const { response, socket, head } = answer;
  if (socket === undefined) return responseOf(response, ctx.method);
  tunnel(ctx, { response, socket, head }, key);
  return undefined;
}

/** The result: a response, or a connection that has left HTTP. */
interface Answer {
  readonly response: IncomingMessage;
  readonly socket?: Duplex;
  readonly head: Uint8Array;
}

/** The options of the upstream request. */
interface How extends Pick<RequestOptions, "method" | "path"> {
  readonly isWithBody: boolean;
}

/** A request to the upstream. */
class Asked {
  readonly #ctx: Context;
  readonly #url: URL;
  readonly #how: How;
  readonly #lines: readonly Line[];

  constructor(ctx: Context, url: URL, how: How, lines: readonly Line[]) {
    this.#ctx = ctx;
    this.#url = url;
    this.#how = how;
    this.#lines = lines;
  }

  /** Waits for its head. If a kept connection turns out to be closed, it retries when nothing can be lost. */
  async answer(timeoutMs: number): Promise<Answer> {
    try {
      return await this.#once(timeoutMs);
    } catch (error) {
      const isRepeated = error instanceof StaleError && idempotent.has(this.#ctx.method) && !this.#how.isWithBody;
      if (!isRepeated) throw rejectionOf(error);
      return await this.#once(timeoutMs).catch((late: unknown) => Promise.reject(rejectionOf(late)));
    }
  }

  #once(timeoutMs: number): Promise<Answer> {
    const { protocol, hostname, port } = this.#url;
    const { signal } = this.#ctx;
    const { isWithBody, ...how } = this.#how;
    return new Promise((resolve, reject) => {
      const send = protocol === "https:" ? httpsRequest : httpRequest;
      const address = { hostname: hostname.replace(/^\[|\]$/g, ""), port, servername: serverNameOf(hostname), ...how };
      const request = send({ ...address, headers: this.#lines.flat(), signal, setHost: false });
      const late = new HttpError(504, "the upstream did not respond in time", { code: "GATEWAY_TIMEOUT" });
      const timer = timeoutMs > 0 ? setTimeout(() => request.destroy(late), timeoutMs) : undefined;
      const came = (answer: Answer): void => {
        clearTimeout(timer);
        resolve(answer);
      };
      request.once("response", (response) => came({ response, head: new Uint8Array() }));
      request.once("upgrade", (response, socket, head) => came({ response, socket, head }));
      request.on("error", (error) => {
        clearTimeout(timer);
        reject(request.reusedSocket && isReset(error) ? new StaleError(error) : error);
      });
      if (isWithBody) sendBody(this.#ctx, request, { fail: reject, progress: () => timer?.refresh() });
      else request.end();
    });
  }
}

/** HTTP/1.1 declares whether there is a body. Other clients need not, if their method implies one. */
function hasBody(ctx: Context): boolean {
  const length = ctx.header("content-length");
  if (length !== undefined) return length !== "0";
  if (ctx.header("transfer-encoding") !== undefined) return true;
  return !["GET", "HEAD", "OPTIONS", "DELETE"].includes(ctx.method) && mayHaveBody(ctx);
}

/** HTTP/2 has bodies without a length, and so does a Request with a stream. */
const mayHaveBody = (ctx: Context): boolean => ctx.httpVersion === "2" || nodeRequestOf(ctx) === undefined;

/** The name expected in the certificate: the upstream's, for any `Host`. An IP address is not a name for TLS. */
const serverNameOf = (hostname: string): string => (/^[\d.]+$|^\[/.test(hostname) ? "" : hostname);

/** A kept connection that the upstream had closed. */
class StaleError extends Error {
  constructor(cause: Error) {
    super("a kept connection was closed", { cause });
  }
}

const isReset = (error: Error): boolean => "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");

/** Callbacks while a body is sent. */
interface Sending {
  fail(error: unknown): void;
  progress(): void;
}

/**
 * Streams the body. Bytes that the app has read are sent again. Its error is the response: 413, 415, a client that has left, a
 * stream that the app has taken.
 */
function sendBody(ctx: Context, request: ClientRequest, { fail, progress }: Sending): void {
  const inside = ctx as unknown as Pick<RequestContext, "requestBody">;
  const body = Readable.fromWeb(inside.requestBody.toPass() as Parameters<typeof Readable.fromWeb>[0]);
  body.once("error", (error) => {
    fail(error);
    request.destroy();
  });
  request.once("close", () => body.destroy());
  body.pipe(request);
  body.on("data", progress);
}

/** The client's response when there is none from upstream: its own error as it is, any other as 502. */
function rejectionOf(error: unknown): unknown {
  if (error instanceof HttpError || (error instanceof Error && error.name === "AbortError")) return error;
  if (Object(error).code === "BODY_READ") return error;
  const cause = error instanceof StaleError ? error.cause : error;
  return new HttpError(502, "the upstream gave no response", { code: "BAD_GATEWAY", cause });
}

/** The upstream's response for the client. @throws HttpError 502 when its status is invalid for a response. */
function responseOf(message: IncomingMessage, method: string): Response {
  const { statusCode: status = 0, statusMessage = "" } = message;
  if (status < 200 || status > 599) {
    message.destroy();
    throw new HttpError(502, "the upstream gave no response", {
      code: "BAD_GATEWAY",
      cause: new Error(`status ${status} ${statusMessage}`),
    });
  }
  const headers = new Headers();
  for (const [name, value] of endToEnd(linesOf(message.rawHeaders))) headers.append(name, value);
  const hasBody = method !== "HEAD" && !isWithoutContent(status);
  if (!hasBody) message.resume();
  message.on("error", ignore); // The stream that is read from it reports that.
  const body = hasBody ? (Readable.toWeb(message) as ReadableStream<Uint8Array>) : null;
  return new Response(body, { status, headers });
}
