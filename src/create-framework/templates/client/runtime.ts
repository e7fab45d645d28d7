// #part base
/** Statuses of a documented `2XX`. */
export type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;
/** Statuses of a documented `3XX`. */
export type RedirectStatus = 300 | 301 | 302 | 303 | 304 | 307 | 308;
/** Statuses of a documented `4XX`. */
export type ClientErrorStatus =
  | 400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414
  | 415 | 416 | 417 | 418 | 421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451;
/** Statuses of a documented `5XX`. */
export type ServerErrorStatus = 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511;
/** All statuses except successes. */
export type FailureStatus = RedirectStatus | ClientErrorStatus | ServerErrorStatus;

/** A documented success. */
export interface Ok<Status, Body> {
  readonly ok: true;
  readonly status: Status;
  readonly body: Body;
  /** Its headers are here. The body has been read. */
  readonly response: Response;
}

/** A documented response that is not a success. */
export interface Failed<Status, Problem> {
  readonly ok: false;
  readonly status: Status;
  readonly problem: Problem;
  /** Its headers are here. The body has been read. */
  readonly response: Response;
}

/** Names and values of headers. Undefined ones are left out. */
export type HeaderValues = Readonly<Record<string, string | undefined>>;

/** How the client reaches the service. */
export interface ClientOptions {
  /** The URL of the service, such as `https://api.example/v1`. Paths are appended. */
  readonly baseUrl: string;
  /** Default: the global `fetch`. A test may call an app in process. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Sent with every request. A function is called before each request, so that it can renew a token. */
  readonly headers?: HeaderValues | (() => HeaderValues | Promise<HeaderValues>) | undefined;
  /** Does a browser send cookies? Default: the one of `fetch`, to its own origin. */
  readonly credentials?: "omit" | "same-origin" | "include" | undefined;
  /** The retries of every call. Default: true. `false` turns them off. A call may have its own. */
  readonly retry?: boolean | RetryLimits | undefined;
  /** Called with each request before it is sent. A returned request is sent instead. */
  readonly onRequest?: ((request: Request) => Request | void | Promise<Request | void>) | undefined;
  /** Called with each response before it is read. A returned response is read instead. */
  readonly onResponse?:
    | ((response: Response, request: Request) => Response | void | Promise<Response | void>)
    | undefined;
}

/** The limits of retries. */
export interface RetryLimits {
  /** Requests in all, the first included. Default: 3 */
  readonly attempts?: number | undefined;
  /** The longest time to wait between them, in all. If `Retry-After` asks for more, the response is the result. Default: 30,000 */
  readonly maxWaitMs?: number | undefined;
}

/** The options of every call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** Aborts the call with a `TimeoutError` if there is no result after that time, retries included. */
  readonly timeoutMs?: number | undefined;
  /**
   * Sends the request again after 429, 503 and an error of the network. By default only methods that are safe to repeat are sent
   * again: GET, HEAD, OPTIONS, QUERY, PUT and DELETE. `true` here sends any method again, `false` none.
   */
  readonly retry?: boolean | RetryLimits | undefined;
}

/** One event of a stream (`text/event-stream`). */
export interface ServerSentEvent {
  /** `message` if the stream names none. */
  readonly event: string;
  /** Its lines, with line feeds between them. */
  readonly data: string;
  /** The last id so far, for `Last-Event-ID`, empty without one. */
  readonly id: string;
}

/** The service sent an undocumented response: another failure, another media type, invalid JSON. */
export class UnexpectedResponseError extends Error {
  override readonly name: string = "UnexpectedResponseError";
  readonly status: number;
  /** Such as `text/html`, undefined without one. */
  readonly mediaType: string | undefined;
  /** The first kilobyte of its body. */
  readonly excerpt: string;
  /** Its headers are here. The body has been read. */
  readonly response: Response;

  constructor(message: string, response: Response, excerpt: string, options?: ErrorOptions) {
    super(message, options);
    this.status = response.status;
    this.mediaType = mediaTypeOf(response);
    this.excerpt = excerpt;
    this.response = response;
  }
}

/** What `unwrap` throws: the failed result as an error. */
export class FailedResponseError extends Error {
  override readonly name: string = "FailedResponseError";
  readonly result: Failed<number, unknown>;

  constructor(result: Failed<number, unknown>) {
    super(`the service responded with ${result.status}`);
    this.result = result;
  }
}

