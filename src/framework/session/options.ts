/**
 * Options of SessionMiddleware, checked and completed: a session that would never work is an error when it is configured.
 *
 * Spec: spec/session.md
 */
import { cookieLine, type CookieOptions } from "../http/cookies.ts";
import { checkedSecrets } from "../internal/secrets.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { usageError } from "../internal/usage-errors.ts";
import { type Keeper, SealedKeeper, StoredKeeper } from "./keeper.ts";
import { Sealer } from "./seal.ts";
import type { SessionStore } from "./store.ts";

/** The cookie of a session: its name, and what `ctx.setCookie` takes but for its end. It is always `HttpOnly`. */
export interface SessionCookie extends Omit<CookieOptions, "maxAge" | "expires" | "httpOnly"> {
  /** Default `__Host-session`; `session` where `path`, `domain` or `secure: false` rule that prefix out. */
  readonly name?: string | undefined;
}

/** What a SessionMiddleware takes. */
export interface SessionOptions {
  /**
   * Seals the session into its cookie: of 32 characters at least each, the first seals, all open. Not with a `store`,
   * which needs none.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /** Keeps sessions elsewhere; the cookie holds a random id alone. */
  readonly store?: SessionStore | undefined;
  readonly cookie?: SessionCookie | undefined;
  /** How long a session lives without being used. Default a day. */
  readonly idleMs?: number | undefined;
  /** How long a session lives, however much it is used. Default a week. `regenerate` begins anew. */
  readonly absoluteMs?: number | undefined;
  /** Does use let it live on? The cookie is sent again when a tenth of `idleMs` is over. Default true. */
  readonly rolling?: boolean | undefined;
  /**
   * When the store fails: `reject` responds with 503 to requests with a session; `continue` treats the client as one
   * without, and loses what it writes, but for `destroy` and `regenerate`, which are 503 then too. Default `reject`.
   */
  readonly onStoreError?: "reject" | "continue" | undefined;
  /** How long the store may take each time. Default 3,000. */
  readonly storeTimeoutMs?: number | undefined;
}

/** The options, complete. */
export interface Settings {
  readonly keeper: Keeper;
  readonly name: string;
  readonly cookie: Omit<CookieOptions, "maxAge" | "expires">;
  readonly idleMs: number;
  readonly absoluteMs: number;
  readonly rolling: boolean;
  readonly continues: boolean;
}

const known: readonly string[] = [
  "secrets",
  "store",
  "cookie",
  "idleMs",
  "absoluteMs",
  "rolling",
  "onStoreError",
  "storeTimeoutMs",
];

/** @throws TypeError naming the option, its value and what is allowed. */
export function settingsOf(options: SessionOptions): Settings {
  checkOptionNames("SessionMiddleware", options, known);
  const { rolling = true, onStoreError = "reject" } = options;
  if (typeof rolling !== "boolean") throw rejected("rolling", `is ${String(rolling)}: true and false are allowed`);
  if (onStoreError !== "reject" && onStoreError !== "continue")
    throw rejected("onStoreError", `is ${JSON.stringify(onStoreError)}: reject and continue are allowed`);
  const { name = defaultName(options.cookie), ...cookie } = options.cookie ?? {};
  const own = ["maxAge", "expires", "httpOnly"].find((attribute) => attribute in cookie);
  if (own !== undefined) throw rejected("cookie", `has ${own}, which follows from the session: leave it out`);
  cookieLine(name, "", cookie);
  return {
    keeper: keeperOf(options, name),
    name,
    cookie: { ...cookie, httpOnly: true },
    idleMs: milliseconds("idleMs", options.idleMs ?? 86_400_000),
    absoluteMs: milliseconds("absoluteMs", options.absoluteMs ?? 604_800_000),
    rolling,
    continues: onStoreError === "continue",
  };
}

const defaultName = ({ path = "/", domain, secure = true }: SessionCookie = {}): string =>
  secure && path === "/" && domain === undefined ? "__Host-session" : "session";

function keeperOf({ store, secrets, storeTimeoutMs = 3_000 }: SessionOptions, name: string): Keeper {
  if (store === undefined) return new SealedKeeper(new Sealer(checkedSecrets("SessionMiddleware", secrets), name));
  if (secrets !== undefined) throw rejected("secrets", "is given beside a store, which needs none: leave it out");
  if ((["read", "write", "destroy"] as const).some((method) => typeof store[method] !== "function"))
    throw rejected("store", "is no SessionStore: it has read, write and destroy");
  return new StoredKeeper(store, milliseconds("storeTimeoutMs", storeTimeoutMs, LONGEST_TIMER));
}

/** A timer that is to take longer is over at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

function milliseconds(option: string, value: number, most: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === "number" && value >= 1 && value <= most) return value;
  throw rejected(option, `is ${String(value)}: milliseconds from 1 to ${most} are allowed`);
}

const rejected = (option: string, what: string): TypeError =>
  usageError("CONFIG_INVALID", `the option ${option} of SessionMiddleware ${what}`);
