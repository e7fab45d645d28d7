/**
 * Cache middleware: a shared cache in front of handlers (RFC 9111), for GET, HEAD and QUERY.
 *
 *   GET, HEAD, QUERY ──▶ visit.ts: hit, stale, revalidated, miss
 *   POST, PUT, …     ──▶ the chain ──▶ 2xx, 3xx: the target is forgotten, and what Location and Content-Location name
 *
 * A handler says what may be stored by its Cache-Control. The store may be away: then the app goes on without it.
 *
 * Spec: spec/cache.md
 */
import type { Context, RecordedResponse } from "../http/context.ts";
import { fieldsOf } from "../http/headers.ts";
import { inTime } from "../internal/in-time.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import { Faults } from "../metrics/faults.ts";
import type { Lifecycle, Next } from "../middleware/types.ts";
import { directivesOf } from "./directives.ts";
import { Flights } from "./flights.ts";
import { placeOf, primaryOf, targetOf } from "./key.ts";
import { MemoryCacheStore } from "./memory-store.ts";
import { type Cache, type CacheOptions, checkOptions } from "./options.ts";
import { refreshRequest, Refreshing } from "./refresh.ts";
import { Shelf } from "./shelf.ts";
import { Visit } from "./visit.ts";

/** What is to be forgotten. */
export interface Purge {
  /** The responses with one of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** The responses of this URL: each method, body and variant. */
  readonly url?: string | URL | undefined;
  /** Every response. */
  readonly all?: boolean | undefined;
}

/** A purge, as processes tell each other of it. */
interface Purged {
  readonly tags: readonly string[];
  readonly place?: string | undefined;
  readonly all: boolean;
}

const tagSlot: unique symbol = Symbol("framework/cache tags");
const CHANNEL = "framework cache";

/**
 * Names what a response consists of, so that `purge({ tags })` finds it: `cacheTags(ctx, "product-7")`.
 *
 * @throws TypeError (`CACHE`) when a tag is not a text of 1 to 128 characters, or there are more than 32.
 */
export function cacheTags(ctx: Context, ...tags: readonly string[]): void {
  const all = [...new Set([...tagsOf(ctx), ...tags])];
  if (all.length > 32) throw usageError("CACHE", `cacheTags() got ${all.length} tags: 32 for a response are allowed`);
  for (const tag of tags) checkTag("cacheTags()", tag);
  ctx.attribute(tagSlot, all);
}

const tagsOf = (ctx: Context): readonly string[] => (ctx.attribute(tagSlot) as readonly string[] | undefined) ?? [];

function checkTag(where: string, tag: unknown): void {
  if (typeof tag === "string" && tag !== "" && tag !== "*" && tag.length <= 128) return;
  throw usageError("CACHE", `${where} got ${shown(tag)}: a tag is a text of 1 to 128 characters, and not *`);
}

/**
 * Stores responses and sends them again.
 *
 * @example
 * ```ts
 * const cache = new CacheMiddleware();
 * app.use(new CompressionMiddleware()).use(cache);
 * app.get("/products", (ctx) => ctx.setHeader("Cache-Control", "max-age=60").json([]));
 * ```
 */
export class CacheMiddleware {
  readonly #options: CacheOptions;
  readonly #shelf: Shelf;
  readonly #faults = new Faults("CacheMiddleware: its store");
  readonly #cache: Cache;
  readonly #id: string = crypto.randomUUID();
  #app: Lifecycle | undefined;

  /** @throws TypeError (`CACHE`) naming the option, its value and the allowed values. */
  constructor(options: CacheOptions = {}) {
    checkOptions(options);
    const { store = new MemoryCacheStore(), status = "framework" } = options;
    this.#options = options;
    this.#shelf = new Shelf(store);
    this.#cache = {
      flights: new Flights(),
      waitMs: options.waitMs ?? 5_000,
      maxBodyBytes: options.maxBodyBytes ?? 1_048_576,
      isHeuristic: options.heuristic ?? false,
      target: options.target,
      status: status === false ? undefined : status,
      find: (...of) => this.#tried(this.#shelf.find(...of)),
      put: async (ctx, ticket, variant, shelving) =>
        (await this.#tried(this.#shelf.put(ticket, variant, { ...shelving, tags: tagsOf(ctx) }))) === true,
      refresh: (...of) => this.#refresh(...of),
    };
  }

  /** How often the store or the broadcast has failed, or was late. */
  get faults(): number {
    return this.#faults.count;
  }