/** The body of a success. @throws FailedResponseError for anything else */
export function unwrap<Result extends Ok<number, unknown> | Failed<number, unknown>>(
  result: Result,
): Extract<Result, { readonly ok: true }>["body"] {
  if (!result.ok) throw new FailedResponseError(result);
  return result.body;
}

/** The media type of a response, without its parameters. */
function mediaTypeOf({ headers }: Response): string | undefined {
  return headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase();
}
// #part text

/** A value as text, or as JSON if it is an object, which has no text form. */
function textOf(value: unknown): string {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? JSON.stringify(value) : String(value);
}
// #part pauses

/** The longest pause of a client that tries again and again. */
const LONGEST_PAUSE_MS = 30_000;

/** A pause that doubles with each failure. */
const growing = (ms: number, failures: number): number =>
  varied(Math.min(ms * 2 ** Math.min(failures, 30), Math.max(ms, LONGEST_PAUSE_MS)));

/** Up to a quarter longer, so that many clients do not come back at once. */
const varied = (ms: number): number => ms * (1 + Math.random() / 4);
// #part send

interface RequestBody {
  /** Undefined if the content has its own. */
  readonly type: string | undefined;
  readonly content: string | Blob | ArrayBuffer;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly query?: string;
  readonly headers?: object | undefined;
  readonly cookie?: string;
  readonly body?: RequestBody | undefined;
  /** Status, `4XX` or `default` → the documented kinds of content. */
  readonly responses: Readonly<Record<string, string>>;
  /** The documented events, and `json` or `text` for their data. */
  readonly events?: readonly (readonly [name: string, data: string])[];
  /** Where a stream of events is. */
  readonly place?: EventPlace;
  /** Are lines of JSON values, not of bytes? */
  readonly areValues?: boolean;
}

/** The last id of a stream, and the time after which the service wants to be asked again. */
interface EventPlace {
  id: string;
  retryMs: number;
}

/** Methods that have the same effect if a request arrives twice (RFC 9110, §9.2.2; QUERY is safe). */
const repeatable: readonly string[] = ["GET", "HEAD", "OPTIONS", "QUERY", "PUT", "DELETE"];

async function send<Result>(options: ClientOptions, input: CallOptions | undefined, call: Call): Promise<Result> {
  const late = new AbortController();
  const signals = [...(input?.signal ? [input.signal] : []), ...(input?.timeoutMs === undefined ? [] : [late.signal])];
  const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
  const end = (): void => late.abort(new DOMException(`no result after ${input?.timeoutMs} ms`, "TimeoutError"));
  const timer = input?.timeoutMs === undefined ? undefined : setTimeout(end, input.timeoutMs);
  try {
    return (await resultOf(call, await received(options, input, call, signal))) as Result;
  } finally {
    clearTimeout(timer);
  }
}

/** The response to the request, or to the last of several. */
async function received(
  options: ClientOptions,
  input: CallOptions | undefined,
  call: Call,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const retry = input?.retry ?? options.retry;
  const limits = [retry, options.retry].find((one) => typeof one === "object");
  const isRepeated = retry === true || (retry !== false && repeatable.includes(call.method));
  const attempts = isRepeated ? (limits?.attempts ?? 3) : 1;
  let leftMs = limits?.maxWaitMs ?? LONGEST_PAUSE_MS;
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attempted(options, call, signal);
    const pauseMs = attempt < attempts ? pauseAfter(outcome, attempt) : undefined;
    if (pauseMs === undefined || pauseMs > leftMs) {
      if (outcome.response === undefined) throw outcome.error;
      return outcome.response;
    }
    leftMs -= pauseMs;
    await outcome.response?.body?.cancel();
    await paused(pauseMs, signal);
  }
}

/** A response, or the error of the network. */
interface Outcome {
  readonly response?: Response;
  readonly error?: unknown;
}

async function attempted(options: ClientOptions, call: Call, signal: AbortSignal | undefined): Promise<Outcome> {
  const url = options.baseUrl.replace(/\/+$/, "") + call.path + (call.query ?? "");
  const made = new Request(url, {
    method: call.method,
    headers: await headersOf(options, call),
    body: call.body?.content ?? null,
    signal: signal ?? null,
    ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
  });
  const request = (await options.onRequest?.(made)) ?? made;
  let response: Response;
  try {
    response = await (options.fetch ?? fetch)(request);
  } catch (error) {
    // An error of the network is a TypeError (Fetch, §5.6).
    if (signal?.aborted || !(error instanceof TypeError)) throw error;
    return { error };
  }
  return { response: (await options.onResponse?.(response, request)) ?? response };
}

