/**
 * The options of CacheMiddleware, checked, and what a request needs of it.
 *
 * Spec: spec/cache.md
 */
import { checkOptionNames } from "../internal/option-names.ts";
import { checkWholeNumbers } from "../internal/option-values.ts";
import { shown, usageError } from "../internal/usage-errors.ts";
import type { Context } from "../http/context.ts";
import type { Flights } from "./flights.ts";
import type { KeyPart, QueryPart } from "./key.ts";
import type { Found, Shelving, Ticket } from "./shelf.ts";
import type { CacheStore } from "./store.ts";

/** What carries purges to other processes: a `MemoryBroadcast`, `RedisBroadcast` or `PostgresBroadcast` of framework/broadcast. */
export interface PurgeChannel {
  publish(channel: string, text: string): Promise<void>;
  subscribe(channel: string, listener: (text: string) => void): Promise<() => void>;
}

/** Options of {@link CacheMiddleware}. Times in milliseconds. */
export interface CacheOptions {
  /** Default: a separate `MemoryCacheStore`. */
  readonly store?: CacheStore | undefined;
  /** A part of the key beside the target and what `Vary` names, such as a tenant. */
  readonly key?: KeyPart | undefined;
  /**
   * The meaning of a QUERY, such as the body as its contract gives it: `(ctx) => ctx.body(searchSchema)`. Default: JSON in one
   * spelling, anything else byte by byte.
   */
  readonly query?: QueryPart | undefined;
  /** A larger body is not stored. Default 1,048,576. */
  readonly maxBodyBytes?: number | undefined;
  /** How long requests wait for another one that makes their response. Default 5,000. */
  readonly waitMs?: number | undefined;
  /** The time limit of the store. Without its reply the request goes on without the cache. Default 500. */
  readonly storeTimeoutMs?: number | undefined;
  /** Stores responses that say nothing for a tenth of the time since their `Last-Modified`, a day at most. Default false. */
  readonly heuristic?: boolean | undefined;
  /** A field that counts instead of `Cache-Control` and `Expires` (RFC 9213), such as `CDN-Cache-Control`. Default: none. */
  readonly target?: string | undefined;
  /** Whether `Cache-Control` of a request counts, such as a browser's reload. Default `obey`. */
  readonly requestDirectives?: "obey" | "ignore" | undefined;
  /** Carries purges to the other processes, if each has its own store. */
  readonly broadcast?: PurgeChannel | undefined;
  /** Its name in `Cache-Status` (RFC 9211), or false for none. Default `framework`. */
  readonly status?: string | false | undefined;
}

/** The cache as one request needs it. */
export interface Cache {
  readonly flights: Flights;
  readonly waitMs: number;
  readonly maxBodyBytes: number;
  readonly isHeuristic: boolean;
  readonly target: string | undefined;
  readonly status: string | undefined;
  /** Undefined when the store is away. */
  find(
    place: string,
    primary: string,
    variant: (vary: readonly string[]) => Promise<string>,
  ): Promise<Found | undefined>;
  put(
    ctx: Context,
    ticket: Ticket,
    variant: (vary: readonly string[]) => Promise<string>,
    shelving: Omit<Shelving, "tags">,
  ): Promise<boolean>;
  /** Makes the response again in the background. False when it cannot. */
  refresh(ctx: Context, place: string, primary: string): boolean;
}

const optionNames = [
  "store",
  "key",
  "query",
  "maxBodyBytes",
  "waitMs",
  "storeTimeoutMs",
  "heuristic",
  "target",
  "requestDirectives",
  "broadcast",
  "status",
];

/** @throws TypeError (`CACHE`) naming the option, its value and the allowed values. */
export function checkOptions(options: CacheOptions): void {
  checkOptionNames("CacheMiddleware", options, optionNames, "CACHE");
  const { store, key, query, heuristic, requestDirectives, broadcast, status, target } = options;
  if (store !== undefined && typeof store?.read !== "function") throw invalid("store", store, "a CacheStore");
  for (const [name, value] of Object.entries({ key, query }))
    if (value !== undefined && typeof value !== "function") throw invalid(name, value, "a function");
  if (heuristic !== undefined && typeof heuristic !== "boolean") throw invalid("heuristic", heuristic, "a boolean");
  if (requestDirectives !== undefined && !["obey", "ignore"].includes(requestDirectives))
    throw invalid("requestDirectives", requestDirectives, '"obey" or "ignore"');
  if (broadcast !== undefined && typeof broadcast?.publish !== "function")
    throw invalid("broadcast", broadcast, "a broadcast");
  if (target !== undefined && !/^[A-Za-z][\w-]{0,63}$/.test(target)) throw invalid("target", target, "a field name");
  if (status !== undefined && status !== false && !/^[A-Za-z*][\w.:/*-]{0,63}$/.test(status))
    throw invalid("status", status, "a token or false");
  checkWholeNumbers("CacheMiddleware", options, ["maxBodyBytes", "waitMs", "storeTimeoutMs"], "CACHE");
}

const invalid = (name: string, value: unknown, allowed: string): TypeError =>
  usageError("CACHE", `CacheMiddleware: ${name} is ${shown(value)}: ${allowed} is allowed`);
