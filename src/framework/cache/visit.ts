/**
 * Visit: one cacheable request, from its lookup to its response.
 *
 *   look ──▶ fresh: hit                        stale ──▶ in its time: stale, and refreshed in the background
 *     │ miss, or no time left                       └──▶ the chain, with the stored validators ──▶ 304: the stored one again
 *     ▼                                                                                         └─▶ 5xx: the stale one, in its time
 *   another request makes it: wait, look again
 *     ▼ else
 *   the chain ──▶ response hook: stored, if it may be; sent as the client's conditions want it
 *
 * Spec: spec/cache.md
 */
import type { Context, RecordedResponse } from "../http/context.ts";
import { fieldsOf, withoutFields } from "../http/headers.ts";
import { HttpError } from "../internal/errors.ts";
import type { Next } from "../middleware/types.ts";
import { collected } from "./collect.ts";
import { type Directives, namesOf, directivesOf, secondsOf } from "./directives.ts";
import { Flight } from "./flights.ts";
import { variantOf, varyNames } from "./key.ts";
import { ageMsOf, initialAgeMs, type Lifetime, lifetimeOf, unstorable } from "./policy.ts";
import { partFor, record, type Whole } from "./serve.ts";
import type { Found, Stored } from "./shelf.ts";
import { annotationOf, type Done, withStatus } from "./status.ts";
import type { Cache } from "./options.ts";

/** Fields of one connection, which are never stored (RFC 9111 §3.1). */
const ofConnection: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "set-cookie",
]);
const conditional = ["if-none-match", "if-modified-since", "if-range", "range"] as const;
const failures: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** One request. */
export class Visit {
  readonly #cache: Cache;
  readonly #ctx: Context;
  readonly #directives: Directives;
  readonly #place: string;
  readonly #primary: string;
  readonly #isRefresh: boolean;
  /** The client's own conditions. */
  readonly #asked: { readonly method: string; header(name: string): string | undefined };
  /** The header lines that middleware outside has set. */
  readonly #outer: readonly string[];

  constructor(
    cache: Cache,
    ctx: Context,
    keys: {
      readonly directives: Directives;
      readonly place: string;
      readonly primary: string;
      readonly isRefresh: boolean;
    },
  ) {
    this.#cache = cache;
    this.#ctx = ctx;
    this.#directives = keys.directives;
    this.#place = keys.place;
    this.#primary = keys.primary;
    this.#isRefresh = keys.isRefresh;
    const kept = new Map(conditional.map((name) => [name as string, ctx.header(name)]));
    this.#asked = { method: ctx.method, header: (name) => (kept.has(name) ? kept.get(name) : ctx.header(name)) };
    this.#outer = [...(ctx as unknown as { recorded(): RecordedResponse }).recorded().headers];
  }