  installed(app: Lifecycle): void {
    this.#app = app;
    this.#faults.tell(app);
    const { broadcast } = this.#options;
    if (broadcast === undefined) return;
    app.onStart(async () => {
      const leave = await broadcast.subscribe(CHANNEL, (text) => void this.#heard(text));
      app.onStop(leave);
    });
  }

  handle(ctx: Context, next: Next): unknown {
    if (ctx.method === "GET" || ctx.method === "HEAD" || ctx.method === "QUERY") {
      const isPlain = ["upgrade", "if-match", "if-unmodified-since"].every((name) => ctx.header(name) === undefined);
      return isPlain ? this.#visit(ctx, next) : next();
    }
    if (ctx.method !== "OPTIONS" && ctx.method !== "TRACE")
      ctx.onResponse((_, response) => this.#changed(ctx, response));
    return next();
  }

  /**
   * Forgets responses, in every process that shares the store or the broadcast. A response that is being made at that time is
   * not stored.
   *
   * @throws TypeError (`CACHE`) on an invalid tag or URL. (rejects) The error of the store or of the broadcast.
   */
  async purge({ tags = [], url, all }: Purge): Promise<void> {
    for (const tag of tags) checkTag("purge()", tag);
    const place = url === undefined ? undefined : await placeOfUrl(url);
    const purged = { tags, place, all: all === true };
    await this.#forget(purged);
    await this.#announce(purged);
  }

  /** Has the other processes forget it. */
  async #announce(purged: Purged): Promise<void> {
    await this.#options.broadcast?.publish(CHANNEL, JSON.stringify({ from: this.#id, ...purged }));
  }

  async #forget({ tags, place, all }: Purged): Promise<void> {
    if (all) await this.#shelf.purge("all");
    else if (tags.length > 0) await this.#shelf.purge(tags);
    if (place !== undefined) await this.#shelf.invalidate(place);
  }

  /** A purge of another process. */
  async #heard(text: string): Promise<void> {
    try {
      const { from, ...purged } = JSON.parse(text) as Purged & { readonly from: string };
      if (from !== this.#id) await this.#forget(purged);
    } catch (error) {
      this.#faults.note(error);
    }
  }

  async #visit(ctx: Context, next: Next): Promise<void> {
    const { key, query, requestDirectives = "obey" } = this.#options;
    const refreshing = ctx.platform.find((one) => one instanceof Refreshing);
    const isObeyed = requestDirectives === "obey" && refreshing === undefined;
    const field =
      ctx.header("cache-control") ?? (/\bno-cache\b/i.test(ctx.header("pragma") ?? "") ? "no-cache" : undefined);
    const directives = directivesOf(isObeyed ? field : undefined);
    const place = refreshing?.place ?? (await placeOf(...targetOf(ctx)));
    const primary = refreshing?.primary ?? (await primaryOf(ctx, place, key, query));
    const visit = new Visit(this.#cache, ctx, { directives, place, primary, isRefresh: refreshing !== undefined });
    await visit.run(next);
  }

  /** A method that may have changed something forgets its target, unless it failed (RFC 9111 §4.4). */
  async #changed(ctx: Context, { status, headers }: RecordedResponse): Promise<undefined> {
    if (status >= 400) return undefined;
    const [scheme, host, target] = targetOf(ctx);
    const own = `${scheme}://${host}`;
    const named = ["location", "content-location"].flatMap((name) => {
      const value = fieldsOf(headers, name);
      const url = value !== undefined && URL.canParse(value, own + target) ? new URL(value, own + target) : undefined;
      return url !== undefined && url.origin === own ? [url.pathname + url.search] : [];
    });
    for (const one of new Set([target, ...named])) {
      const purged = { tags: [], place: await placeOf(scheme, host, one), all: false };
      await this.#tried(this.#forget(purged));
      await this.#tried(this.#announce(purged));
    }
    return undefined;
  }

  #refresh(ctx: Context, place: string, primary: string): boolean {
    const app = this.#app;
    if (app === undefined) return false;
    if (this.#cache.flights.isAwaited(primary)) return true;
    const request = refreshRequest(ctx);
    if (request === undefined) return false;
    const { peerAddress } = ctx;
    // The body is read, since a stream is stored at its end.
    const made = app
      .fetch(request, { peerAddress }, new Refreshing(place, primary))
      .then((response) => response.arrayBuffer());
    made.catch((error: unknown) => this.#faults.note(error));
    return true;
  }

  async #tried<T>(work: Promise<T>): Promise<T | undefined> {
    const { storeTimeoutMs = 500 } = this.#options;
    try {
      return await inTime(work, storeTimeoutMs, `it did not reply within ${storeTimeoutMs} ms`);
    } catch (error) {
      this.#faults.note(error);
      return undefined;
    }
  }
}

/** @throws TypeError (`CACHE`) when it is no URL of HTTP. */
async function placeOfUrl(url: string | URL): Promise<string> {
  if (!URL.canParse(String(url)) || !/^https?:/.test(String(url)))
    throw usageError(
      "CACHE",
      `purge() got the URL ${shown(String(url))}: a whole one is allowed, as the client has it`,
    );
  const { protocol, host, pathname, search } = new URL(url);
  return placeOf(protocol.slice(0, -1), host, pathname + search);
}