/** The pause before the next attempt, undefined if there is to be none. */
function pauseAfter({ response }: Outcome, attempt: number): number | undefined {
  if (response !== undefined && response.status !== 429 && response.status !== 503) return undefined;
  const after = response?.headers.get("Retry-After") ?? "";
  const askedMs = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Number.isNaN(askedMs) ? growing(250, attempt - 1) : varied(Math.max(askedMs, 0));
}

/** @throws the signal's reason if it aborts */
function paused(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const go = (): void => {
      signal?.removeEventListener("abort", stop);
      resolve();
    };
    const timer = setTimeout(go, Math.min(ms, 2 ** 31 - 1));
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

async function headersOf(options: ClientOptions, call: Call): Promise<Headers> {
  const headers = new Headers();
  const shared = typeof options.headers === "function" ? await options.headers() : options.headers;
  for (const source of [shared, call.headers]) {
    const entries: [string, unknown][] = Object.entries(source ?? {});
    for (const [name, value] of entries) if (value !== undefined && value !== null) headers.set(name, textOf(value));
  }
  if (call.body?.type !== undefined) headers.set("Content-Type", call.body.type);
  if (call.cookie) headers.set("Cookie", call.cookie);
  return headers;
}

async function resultOf(call: Call, response: Response): Promise<unknown> {
  const { ok, status } = response;
  const { responses } = call;
  // If a success is documented, `default` covers only failures. Any other success is read by its media type.
  const hasDefault = !ok || !Object.keys(responses).some((key) => key.startsWith("2"));
  const kinds =
    responses[status] ??
    responses[`${Math.floor(status / 100)}XX`] ??
    (hasDefault ? responses["default"] : undefined) ??
    (ok ? "any" : undefined);
  if (kinds === undefined) throw await unexpected(call, response);
  const content = await contentOf(call, response, kinds.split(" "));
  return ok ? { ok, status, body: content, response } : { ok, status, problem: content, response };
}

/** The content of a response, as one of the documented kinds; `any` follows its media type, and is undefined if it is empty. */
async function contentOf(call: Call, response: Response, kinds: readonly string[]): Promise<unknown> {
  if (kinds.includes("none")) {
    await response.body?.cancel();
    return undefined;
  }
  const isAny = kinds.includes("any");
  const named = kindOf(mediaTypeOf(response) ?? "");
  const kind = isAny ? named : [named, "binary"].find((one) => kinds.includes(one));
  if (kind === undefined) throw await unexpected(call, response);
  if (kind === "events") return call.events === undefined ? eventsOf(response) : documented(call, response);
  if (kind === "stream") return call.areValues === true ? valuesOf(call, response) : response.body;
  if (kind === "binary") {
    const blob = await response.blob();
    return isAny && blob.size === 0 ? undefined : blob;
  }
  const text = await response.text();
  if (isAny && text === "") return undefined;
  if (kind === "text") return text;
  return parsed(call, response, text);
}

function parsed(call: Call, response: Response, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const message = `${saying(call, response)}, whose content is no JSON`;
    throw new UnexpectedResponseError(message, response, text.slice(0, 1024), { cause });
  }
}

function kindOf(type: string): string {
  if (/[/+]json$/.test(type)) return "json";
  if (type === "text/event-stream") return "events";
  if (/^application\/(?:x-ndjson|jsonl|json-seq)$/.test(type)) return "stream";
  return /^text\/|[/+](?:xml|yaml)$|^application\/x-www-form-urlencoded$/.test(type) ? "text" : "binary";
}

/** The documented events, with their data parsed. Others are left out. */
async function* documented(call: Call, response: Response): AsyncGenerator<unknown, void, undefined> {
  for await (const event of eventsOf(response, call.place)) {
    const data = call.events?.find(([name]) => name === event.event || name === "*")?.[1];
    if (data !== undefined) yield data === "json" ? { ...event, data: parsed(call, response, event.data) } : event;
  }
}

