/**
 * LazyResponse: a web `Response` that is made only when something reads it. If a handler returns an unread one, the runtime
 * never makes it. On Node that takes longer than all the rest of a request.
 *
 *   new LazyResponse(text, { status, headers }) ──▶ returned ──▶ recorded from its arguments
 *        └─ headers, body, text(), clone() … ──▶ the runtime's own, from then on for everything
 *   anything but a text or bytes with plain headers ──▶ the runtime's own immediately, with its errors
 *
 * Spec: spec/context.md
 */
import { isToken } from "../internal/http-rules.ts";
import { ignore } from "../internal/thenable.ts";

/** The arguments of one: a flat list of header names and values. */
export interface ResponseParts<Body = string | Uint8Array> {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Body | null;
}

/** Takes the parts, once. The body counts as read then. Undefined when the runtime has made a Response of them. */
export const takeParts: unique symbol = Symbol("the parts of a lazy response");

/**
 * A `Response` for web-style handlers at the cost of a plain text: `new LazyResponse("hello")`,
 * `LazyResponse.json({ hello: "world" })`. To all other code it is a `Response`.
 *
 * @throws the same errors as `new Response`.
 */
export const LazyResponse: typeof Response = /* @__PURE__ */ lazyClass(); // A bundle that does not use it does not include it.

function lazyClass(): typeof Response {
  class Lazy {
    /** Undefined when the runtime had to make its own immediately. */
    readonly #parts: ResponseParts | undefined;
    #isTaken = false;
    #made: Response | undefined = undefined;

    constructor(body: BodyInit | null = null, init: ResponseInit = {}) {
      inherit(Lazy.prototype);
      this.#parts = partsOf(body, init);
      if (this.#parts === undefined) this.#made = new Response(body, init);
    }

    static json(value: unknown, init: ResponseInit = {}): Response {
      const text: string | undefined = JSON.stringify(value);
      const { headers = {} } = init;
      if (text === undefined || !isPlain(headers)) return Response.json(value, init);
      const isTyped = Object.keys(headers).some(isContentType);
      return new LazyResponse(text, isTyped ? init : { ...init, headers: { ...headers, "Content-Type": json } });
    }

    static error(): Response {
      return Response.error();
    }

    static redirect(url: string | URL, status?: number): Response {
      return Response.redirect(url, status);
    }

    [takeParts](): ResponseParts | undefined {
      if (this.#isTaken || this.#made !== undefined) return undefined;
      this.#isTaken = true;
      return this.#parts;
    }

    /** The runtime's own. */
    made(): Response {
      return (this.#made ??= madeOf(this.#parts, this.#isTaken));
    }
  }
  return Lazy as unknown as typeof Response;
}

/** The members of the class that `inherit` needs. */
interface Made {
  /** The runtime's own. */
  made(): Response;
}

function madeOf(parts: ResponseParts | undefined, isTaken: boolean): Response {
  const { status = 200, headers = [], body = null } = parts ?? {};
  const lines: [string, string][] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) lines.push([headers[at] ?? "", headers[at + 1] ?? ""]);
  const made = new Response(body as BodyInit | null, { status, headers: lines });
  if (isTaken) made.text().catch(ignore); // Reading it marks its body as used.
  return made;
}

const isContentType = (name: string): boolean => name.length === 12 && name.toLowerCase() === "content-type";

const json = "application/json";
const bodyless: ReadonlySet<number> = new Set([204, 205, 304]);
const value = /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/;

const isPlain = (headers: object): headers is Readonly<Record<string, unknown>> =>
  Object.getPrototypeOf(headers) === Object.prototype;

/** The parts, if their effect in the runtime is certain. Undefined leaves it to the runtime. */
function partsOf(
  body: unknown,
  { status = 200, statusText = "", headers = {} }: ResponseInit,
): ResponseParts | undefined {
  const isBody = body === null || typeof body === "string" || body instanceof Uint8Array;
  if (!isBody || statusText !== "" || !Number.isInteger(status) || status < 200 || status > 599 || !isPlain(headers))
    return undefined;
  if (body !== null && bodyless.has(status)) return undefined;
  const flat = flatOf(headers);
  if (flat === undefined) return undefined;
  if (typeof body === "string" && !Object.keys(headers).some(isContentType))
    flat.push("Content-Type", "text/plain;charset=UTF-8");
  return { status, headers: flat, body: body instanceof Uint8Array ? new Uint8Array(body) : body };
}

/** Undefined when a name or value is invalid, or a name repeats. */
function flatOf(headers: Readonly<Record<string, unknown>>): string[] | undefined {
  const flat: string[] = [];
  const names: string[] = [];
  for (const name of Object.keys(headers)) {
    const text = headers[name];
    const lower = name.toLowerCase();
    if (typeof text !== "string" || !isToken(name) || !value.test(text) || names.includes(lower)) return undefined;
    names.push(lower);
    flat.push(name, text);
  }
  return flat;
}

const isInheriting: WeakSet<object> = new WeakSet();

/**
 * Forwards all members of a `Response` to the runtime's own. Runs when the first one is made, because Node loads its whole
 * fetch implementation when `Response` is first named.
 */
function inherit(lazy: object): void {
  if (isInheriting.has(lazy)) return;
  isInheriting.add(lazy);
  const { prototype } = Response;
  for (const key of Reflect.ownKeys(prototype)) {
    if (Object.hasOwn(lazy, key)) continue;
    const property = Object.getOwnPropertyDescriptor(prototype, key) ?? {};
    const { get, value: method } = property;
    if (get !== undefined)
      Object.defineProperty(lazy, key, {
        ...property,
        get(this: Made): unknown {
          return get.call(this.made());
        },
      });
    else if (typeof method === "function")
      Object.defineProperty(lazy, key, {
        ...property,
        value(this: Made, ...args: readonly unknown[]): unknown {
          return method.apply(this.made(), args);
        },
      });
  }
  Object.setPrototypeOf(lazy, prototype);
}
