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
  /** Called with each request before it is sent. A returned request is sent instead. */
  readonly onRequest?: ((request: Request) => Request | void | Promise<Request | void>) | undefined;
  /** Called with each response before it is read. A returned response is read instead. */
  readonly onResponse?:
    | ((response: Response, request: Request) => Response | void | Promise<Response | void>)
    | undefined;
}

/** The options of every call. */
export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
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
  readonly response: Response;

  constructor(message: string, response: Response, options?: ErrorOptions) {
    super(message, options);
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
}

async function send<Result>(options: ClientOptions, input: CallOptions | undefined, call: Call): Promise<Result> {
  const url = options.baseUrl.replace(/\/+$/, "") + call.path + (call.query ?? "");
  const made = new Request(url, {
    method: call.method,
    headers: await headersOf(options, call),
    body: call.body?.content ?? null,
    signal: input?.signal ?? null,
  });
  const request = (await options.onRequest?.(made)) ?? made;
  const received = await (options.fetch ?? fetch)(request);
  const response = (await options.onResponse?.(received, request)) ?? received;
  return (await resultOf(call, response)) as Result;
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

/** A value as text, or as JSON if it is an object, which has no text form. */
function textOf(value: unknown): string {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? JSON.stringify(value) : String(value);
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
  if (kinds === undefined) throw unexpected(call, response);
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
  const named = kindOf(response.headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase() ?? "");
  const kind = isAny ? named : [named, "binary"].find((one) => kinds.includes(one));
  if (kind === undefined) throw unexpected(call, response);
  if (kind === "events") return eventsOf(response);
  if (kind === "stream") return response.body;
  if (kind === "binary") {
    const blob = await response.blob();
    return isAny && blob.size === 0 ? undefined : blob;
  }
  const text = await response.text();
  if (isAny && text === "") return undefined;
  if (kind === "text") return text;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw unexpected(call, response, { cause: error });
  }
}

function kindOf(type: string): string {
  if (/[/+]json$/.test(type)) return "json";
  if (type === "text/event-stream") return "events";
  if (/^application\/(?:x-ndjson|jsonl|json-seq)$/.test(type)) return "stream";
  return /^text\/|[/+](?:xml|yaml)$|^application\/x-www-form-urlencoded$/.test(type) ? "text" : "binary";
}

/** The events of a stream as they arrive (HTML, §9.2.6). Leaving the loop cancels the rest. */
async function* eventsOf(response: Response): AsyncGenerator<ServerSentEvent, void, undefined> {
  let [event, id] = ["", ""];
  let data: string[] = [];
  for await (const line of linesOf(response)) {
    const at = line.indexOf(":");
    const field = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? "" : line.slice(line.charAt(at + 1) === " " ? at + 2 : at + 1);
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    if (line !== "") continue;
    if (data.length > 0) yield { event: event === "" ? "message" : event, data: data.join("\n"), id };
    [event, data] = ["", []];
  }
}

/** Lines that end with CR, LF or both, which may arrive in two chunks. */
async function* linesOf({ body }: Response): AsyncGenerator<string, void, undefined> {
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
  } finally {
    await reader?.cancel();
  }
}

function unexpected(call: Call, response: Response, options?: ErrorOptions): UnexpectedResponseError {
  const type = response.headers.get("Content-Type") ?? "without content type";
  const what = options === undefined ? "which its document does not name" : "whose content is no JSON";
  return new UnexpectedResponseError(
    `${call.method} ${call.path}: the response is ${response.status} ${type}, ${what}`,
    response,
    options,
  );
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
      parts.push(isFile ? one : typeof one === "object" ? JSON.stringify(one) : String(one), "\r\n");
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