/** The values of lines of JSON, which may begin with a record separator (RFC 7464). */
async function* valuesOf(call: Call, response: Response): AsyncGenerator<unknown, void, undefined> {
  for await (const line of linesOf(response, true)) {
    const text = line.replace("\u001e", "").trim();
    if (text !== "") yield parsed(call, response, text);
  }
}

/** The events of a stream as they arrive (HTML, §9.2.6). Leaving the loop cancels the rest. */
async function* eventsOf(
  response: Response,
  place: EventPlace = { id: "", retryMs: 0 },
): AsyncGenerator<ServerSentEvent, void, undefined> {
  let [event, { id }] = ["", place];
  let data: string[] = [];
  for await (const line of linesOf(response)) {
    const at = line.indexOf(":");
    const field = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? "" : line.slice(line.charAt(at + 1) === " " ? at + 2 : at + 1);
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    else if (field === "retry" && /^\d+$/.test(value)) place.retryMs = Number(value);
    if (line !== "") continue;
    // Only now: an event that broke off is sent again.
    place.id = id;
    if (data.length > 0) yield { event: event === "" ? "message" : event, data: data.join("\n"), id };
    [event, data] = ["", []];
  }
}

/** Lines that end with CR, LF or both, which may arrive in two chunks. @param hasRest is the text after the last one a line? */
async function* linesOf({ body }: Response, hasRest = false): AsyncGenerator<string, void, undefined> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let isAfterReturn = false;
  try {
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
      const text = decoder.decode(read.value, { stream: true });
      if (text === "") continue;
      const lines = text.slice(isAfterReturn && text.startsWith("\n") ? 1 : 0).split(/\r\n|[\r\n]/);
      isAfterReturn = text.endsWith("\r");
      const rest = lines.pop() ?? "";
      for (const line of lines) {
        yield pieces.join("") + line;
        pieces = [];
      }
      pieces.push(rest);
    }
    if (hasRest) yield pieces.join("") + decoder.decode();
  } finally {
    await reader?.cancel();
  }
}

async function unexpected(call: Call, response: Response): Promise<UnexpectedResponseError> {
  const message = `${saying(call, response)}, which its document does not name`;
  return new UnexpectedResponseError(message, response, await excerptOf(response));
}

function saying(call: Call, { status, headers }: Response): string {
  return `${call.method} ${call.path}: the response is ${status} ${headers.get("Content-Type") ?? "without content type"}`;
}

/** The first kilobyte of a body, or the part of it that arrives within a second. */
async function excerptOf({ body }: Response): Promise<string> {
  if (body === null || body.locked) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), 1000);
  let [text, left] = ["", 1024];
  try {
    while (left > 0) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value.subarray(0, left), { stream: true });
      left -= value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The body broke off: its beginning says enough.
  } finally {
    clearTimeout(timer);
  }
  return text;
}
// #part encoded

const encoded = (value: unknown): string => encodeURIComponent(textOf(value));
// #part segment

/**
 * A parameter of a path in its style (RFC 6570): `label` puts `.` before each value, `matrix` a `;` and the name.
 *
 * @throws TypeError for values that a URL cannot contain there: empty, `.` and `..`
 */
