/**
 * The reading half of a context: path, query, headers, cookies, body. Everything is made on first use.
 *
 * Spec: spec/context.md
 */
import { shownAddress } from "./addresses.ts";
import { authorityOf, authorityText, parseAuthority } from "./authority.ts";
import type { BodyType } from "../contract/schema.ts";
import { decodeText, parseJson, validate } from "./body.ts";
import type { ContextPlatform } from "./context.ts";
import { codingOf, decodeBytes, decodeStream, type Coding } from "./content-coding.ts";
import { type AsyncScope, runIn } from "../internal/async-scope.ts";
import type { Exchange } from "./exchange.ts";
import { BadRequestError, UnsupportedMediaTypeError } from "../internal/errors.ts";
import { ignore } from "../internal/thenable.ts";
import { usageError, stateError } from "../internal/usage-errors.ts";
import { cookieOf, cookiesOf, isJson, isOtherCharset, mediaTypeOf } from "./headers.ts";
import { forwardingOf, nothingSaid, type Forwarding } from "./forwarded.ts";
import { parsePairs, parseQuery, pathOf, searchOf } from "./target.ts";
import { readablePath, shownPath, valueOf } from "../routing/path.ts";
import type { Trust } from "./trust.ts";

/** What reading needs to know of the app. */
export interface RequestSettings {
  readonly maxBodyBytes: number;
  /** How long a handler may take, in milliseconds; 0 where nothing limits it. */
  readonly handlerMs: number;
  readonly jsonDepth: number;
  readonly queryPairs: number;
  readonly trustProxy: false | Trust;
}

const noNames: readonly string[] = [];
const FORM = "application/x-www-form-urlencoded";

/** One request, read. */
export class RequestReader {
  readonly exchange: Exchange;
  readonly settings: RequestSettings;
  readonly routed: string;
  /** Was nothing in the path encoded, and is there no backslash in it? Then its values are what was sent. */
  readonly isPlain: boolean;
  /** Parameter names and raw values; set by routing. */
  paramNames: readonly string[] = noNames;
  paramValues: readonly string[] = noNames;
  bodyLimit: number;
  /** How long its chain may take, in milliseconds; 0 where nothing limits it. */
  handlerMs: number;
  /** The async context of its handler, or of the innermost middleware that was reached. */
  scope: AsyncScope | undefined = undefined;
  #readable: string | undefined;
  #params: Record<string, string> | undefined;
  #query: Readonly<Record<string, readonly string[]>> | undefined;
  #bytes: Promise<Uint8Array> | undefined;
  #json: Promise<unknown> | undefined;
  #read: unknown;
  #forwarding: Forwarding | undefined;

  constructor(exchange: Exchange, settings: RequestSettings, routed: string, isPlain: boolean) {
    this.exchange = exchange;
    this.settings = settings;
    this.routed = routed;
    this.isPlain = isPlain;
    this.bodyLimit = settings.maxBodyBytes;
    this.handlerMs = settings.handlerMs;
  }

  /** Runs work in the async context of the handler. @throws what it throws. */
  inScope<R>(work: () => R): R {
    return runIn(this.scope, work);
  }

  get method(): string {
    return this.exchange.method;
  }

  get path(): string {
    return this.isPlain ? this.routed : shownPath(this.routed);
  }