  async run(next: Next): Promise<void> {
    for (let hasWaited = false; ; hasWaited = true) {
      const found = await this.#cache.find(this.#place, this.#primary, this.#variant);
      if (found === undefined) return this.#around(next);
      if (this.#served(found)) return undefined;
      if (this.#directives.has("only-if-cached"))
        throw new HttpError(504, "nothing that is stored fits this request", { code: "only_if_cached" });
      const { flights, waitMs } = this.#cache;
      if (hasWaited || this.#isRefresh || !flights.isAwaited(this.#primary)) return this.#forward(found, next);
      await flights.land(this.#primary, waitMs);
    }
  }

  readonly #variant = (vary: readonly string[]): Promise<string> => variantOf(this.#ctx, vary);

  /** The store is away: the app goes on without it. */
  async #around(next: Next): Promise<void> {
    this.#ctx.onResponse((_, response) => this.#marked(response, { outcome: "bypass", why: "bypass" }));
    await next();
  }

  /** Responds with what is stored, if it may be used. */
  #served({ stored }: Found): boolean {
    if (stored === undefined || this.#isRefresh) return false;
    const now = Date.now();
    const ageMs = ageMsOf(stored, now);
    const life = lifetimeOf(stored, stored.receivedAt, this.#cache);
    if (life === undefined) return false;
    const ttlMs = life.freshMs - ageMs;
    if (!this.#fits(ageMs, ttlMs)) return false;
    if (ttlMs > 0) return this.#hit(stored, { outcome: "hit", ageMs, ttlMs });
    if (ttlMs <= -life.whileRevalidateMs || !this.#cache.refresh(this.#ctx, this.#place, this.#primary)) return false;
    return this.#hit(stored, { outcome: "stale", why: "stale-while-revalidate", ageMs, ttlMs });
  }

  /** Do the directives of the request allow it (RFC 9111 §5.2.1)? */
  #fits(ageMs: number, ttlMs: number): boolean {
    const said = this.#directives;
    if (said.has("no-cache")) return false;
    const maxAge = secondsOf(said, "max-age");
    if (maxAge !== undefined && ageMs > maxAge * 1_000) return false;
    const least = secondsOf(said, "min-fresh");
    return least === undefined || ttlMs >= least * 1_000;
  }

  #hit(stored: Stored, done: Done): true {
    const whole = wholeOf(stored, done.ageMs ?? 0);
    record(this.#ctx, whole);
    this.#ctx.onResponse((_, response) =>
      response.status === whole.status
        ? this.#marked(partFor(this.#asked, { ...response, body: whole.body }), done)
        : undefined,
    );
    return true;
  }

  /** The chain makes the response. */
  async #forward({ stored, why, ticket }: Found, next: Next): Promise<void> {
    const ctx = this.#ctx;
    const { flights } = this.#cache;
    // A part, or nothing, cannot be stored, so no request waits for it.
    const isWhole = ctx.method !== "HEAD" && (this.#asked.header("range") === undefined || stored !== undefined);
    const land = isWhole && !flights.isNoted(this.#primary) ? flights.lead(this.#primary) : undefined;
    if (land !== undefined) ctx.outliveClient();
    const flight = new Flight(land);
    const requestedAt = Date.now();
    this.#ask(stored);
    ctx.onResponse(async (_, response) => {
      for (const name of conditional) ctx.overrideHeader(name, this.#asked.header(name));
      return this.#responded(response, { stored, why, ticket }, requestedAt, flight);
    });
    ctx.onComplete(() => flight.completed());
    await next();
  }

  /** The conditions of the chain: those of what is stored, or none. */
  #ask(stored: Stored | undefined): void {
    const ctx = this.#ctx;
    const [etag, lastModified] = ["etag", "last-modified"].map((name) => fieldsOf(stored?.headers ?? [], name));
    if (stored === undefined && ctx.header("range") !== undefined) return;
    for (const [name, value] of [
      ["if-none-match", etag],
      ["if-modified-since", lastModified],
      ["range", undefined],
      ["if-range", undefined],
    ] as const)
      if (value !== undefined || ctx.header(name) !== undefined) ctx.overrideHeader(name, value);
  }

  /** The response of the chain: stored, replaced by the stored one, or sent as it is. */
  #responded(
    response: RecordedResponse,
    { stored, why, ticket }: Found,
    requestedAt: number,
    flight: Flight,
  ): RecordedResponse {
    const now = Date.now();
    if (stored !== undefined && failures.has(response.status)) {
      const ageMs = ageMsOf(stored, now);
      const life = lifetimeOf(stored, stored.receivedAt, this.#cache);
      const mayBeStale = life !== undefined && ageMs - life.freshMs < life.ifErrorMs;
      if (mayBeStale) {
        flight.land(false);
        const done = { outcome: "stale", why: "stale-if-error", ageMs, ttlMs: life.freshMs - ageMs } as const;
        const whole = wholeOf(stored, ageMs);
        return this.#marked(this.#part({ ...whole, headers: this.#outside(whole.headers) }), done);
      }
    }
    const isSame = stored !== undefined && response.status === 304;
    const whole = isSame ? updated(stored, this.#inner(response.headers)) : response;
    const made = { ...whole, headers: this.#inner(whole.headers) };
    const outcome = isSame ? "revalidated" : "miss";
    const done: Done = { outcome, why: stored === undefined ? why : "stale", fwdStatus: response.status };
    const sent = isSame ? { ...whole, headers: this.#outside(whole.headers) } : response;
    const reason = this.#unstorable(made);
    const life = lifetimeOf(made, now, this.#cache);
    if (reason !== undefined || life === undefined) {
      flight.land(false);
      return this.#marked(this.#part(sent), {
        ...done,
        stored: false,
        ...(reason === undefined ? {} : { why: done.why }),
      });
    }
    const keep = (body: Stored["body"]): void => {
      const initialMs = initialAgeMs(made.headers, requestedAt, now);
      const kept: Stored = { ...made, body, requestedAt, receivedAt: now, initialAgeMs: initialMs };
      const shelving = { stored: kept, vary: varyNames(fieldsOf(made.headers, "vary")), ttlMs: ttlOf(life, kept) };
      flight.keep(this.#cache.put(this.#ctx, ticket, this.#variant, shelving));
    };
    const { maxBodyBytes } = this.#cache;
    const { body } = whole;
    if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
      if (body !== undefined && body.length > maxBodyBytes) flight.land(false);
      else keep(body);
      return this.#marked(this.#part({ ...sent, body }), { ...done, stored: (body?.length ?? 0) <= maxBodyBytes });
    }
    const stream = collected(body, maxBodyBytes, (bytes) => (bytes === undefined ? flight.land(false) : keep(bytes)));
    return this.#marked({ ...sent, body: stream }, { ...done, stored: true });
  }

  #unstorable(made: RecordedResponse): string | undefined {
    if (this.#ctx.method === "HEAD") return "HEAD";
    const request = { authorization: this.#ctx.header("authorization") !== undefined, directives: this.#directives };
    return unstorable(request, made, this.#cache.target);
  }

  #part(response: RecordedResponse): RecordedResponse {
    const { body } = response;
    const isWhole = body === undefined || typeof body === "string" || body instanceof Uint8Array;
    return isWhole ? partFor(this.#asked, response as Whole) : response;
  }

  #marked(response: RecordedResponse, done: Done): RecordedResponse {
    this.#ctx.annotations?.add("cache", annotationOf(done));
    return { ...response, headers: withStatus(response.headers, this.#cache.status, done) };
  }

  /** The head without the lines of middleware outside, and without fields that are never stored. */
  #inner(headers: readonly string[]): string[] {
    const outer = new Set(pairs(this.#outer).map(String));
    const said = directivesOf(fieldsOf(headers, "cache-control"));
    const named = (fieldsOf(headers, "connection") ?? "").split(",").map((one) => one.trim().toLowerCase());
    const dropped = new Set([...ofConnection, ...named, ...namesOf(said, "no-cache")]);
    const hasCookie =
      fieldsOf(headers, "set-cookie") !== undefined && !namesOf(said, "no-cache").includes("set-cookie");
    if (hasCookie) dropped.delete("set-cookie"); // The policy sees it, and does not store the response.
    return pairs(headers)
      .filter((pair) => !outer.has(String(pair)) && !dropped.has(pair[0].toLowerCase()))
      .flat();
  }

  /** A stored head with the lines of middleware outside. */
  #outside(headers: readonly string[]): string[] {
    const names = new Set(pairs(this.#outer).map(([name]) => name.toLowerCase()));
    return [...this.#outer, ...withoutFields(headers, (name) => names.has(name))];
  }
}

const pairs = (headers: readonly string[]): (readonly [string, string])[] =>
  headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ""] as const] : []));

/** A stored response as it is sent, with its age and its date. */
function wholeOf({ status, headers, body, receivedAt }: Stored, ageMs: number): Whole {
  const kept = withoutFields(headers, (name) => name === "age");
  const dated = fieldsOf(kept, "date") === undefined ? ["Date", new Date(receivedAt).toUTCString()] : [];
  const seconds = Number.isFinite(ageMs) ? Math.floor(ageMs / 1_000) : 0;
  return { status, headers: [...kept, ...dated, "Age", String(seconds)], body };
}

/** What a 304 leaves as it is (RFC 9111 §3.2). */
const isOfTheBytes = (name: string): boolean =>
  ["content-length", "content-encoding", "content-range", "content-type"].includes(name);

/** The stored response with the fields of a 304. */
function updated(stored: Stored, headers: readonly string[]): Whole {
  const fields = withoutFields(headers, isOfTheBytes);
  const names = new Set(pairs(fields).map(([name]) => name.toLowerCase()));
  const kept = withoutFields(stored.headers, (name) => names.has(name) || name === "age" || name === "date");
  return { status: stored.status, headers: [...kept, ...fields], body: stored.body };
}

/** How long a response is kept: while it may be used, and longer if it can be asked about. */
function ttlOf({ freshMs, whileRevalidateMs, ifErrorMs }: Lifetime, { headers, initialAgeMs: age }: Stored): number {
  const isAskable = ["etag", "last-modified"].some((name) => fieldsOf(headers, name) !== undefined);
  return Math.max(1, freshMs - age + Math.max(whileRevalidateMs, ifErrorMs, isAskable ? 3_600_000 : 0));
}