function segment(name: string, value: unknown, style = "simple", isExploded = false): string {
  const text = style === "json" ? encodeURIComponent(JSON.stringify(value)) : expanded(name, value, style, isExploded);
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${name} is ${JSON.stringify(text)}: that is no segment of a path`);
  return text;
}

function expanded(name: string, value: unknown, style: string, isExploded: boolean): string {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const members: [string, unknown][] = isObject ? Object.entries(value) : [];
  const texts = isObject
    ? members.map(([key, member]) => encoded(key) + (isExploded ? "=" : ",") + encoded(member))
    : [value].flat().map(encoded);
  const before = isObject && isExploded ? ";" : `;${encoded(name)}=`;
  const prefix = style === "matrix" ? before : style === "label" ? "." : "";
  return texts.length === 0 ? "" : prefix + texts.join(isExploded && prefix !== "" ? prefix : ",");
}
// #part query

/** The query: lists are repeated, unless a parameter has another style. */
function search(values: object | undefined, styles: readonly (readonly [name: string, style: string])[] = []): string {
  const query: string[] = [];
  const append = (name: string, value: unknown): unknown =>
    query.push(new URLSearchParams([[name, textOf(value)]]).toString());
  const entries: [string, unknown][] = Object.entries(values ?? {});
  for (const [name, value] of entries) {
    const style = styles.find(([styled]) => styled === name)?.[1];
    if (value === undefined || value === null) continue;
    if (style === "json") append(name, JSON.stringify(value));
    else if (typeof value !== "object") append(name, value);
    else if (style !== undefined && style !== "deep") query.push(...delimited(name, value, style));
    else if (Array.isArray(value)) for (const one of value) append(name, one);
    else {
      const members: [string, unknown][] = Object.entries(value).filter(([, member]) => member !== undefined);
      for (const [key, member] of members) append(style === "deep" ? `${name}[${key}]` : key, member);
    }
  }
  return query.length === 0 ? "" : `?${query.join("&")}`;
}

/**
 * Values with a delimiter that none of them contains: a comma within a value is encoded. @throws TypeError for other delimiters
 */
function delimited(name: string, value: object, delimiter: string): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(value) ? value : Object.entries(value).filter(([, member]) => member !== undefined).flat();
  if (delimiter !== "," && texts.some((one) => textOf(one).includes(delimiter)))
    throw new TypeError(`${name} has a value with ${JSON.stringify(delimiter)} in it, which separates its values`);
  // A comma stays as it is: a server that splits before decoding distinguishes it from one in a value.
  const between = delimiter === "," ? "," : encodeURIComponent(delimiter);
  return texts.length === 0 ? [] : [`${encoded(name)}=${texts.map(encoded).join(between)}`];
}
// #part cookies

/** The Cookie field. A browser sends its own cookies instead. */
function cookies(values: object | undefined): string {
  const entries: [string, unknown][] = Object.entries(values ?? {});
  return entries
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(textOf(value))}`)
    .join("; ");
}
// #part json

function json(value: unknown, type: string): RequestBody | undefined {
  return value === undefined ? undefined : { type, content: JSON.stringify(value) };
}
// #part form

function form(value: object | undefined): RequestBody | undefined {
  if (value === undefined) return undefined;
  const fields = new URLSearchParams();
  const entries: [string, unknown][] = Object.entries(value);
  for (const [name, given] of entries)
    for (const one of Array.isArray(given) ? given : [given])
      if (one !== undefined && one !== null) fields.append(name, textOf(one));
  return { type: "application/x-www-form-urlencoded", content: fields.toString() };
}
// #part multipart

/** A form with files (RFC 7578). A part has the type of its file, else the one in `types`. An object without either is JSON. */
function multipart(
  value: object | undefined,
  types: readonly (readonly [name: string, type: string])[] = [],
): RequestBody | undefined {
  if (value === undefined) return undefined;
  const boundary = `form-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`;
  const parts: (string | Blob)[] = [];
  const entries: [string, unknown][] = Object.entries(value);
  for (const [name, given] of entries)
    for (const one of Array.isArray(given) ? given : [given]) {
      if (one === undefined || one === null) continue;
      const isFile = one instanceof Blob;
      const named = types.find(([typed]) => typed === name)?.[1];
      const own = isFile ? "application/octet-stream" : typeof one === "object" ? "application/json" : undefined;
      const type = (isFile ? one.type : "") || (named ?? own);
      const file = isFile ? `; filename="${quotable("name" in one ? String(one.name) : "blob")}"` : "";
      parts.push(`--${boundary}\r\nContent-Disposition: form-data; name="${quotable(name)}"${file}\r\n`);
      parts.push(type === undefined ? "\r\n" : `Content-Type: ${type}\r\n\r\n`);
      const isJson = typeof one === "object" || /[/+]json\s*(?:;|$)/.test(type ?? "");
      parts.push(isFile ? one : isJson ? JSON.stringify(one) : String(one), "\r\n");
    }
  parts.push(`--${boundary}--\r\n`);
  return { type: `multipart/form-data; boundary=${boundary}`, content: new Blob(parts) };
}

/** A name as browsers write it in quotes. */
const quotable = (name: string): string => name.replaceAll(/\r\n?|\n/g, "%0D%0A").replaceAll('"', "%22");
// #part raw

function raw(content: string | Blob | ArrayBuffer | undefined, type: string | undefined): RequestBody | undefined {
  return content === undefined ? undefined : { type, content };
}