  /** What a middleware's prefix is compared with: the path as a handler can come to read it. */
  get readablePath(): string {
    const { routed } = this;
    return (this.#readable ??= this.isPlain && routed.indexOf("//") < 0 ? routed : readablePath(routed));
  }

  get url(): string {
    return pathOf(this.exchange.target);
  }

  get search(): string {
    return searchOf(this.exchange.target);
  }

  get httpVersion(): string {
    return this.exchange.httpVersion;
  }

  get platform(): ContextPlatform {
    return this.exchange.platform;
  }

  get peerAddress(): string | undefined {
    return shownAddress(this.exchange.peer);
  }

  get remoteAddress(): string | undefined {
    return this.#forwarded().address ?? this.peerAddress;
  }

  get scheme(): string {
    return this.#forwarded().scheme ?? (this.exchange.secure ? "https" : "http");
  }

  get host(): string | undefined {
    const { host, port } = this.#forwarded();
    const authority = host ?? parseAuthority(authorityOf(this.exchange.target) ?? this.exchange.header("host") ?? "");
    return authority === undefined ? undefined : authorityText(authority, port, this.scheme);
  }

  get params(): Readonly<Record<string, string>> {
    if (this.#params !== undefined) return this.#params;
    const params: Record<string, string> = Object.create(null);
    this.paramNames.forEach((name, index) => {
      params[name] = this.#valueOf(this.paramValues[index] ?? "");
    });
    return (this.#params = params);
  }

  pathParam(name: string): string {
    const value = this.paramValues[this.paramNames.indexOf(name)];
    if (value === undefined)
      throw usageError("PARAM_UNKNOWN", `this route has no path parameter {${name}}${this.#known()}`);
    return this.#valueOf(value);
  }

  pathParamAsInt(name: string): number {
    const text = this.pathParam(name);
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) throw new BadRequestError(`{${name}} is a whole number`);
    return value;
  }

  get query(): Readonly<Record<string, readonly string[]>> {
    return (this.#query ??= parseQuery(this.exchange.target, this.settings.queryPairs));
  }

  queryParam(name: string): string | undefined {
    return this.query[name]?.[0];
  }

  queryParams(name: string): readonly string[] {
    return this.query[name] ?? noNames;
  }

  header(name: string): string | undefined;
  header(name: string, value?: unknown): string | undefined {
    if (value !== undefined) throw usageError("RENAMED", "ctx.header(name, value) is ctx.setHeader(name, value) now");
    return this.exchange.header(name.toLowerCase());
  }

  headerValues(name: string): readonly string[] {
    const wanted = name.toLowerCase();
    const values: string[] = [];
    for (const [key, value] of this.exchange.headers()) if (key.toLowerCase() === wanted) values.push(value);
    return values;
  }

  requestHeaders(): Iterable<readonly [string, string]> {
    return this.exchange.headers();
  }

  cookie(name: string): string | undefined {
    return cookieOf(this.exchange.header("cookie"), name);
  }

  get cookies(): Readonly<Record<string, string>> {
    return cookiesOf(this.exchange.header("cookie"));
  }

  body<S extends BodyType>(type?: S): Promise<unknown> {
    const json = (this.#json ??= this.#parsed());
    return type === undefined ? json : handled(json.then((value) => validate(value, type)));
  }

  bodyAsString(): Promise<string> {
    return handled(this.#text());
  }

  bodyAsBytes(): Promise<Uint8Array> {
    if (this.#bytes !== undefined) return this.#bytes;
    const reading = (this.#bytes = this.#whole());
    reading.then((bytes) => {
      this.#read ??= bytes;
    }, ignore);
    return reading;
  }

  bodyAsForm(): Promise<Readonly<Record<string, readonly string[]>>> {
    return handled(this.#form());
  }

  bodyAsStream(): ReadableStream<Uint8Array> {
    if (this.#bytes !== undefined)
      throw stateError("BODY_READ", "the body was read already: call bodyAsStream() first, and nothing else then");
    const coding = this.#coding();
    this.#bytes = Promise.reject(
      stateError("BODY_READ", "the body is being read as a stream: it cannot be read in another way then"),
    );
    this.#bytes.catch(() => undefined);
    const stream = this.exchange.stream(this.bodyLimit);
    return coding === undefined ? stream : decodeStream(stream, coding, this.bodyLimit);
  }

  /** The body in pieces for somebody else: what was read already is given again. */
  bodyToPass(): ReadableStream<Uint8Array> {
    if (this.#bytes === undefined) return this.bodyAsStream();
    const bytes = this.#bytes;
    return new ReadableStream({
      async start(controller) {
        controller.enqueue(await bytes);
        controller.close();
      },
    });
  }

  bodyIfRead(): unknown {
    return this.#read;
  }

  /** The bytes without their coding. Both before and behind it there may be no more of them than the limit. */
  #whole(): Promise<Uint8Array> {
    let coding: Coding | undefined;
    try {
      coding = this.#coding();
    } catch (error) {
      return Promise.reject(error);
    }
    const whole = this.exchange.read(this.bodyLimit);
    return coding === undefined ? whole : this.#decoded(whole, coding);
  }

  async #decoded(whole: Promise<Uint8Array>, coding: Coding): Promise<Uint8Array> {
    return decodeBytes(await whole, coding, this.bodyLimit);
  }

  /** How the body is coded. @throws HttpError when it cannot be read as what its head says (400, 415). */
  #coding(): Coding | undefined {
    oneType(this.exchange);
    const { exchange } = this;
    const named = exchange.header("content-encoding");
    return named === undefined || exchange.isBodyDecoded === true ? undefined : codingOf(named);
  }

  async #text(): Promise<string> {
    expectUtf8(this.exchange.header("content-type"));
    return this.bodyAsBytes().then((bytes) => {
      const text = decodeText(bytes);
      if (this.#json === undefined) this.#read = text;
      return text;
    });
  }

  async #form(): Promise<Readonly<Record<string, readonly string[]>>> {
    oneType(this.exchange);
    const contentType = this.exchange.header("content-type");
    const mediaType = contentType === undefined ? "nothing" : (mediaTypeOf(contentType) ?? "a malformed Content-Type");
    if (mediaType !== FORM) throw new UnsupportedMediaTypeError(`a form was expected: ${FORM}, not ${mediaType}`);
    expectUtf8(contentType);
    const text = decodeText(await this.bodyAsBytes());
    this.#read = text;
    return parsePairs(text, this.settings.queryPairs, "form");
  }

  /** One step behind the bytes, and none before them: each costs as much as parsing a small body. */
  #parsed(): Promise<unknown> {
    try {
      expectJson(this.exchange);
    } catch (error) {
      return handled(Promise.reject(error));
    }
    const json: Promise<unknown> = (this.#bytes ??= this.#whole()).then(
      (bytes) => {
        this.#read ??= bytes;
        try {
          return (this.#read = parseJson(decodeText(bytes), this.settings.jsonDepth));
        } catch (error) {
          void handled(json); // Only now: a promise for each body that can be read would be one too many.
          throw error;
        }
      },
      (error: unknown) => {
        void handled(json);
        throw error;
      },
    );
    return json;
  }

  /** What trusted proxies say, read once. */
  #forwarded(): Forwarding {
    const { trustProxy } = this.settings;
    return trustProxy === false ? nothingSaid : (this.#forwarding ??= forwardingOf(trustProxy, this.exchange));
  }

  #valueOf(raw: string): string {
    return this.isPlain ? raw : valueOf(raw);
  }

  #known(): string {
    return this.paramNames.length === 0
      ? ": it has none"
      : `: it has ${this.paramNames.map((name) => `{${name}}`).join(", ")}`;
  }
}

/** @throws BadRequestError (400) when several Content-Type lines say different things: who reads another is deceived. */
export function oneType(exchange: Exchange): void {
  if (exchange.hasTwoTypes === true)
    throw new BadRequestError("the Content-Type lines differ: a request has one Content-Type");
}

/** @throws HttpError (400, 415) when the body is not said to be JSON. */
function expectJson(exchange: Exchange): void {
  oneType(exchange);
  const contentType = exchange.header("content-type");
  if (contentType === undefined)
    throw new UnsupportedMediaTypeError("a JSON body needs Content-Type: application/json");
  const mediaType = mediaTypeOf(contentType);
  if (mediaType === undefined || !isJson(mediaType))
    throw new UnsupportedMediaTypeError(`a JSON body was expected, not ${mediaType ?? "a malformed Content-Type"}`);
  expectUtf8(contentType);
}

/** @throws UnsupportedMediaTypeError (415) when a text is said to be in another charset. */
function expectUtf8(contentType: string | undefined): void {
  if (contentType === undefined || !isOtherCharset(contentType)) return;
  throw new UnsupportedMediaTypeError("the charset of a body is UTF-8 here, and its Content-Type says another");
}

/** A body that cannot be read rejects for the caller that awaits it; without one, a client must not end the process. */
function handled<T>(body: Promise<T>): Promise<T> {
  body.then(undefined, ignore);
  return body;
}
