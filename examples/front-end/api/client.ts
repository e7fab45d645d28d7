/**
 * The client of Board 1. Written by `framework client` from its OpenAPI document: change that, not this file.
 *
 * A documented response is a result, also where it is a problem: `result.ok` and `result.status` tell which. So is any
 * other success. Other failures and media types are thrown as UnexpectedResponseError, and what `fetch` throws is thrown.
 */

export interface Message {
  readonly text: string;
  /** How often the service has started. */
  readonly run: number;
}

export interface Note {
  readonly id: number;
  readonly text: string;
}

export interface Problem {
  readonly title: string;
  readonly status: number;
}

/** What `findNotes` takes. */
export interface FindNotesInput extends CallOptions {
  readonly body: { readonly text: string };
}

/** What `findNotes` results in. */
export type FindNotesResult = Ok<200, readonly Note[]>;

/** What `addNote` takes. */
export interface AddNoteInput extends CallOptions {
  readonly body: { readonly text: string };
}

/** What `addNote` results in. */
export type AddNoteResult = Ok<201, Note> | Failed<422, Problem>;

/** An item of `changes`. */
export type ChangesEvent = TypedEvent<"added", Note>;

/** What `changes` results in. */
export type ChangesResult = Ok<200, AsyncIterable<ChangesEvent>>;

/** What `chat` sends. */
export type ChatSent = { readonly text: string };

/** What `chat` receives. */
export type ChatReceived = Message;

/** Every operation of the service. */
export interface Client {
  /**
   * The notes with a text in them, the newest first.
   * `QUERY /notes`
   */
  findNotes(input: FindNotesInput): Promise<FindNotesResult>;
  /**
   * Adds a note.
   * `POST /notes`
   */
  addNote(input: AddNoteInput): Promise<AddNoteResult>;
  /**
   * What happens on the board, from the beginning.
   * `GET /changes`
   */
  changes(input?: StreamOptions): Stream<ChangesEvent, ChangesResult>;
  /**
   * A message to everyone who has the board open.
   * `GET /chat`
   */
  chat(input?: SocketOptions): TypedSocket<ChatSent, ChatReceived>;
}

/** A client of the service. */
export function createClient(options: ClientOptions): Client {
  return {
    findNotes: (input) =>
      send<FindNotesResult>(options, input, {
        method: "QUERY",
        path: "/notes",
        body: json(input.body, "application/json"),
        responses: { 200: "json" },
      }),
    addNote: (input) =>
      send<AddNoteResult>(options, input, {
        method: "POST",
        path: "/notes",
        body: json(input.body, "application/json"),
        responses: { 201: "json", 422: "json" },
      }),
    changes: (input) =>
      events<ChangesEvent, ChangesResult>(options, input, {
        method: "GET",
        path: "/changes",
        responses: { 200: "events" },
        events: [["added", "json"]],
      }),
    chat: (input) =>
      new Socket<ChatSent, ChatReceived>(options, input, {
        path: "/chat",
        sent: "json",
        received: "json",
      }),
  };
}

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

/** A value as text, or as JSON if it is an object, which has no text form. */
function textOf(value: unknown): string {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? JSON.stringify(value) : String(value);
}

/** The longest pause of a client that tries again and again. */
const LONGEST_PAUSE_MS = 30_000;

/** A pause that doubles with each failure. */
const growing = (ms: number, failures: number): number =>
  varied(Math.min(ms * 2 ** Math.min(failures, 30), Math.max(ms, LONGEST_PAUSE_MS)));

/** Up to a quarter longer, so that many clients do not come back at once. */
const varied = (ms: number): number => ms * (1 + Math.random() / 4);

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

function json(value: unknown, type: string): RequestBody | undefined {
  return value === undefined ? undefined : { type, content: JSON.stringify(value) };
}
/** An event of a documented stream, with its data parsed. */
export interface TypedEvent<Name extends string, Data> {
  readonly event: Name;
  readonly data: Data;
  /** The last id so far, empty without one. */
  readonly id: string;
}

/**
 * The items of a stream: `for await (const item of client.ticks())`. Leaving the loop ends the request.
 *
 * The loop throws a documented failure as FailedResponseError. `open()` returns it with its type.
 */
export interface Stream<Item, Result> extends AsyncIterable<Item> {
  /** The first response as a result. The body of a success is the stream, to be read once. */
  open(): Promise<Result>;
}

type StreamResult = Ok<number, AsyncIterable<unknown> | undefined> | Failed<number, unknown>;

function stream<Item, Result>(open: () => Promise<StreamResult>): Stream<Item, Result> {
  return {
    open: open as () => Promise<Result>,
    async *[Symbol.asyncIterator]() {
      const result = await open();
      yield* (unwrap(result) as AsyncIterable<Item> | undefined) ?? [];
    },
  };
}

