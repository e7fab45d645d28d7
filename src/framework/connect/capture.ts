/**
 * Capture: Node's response while a Connect middleware has it.
 *
 *   begin ──▶ CAPTURING: writeHead, write, end are kept ──▶ end() or a second write ──▶ captured, for good
 *                 └─ next(), and the head goes out ──▶ they are Node's own again, for the engine that sends what is
 *                    recorded, as they are for a host that responds instead
 *
 * Middleware that wraps these methods (sessions, compression, users of on-headers) wraps the ones here, so its work at the end
 * of a response runs when the recorded response is sent. If the middleware responds itself, its wrappers have run by then, and
 * are removed before that response is sent. If it continues to write, they stay on its side, and the engine gets a substitute
 * response with Node's own methods.
 */
import type { Context } from "../http/context.ts";
import { isFraming } from "../internal/http-rules.ts";

/** The used part of Node's response. */
export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  readonly req?: unknown;
  getHeaders(): Readonly<Record<string, HeaderValue | undefined>>;
  getRawHeaderNames(): readonly string[];
  setHeader(name: string, value: HeaderValue): unknown;
  appendHeader(name: string, value: string | readonly string[]): unknown;
  removeHeader(name: string): void;
  writeHead(status: number, ...rest: readonly unknown[]): unknown;
  write(...args: readonly unknown[]): boolean;
  end(...args: readonly unknown[]): unknown;
  flushHeaders(): void;
  on(event: string, listener: () => void): unknown;
  once(event: string, listener: () => void): unknown;
  emit(event: string): unknown;
}

type HeaderValue = string | number | readonly string[];

/** The state of the response before a middleware had it. */
export interface Earlier {
  readonly headers: Readonly<Record<string, HeaderValue | undefined>>;
  readonly status: number;
}

/** The response of a middleware, whole or as a stream. */
export interface Captured {
  readonly body: Uint8Array | ReadableStream<Uint8Array> | undefined;
  readonly isText: boolean;
  /** Lets the engine send: restores the own methods of Node's response, or gives the engine a response with them. */
  restore(ctx: Context): void;
}

/** The methods that middleware wraps, including `on` and `flush` (compression). */
const wrapped = ["writeHead", "write", "end", "flushHeaders", "on", "flush", "setHeader", "appendHeader"] as const;

/** Waiting bytes above which a middleware that writes a stream has to wait. */
const roomBytes = 65_536;

const captures = new WeakMap<object, Capture>();

/** The capture of a response, shared by all middlewares. */
export function captureOf(res: NodeResponse): Capture {
  const known = captures.get(res);
  if (known !== undefined) return known;
  const capture = new Capture(res);
  captures.set(res, capture);
  return capture;
}

/** A middleware that has the response. */
interface Holder {
  respond(captured: Captured): void;
  /** Is the head out? Later writes are the engine's. */
  isOut(): boolean;
}