/** The options of a call for events. */
export interface StreamOptions extends CallOptions {
  /**
   * Connects again after a broken connection and after the end of the response, with the last id. Default: true for a method that
   * is safe to repeat, else false.
   */
  readonly reconnect?: boolean | undefined;
  /** The id of the event after which the stream begins. */
  readonly lastEventId?: string | undefined;
}

/** The events of a stream, which goes on where it broke off (HTML, §9.2.2). */
function events<Item, Result>(options: ClientOptions, input: StreamOptions | undefined, call: Call): Stream<Item, Result> {
  return stream(async () => {
    const place: EventPlace = { id: input?.lastEventId ?? "", retryMs: 1000 };
    const connect = (): Promise<StreamResult> => {
      // A header consists of bytes.
      const last = String.fromCharCode(...new TextEncoder().encode(place.id));
      const headers = { Accept: "text/event-stream", ...call.headers, "Last-Event-ID": last === "" ? undefined : last };
      return send<StreamResult>(options, input, { ...call, headers, place });
    };
    const first = await connect();
    const isResumed = input?.reconnect ?? repeatable.includes(call.method);
    if (!first.ok || first.body === undefined || !isResumed) return first;
    return { ...first, body: resumed(first.body, connect, place, input?.signal) };
  });
}

/** The events of one response after the other. A 204 is the end. */
async function* resumed(
  first: AsyncIterable<unknown>,
  connect: () => Promise<StreamResult>,
  place: EventPlace,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown, void, undefined> {
  let current: AsyncIterable<unknown> | undefined = first;
  for (let failures = 0; ; failures += 1) {
    try {
      current ??= unwrap(await connect()) as AsyncIterable<unknown> | undefined;
      if (current === undefined) return;
      for await (const event of current) {
        failures = 0;
        yield event;
      }
    } catch (error) {
      if (signal?.aborted || isFinal(error, current === undefined)) throw error;
    }
    current = undefined;
    await paused(growing(place.retryMs, failures), signal);
  }
}

/** Is it no error of the network, and no 429 or 503? While a response is read, any other error broke it off. */
function isFinal(error: unknown, isConnecting: boolean): boolean {
  if (error instanceof FailedResponseError) return ![429, 503].includes(error.result.status);
  if (error instanceof UnexpectedResponseError) return ![429, 503].includes(error.status);
  return isConnecting && !(error instanceof TypeError) && (error as Error).name !== "TimeoutError";
}

export interface ClientOptions {
  /** The class of WebSockets. Default: the global one, which Node has since 22. */
  readonly WebSocket?: (new (url: string, protocols: string[]) => WebSocketLike) | undefined;
}

/** What a WebSocket of a service is called with. */
export interface SocketOptions {
  /** Closes the connection. The loop throws its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Connects again after a broken connection and a restart of the service (codes 1001, 1006, 1011 to 1014). Default: true */
  readonly reconnect?: boolean | undefined;
  /** The subprotocols to offer, for example one with a token, since a browser sends no headers. */
  readonly protocols?: readonly string[] | undefined;
}

/**
 * The messages of a WebSocket: `for await (const message of socket)`. Leaving the loop closes the connection.
 *
 * Up to 1,024 messages are kept for the loop. With more the connection is closed, and the loop throws after the last of them.
 */
export interface TypedSocket<Sent, Received> extends AsyncIterable<Received> {
  /** Resolves when the first connection is open. @throws SocketClosedError if there is none */
  readonly opened: Promise<void>;
  /**
   * Sends a message. Up to 256 messages wait for a connection. A message that was sent into a broken connection may be lost.
   *
   * @throws Error for more of them, and after the end
   */
  send(message: Sent): void;
  /** Closes the connection, by default with code 1000. The loop ends. */
  close(code?: number, reason?: string): void;
}

/** A WebSocket ended with a code other than 1000. */
export class SocketClosedError extends Error {
  override readonly name: string = "SocketClosedError";
  readonly code: number;
  readonly reason: string;

  constructor(code: number, reason: string, options?: ErrorOptions) {
    super(`the WebSocket was closed with ${code}${reason === "" ? "" : `: ${reason}`}`, options);
    this.code = code;
    this.reason = reason;
  }
}

/** The part of a `WebSocket` that the client uses. */
export interface WebSocketLike {
  binaryType: string;
  readonly readyState: number;
  addEventListener(type: string, listener: (event: object) => void): void;
  send(data: string | ArrayBuffer): void;
  close(code?: number, reason?: string): void;
}

interface SocketCall {
  readonly path: string;
  readonly query?: string;
  /** `json` or `raw`. */
  readonly sent: string;
  readonly received: string;
}

const [MAX_UNREAD, MAX_UNSENT, FIRST_ATTEMPTS] = [1024, 256, 3];
/** The service went away, or the connection broke (RFC 6455, §7.4, and the registry of IANA). */
const brokenCodes: readonly number[] = [1001, 1006, 1011, 1012, 1013, 1014];

/** The URL of a WebSocket. A relative one is based on the page. */
function socketUrl(options: ClientOptions, call: SocketCall): string {
  const { location } = globalThis as { readonly location?: { readonly href: string } };
  const url = new URL(options.baseUrl.replace(/\/+$/, "") + call.path + (call.query ?? ""), location?.href);
  url.protocol = url.protocol.replace("http", "ws");
  return url.href;
}

class Socket<Sent, Received> implements TypedSocket<Sent, Received> {
  readonly opened: Promise<void>;
  readonly #options: ClientOptions;
  readonly #input: SocketOptions | undefined;
  readonly #call: SocketCall;
  readonly #unsent: (string | ArrayBuffer)[] = [];
  readonly #unread: Received[] = [];
  #socket: WebSocketLike | undefined;
  #end: { readonly error: unknown } | undefined;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #wasOpen = false;
  #settle: (error?: unknown) => void = () => undefined;
  #wake: () => void = () => undefined;

  constructor(options: ClientOptions, input: SocketOptions | undefined, call: SocketCall) {
    this.#options = options;
    this.#input = input;
    this.#call = call;
    this.opened = new Promise((resolve, reject) => {
      this.#settle = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.opened.catch(() => undefined);
    if (input?.signal?.aborted) this.#aborted();
    else {
      input?.signal?.addEventListener("abort", this.#aborted);
      this.#connect();
    }
  }

  send(message: Sent): void {
    if (this.#end !== undefined) throw new Error("the WebSocket is closed");
    const data = this.#call.sent === "json" ? JSON.stringify(message) : (message as string | ArrayBuffer);
    if (this.#socket?.readyState === 1) return this.#socket.send(data);
    if (this.#unsent.length >= MAX_UNSENT) throw new Error(`${MAX_UNSENT} messages wait for a connection`);
    this.#unsent.push(data);
  }

  close(code = 1000, reason = ""): void {
    this.#finish(undefined, code, reason);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Received, void, undefined> {
    try {
      while (true) {
        while (this.#unread.length > 0) yield this.#unread.shift() as Received;
        if (this.#end?.error !== undefined) throw this.#end.error;
        if (this.#end !== undefined) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.close();
    }
  }

  readonly #aborted = (): void => this.#finish(this.#input?.signal?.reason ?? new Error("aborted"), 1000, "");

  #connect(): void {
    const { WebSocket: made = (globalThis as Pick<ClientOptions, "WebSocket">).WebSocket } = this.#options;
    if (made === undefined) throw new TypeError("there is no global WebSocket: pass one as the option WebSocket");
    const socket = new made(socketUrl(this.#options, this.#call), [...(this.#input?.protocols ?? [])]);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => this.#onOpen(socket));
    socket.addEventListener("message", (event) => this.#onMessage((event as { readonly data: unknown }).data));
    socket.addEventListener("close", (event) => this.#onClose(event as SocketClosedError));
    // `close` follows, and says more.
    socket.addEventListener("error", () => undefined);
    this.#socket = socket;
  }

  #onOpen(socket: WebSocketLike): void {
    this.#failures = 0;
    this.#wasOpen = true;
    this.#settle();
    for (const data of this.#unsent.splice(0)) socket.send(data);
  }

  #onMessage(data: unknown): void {
    if (this.#end !== undefined) return;
    if (this.#unread.length >= MAX_UNREAD)
      return this.#finish(new Error(`the loop left ${MAX_UNREAD} messages unread`), 4008, "messages are not read");
    try {
      const text = (): string => (typeof data === "string" ? data : new TextDecoder().decode(data as ArrayBuffer));
      this.#unread.push((this.#call.received === "json" ? JSON.parse(text()) : data) as Received);
      this.#wake();
    } catch (cause) {
      this.#finish(new TypeError(`${this.#call.path}: a message is no JSON`, { cause }), 4007, "no JSON");
    }
  }

  #onClose({ code, reason }: Pick<SocketClosedError, "code" | "reason">): void {
    if (this.#end !== undefined) return;
    this.#failures += 1;
    const isTried = this.#wasOpen || this.#failures < FIRST_ATTEMPTS;
    if (this.#input?.reconnect !== false && brokenCodes.includes(code) && isTried)
      this.#timer = setTimeout(() => this.#connect(), growing(250, this.#failures - 1));
    else this.#finish(code === 1000 || code === 1005 ? undefined : new SocketClosedError(code, reason), 1000, "");
  }

  #finish(error: unknown, code: number, reason: string): void {
    if (this.#end !== undefined) return;
    this.#end = { error };
    clearTimeout(this.#timer);
    this.#input?.signal?.removeEventListener("abort", this.#aborted);
    this.#settle(error ?? new SocketClosedError(1000, "closed before it was open"));
    if ((this.#socket?.readyState ?? 2) < 2) this.#socket?.close(code, reason);
    this.#wake();
  }
}