class Capture {
  readonly #res: NodeResponse;
  /** Node's own `writeHead`. */
  readonly #sendHead: (args: readonly unknown[]) => unknown;
  readonly #own: ReadonlyMap<string, PropertyDescriptor | undefined>;
  /** The innermost last. */
  readonly #holders: Holder[] = [];
  #isResponded = false;
  #hasHead = false;
  #isEnded = false;
  #isUnread = false;
  #isText = false;
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #isFull = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(res: NodeResponse) {
    this.#res = res;
    this.#own = new Map(wrapped.map((name) => [name, Object.getOwnPropertyDescriptor(res, name)]));
    const { writeHead, write, end, flushHeaders, setHeader, appendHeader } = res;
    this.#sendHead = (args) => sendHead(res, writeHead, args);
    res.writeHead = (...args) => (this.#isKept ? this.#writeHead(args) : this.#sendHead(args));
    res.write = (...args) => (this.#isKept ? this.#write(args) : write.apply(res, [...args]));
    res.end = (...args) => (this.#isKept ? this.#end(args) : end.apply(res, [...args]));
    res.flushHeaders = () => (this.#isKept ? this.#head() : flushHeaders.call(res));
    // The headers of an upstream as they come. Removing it again would not do, because Node leaves the body of a response that
    // has lost its Transfer-Encoding without any framing.
    res.setHeader = (name, value) => (isFraming(name) ? res : setHeader.call(res, name, value));
    res.appendHeader = (name, value) => (isFraming(name) ? res : appendHeader.call(res, name, value));
    res.on("error", () => undefined); // A write after the end gets its error by its callback. Unhandled it would end the process.
  }

  /** From now on writes are kept. The holder is called when there is a response. */
  begin(holder: Holder): void {
    this.#holders.push(holder);
  }

  /** Ends the capture for that holder, so writes are sent. */
  pass(): void {
    if (!this.#isResponded) this.#holders.pop();
  }

  /** A response in pieces stays incomplete. False when no reader waits for more of it. */
  breakOff(error: unknown): boolean {
    if (this.#isEnded || this.#isUnread || this.#failure !== undefined) return false;
    this.#failure = { error };
    this.#wake();
    return true;
  }

  get #isKept(): boolean {
    return this.#isResponded || this.#holders.at(-1)?.isOut() === false;
  }

  /** Through its wrappers, as for Node's implicit head, since they may still set headers. */
  #head(): void {
    if (!this.#hasHead) this.#res.writeHead(this.#res.statusCode);
  }

  #writeHead([status, ...rest]: readonly unknown[]): NodeResponse {
    this.#hasHead = true;
    const res = this.#res;
    res.statusCode = Number(status);
    const fields = rest.find((value) => typeof value === "object" && value !== null) ?? {};
    for (const [name, value] of pairsOf(fields)) res.setHeader(name, value);
    return res;
  }

  #write(args: readonly unknown[]): boolean {
    this.#head();
    this.#add(args);
    // A response that ends in the same turn is whole.
    queueMicrotask(() => this.#responded());
    this.#isFull = this.#bytes > roomBytes;
    return !this.#isFull;
  }

  #end(args: readonly unknown[]): NodeResponse {
    this.#head();
    this.#add(args);
    this.#isEnded = true;
    this.#responded();
    this.#wake();
    return this.#res;
  }

  #add(args: readonly unknown[]): void {
    const [chunk, encoding] = args;
    const done = args.find((argument) => typeof argument === "function") as (() => void) | undefined;
    if (done !== undefined) this.#res.once("finish", done);
    if (this.#isUnread) return;
    if (typeof chunk === "string") this.#isText = true;
    const bytes =
      typeof chunk === "string"
        ? Buffer.from(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8")
        : chunk instanceof Uint8Array
          ? chunk
          : undefined;
    if (bytes === undefined || bytes.length === 0) return;
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
    this.#wake();
  }

  #responded(): void {
    const holder = this.#holders.at(-1);
    if (this.#isResponded || holder === undefined) return;
    this.#isResponded = true;
    const isWhole = this.#isEnded;
    holder.respond({
      body: this.#body(),
      isText: this.#isText,
      restore: (ctx) => (isWhole ? this.#restore() : this.#standIn(ctx)),
    });
  }

  #body(): Captured["body"] {
    if (!this.#isEnded) return this.#stream();
    const [first] = this.#waiting;
    return this.#waiting.length < 2 ? first : new Uint8Array(Buffer.concat(this.#waiting));
  }

  #stream(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          while (this.#waiting.length === 0 && !this.#isEnded && this.#failure === undefined)
            await new Promise<void>((resolve) => {
              this.#wake = resolve;
            });
          const chunk = this.#waiting.shift();
          if (chunk === undefined && !this.#isEnded) throw this.#failure?.error;
          if (chunk === undefined) return controller.close();
          this.#bytes -= chunk.length;
          controller.enqueue(chunk);
          this.#drained();
        },
        // The rest has no reader, and its writer must not wait for one.
        cancel: () => {
          this.#isUnread = true;
          this.#waiting = [];
          this.#bytes = 0;
          this.#drained();
        },
      },
      { highWaterMark: 0 },
    );
  }

  #drained(): void {
    if (!this.#isFull || this.#bytes > 0) return;
    this.#isFull = false;
    this.#res.emit("drain");
  }

  /** The middleware continues to write to the response, so the engine sends through another one with Node's own methods. */
  #standIn(ctx: Context): void {
    const res = this.#res;
    const own = new Map<PropertyKey, unknown>(
      [...this.#own].map(([name, found]) => [name, found?.value ?? Reflect.get(Object.getPrototypeOf(res), name)]),
    );
    own.set("writeHead", (...args: readonly unknown[]) => this.#sendHead(args));
    // A head that Node writes implicitly would go through the wrappers.
    for (const name of ["write", "end", "flushHeaders"]) {
      const method = own.get(name) as (...args: readonly unknown[]) => unknown;
      own.set(name, (...args: readonly unknown[]) => {
        if (!res.headersSent) this.#sendHead([res.statusCode]);
        return Reflect.apply(method, res, args);
      });
    }
    const get = (_res: NodeResponse, name: PropertyKey): unknown => {
      const value: unknown = own.has(name) ? own.get(name) : Reflect.get(res, name);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        const result: unknown = Reflect.apply(value, res, args);
        return result === res ? sending : result; // A chain of calls must not reach the wrappers.
      };
    };
    const sending: NodeResponse = new Proxy(res, { get });
    const { exchange } = ctx as Context & { readonly exchange: { res: NodeResponse } };
    exchange.res = sending;
  }

  #restore(): void {
    for (const [name, own] of this.#own) {
      Reflect.deleteProperty(this.#res, name);
      if (own !== undefined) Object.defineProperty(this.#res, name, own);
    }
    this.#res.writeHead = (...args) => this.#sendHead(args);
  }
}

/**
 * Writes the head of the recorded response from its flat list. If a header was set on a response, Node 20 keeps only the last
 * of several lines with one name, so they are set here. Cookies and `Vary` are added to the existing ones.
 */
function sendHead(res: NodeResponse, writeHead: NodeResponse["writeHead"], args: readonly unknown[]): unknown {
  const [status, lines] = args;
  if (!Array.isArray(lines)) return writeHead.apply(res, [Number(status), ...args.slice(1)]);
  for (const [name, values] of pairsOf(lines)) {
    const lower = name.toLowerCase();
    if (lower !== "set-cookie" && lower !== "vary") res.removeHeader(name);
    res.appendHeader(name, linesOf(values));
  }
  return writeHead.call(res, Number(status));
}

/** A response of the middleware becomes the recorded one. */
export function record(ctx: Context, res: NodeResponse, { body, isText, restore }: Captured, earlier: Earlier): void {
  restore(ctx);
  const { statusCode } = res;
  takeOver(ctx, res, earlier);
  // The length for a GET. A known empty body would replace it by 0.
  const isLengthKnown = ctx.method === "HEAD" && ctx.responseHeader("content-length") !== undefined;
  if (body === undefined && !isLengthKnown) return void ctx.reply(statusCode);
  if (isText && ctx.responseHeader("content-type") === undefined)
    ctx.setHeader("Content-Type", "text/plain; charset=utf-8");
  ctx.status(statusCode).send(body ?? new Blob([]).stream());
}

/** A response after another one is not sent. Node's response is restored to its state before the middleware. */
export function drop(ctx: Context, res: NodeResponse, { body, restore }: Captured, earlier: Earlier): void {
  restore(ctx);
  reset(res, earlier);
  if (body instanceof ReadableStream) void body.cancel();
}

/** Adds the middleware's fields on Node's response to the record. Earlier ones stay. */
export function takeOver(ctx: Context, res: NodeResponse, earlier: Earlier): void {
  if (res.statusCode !== earlier.status) ctx.status(res.statusCode);
  for (const [name, value, before] of reset(res, earlier)) setField(ctx, name, linesOf(value), linesOf(before));
}

type Change = readonly [name: string, value: HeaderValue, before: HeaderValue | undefined];

/** Removes the middleware's fields from Node's response. @returns them, with the names as they were written */
function reset(res: NodeResponse, earlier: Earlier): readonly Change[] {
  res.statusCode = earlier.status;
  const written = new Map(res.getRawHeaderNames().map((name) => [name.toLowerCase(), name]));
  const changes: Change[] = [];
  for (const [name, value] of Object.entries(res.getHeaders())) {
    const before = earlier.headers[name];
    if (value === undefined || value === before) continue;
    if (before === undefined) res.removeHeader(name);
    else res.setHeader(name, before);
    changes.push([written.get(name) ?? name, value, before]);
  }
  return changes;
}

function setField(ctx: Context, name: string, lines: readonly string[], before: readonly string[]): void {
  const added = lines.filter((line) => !before.includes(line));
  switch (name.toLowerCase()) {
    case "set-cookie":
      for (const line of added) ctx.appendHeader(name, line);
      return;
    case "vary":
      for (const field of added.flatMap((line) => line.split(",")))
        if (field.trim() === "*") ctx.setHeader(name, "*");
        else if (field.trim() !== "") ctx.vary(field.trim());
      return;
    default:
      lines.forEach((line, at) => (at === 0 ? ctx.setHeader(name, line) : ctx.appendHeader(name, line)));
  }
}

const linesOf = (value: HeaderValue | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === "object" ? value : [String(value)];

/** The fields of `writeHead`: an object, a flat list, or a list of pairs. */
function pairsOf(fields: object): readonly (readonly [string, HeaderValue])[] {
  if (!Array.isArray(fields)) return Object.entries(fields) as [string, HeaderValue][];
  const flat = fields.flat() as string[];
  const byName = new Map<string, string[]>();
  for (let at = 0; at + 1 < flat.length; at += 2)
    byName.set(flat[at] ?? "", [...(byName.get(flat[at] ?? "") ?? []), String(flat[at + 1])]);
  return [...byName].map(([name, lines]) => [name, lines.length === 1 ? (lines[0] ?? "") : lines]);
}
