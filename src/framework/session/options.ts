/**
 * Options of SessionMiddleware, checked and completed. A session that could never work throws when it is configured.
 *
 * Spec: spec/session.md
 */
import { cookieLine, type CookieOptions } from "../http/cookies.ts";
import { checkedSecrets } from "../internal/secrets.ts";
import { checkOptionNames } from "../internal/option-names.ts";
import { usageError } from "../internal/usage-errors.ts";
import { CrossOriginCheck, type CrossOriginOptions } from "../middleware/cross-origin/cross-origin-check.ts";
import { type Keeper, SealedKeeper, StoredKeeper } from "./keeper.ts";
import { Sealer } from "./seal.ts";
import type { SessionStore } from "./store.ts";

/** The cookie of a session: its name, and the options of `ctx.setCookie` except its end. It is always `HttpOnly`. */
export interface SessionCookie extends Omit<CookieOptions, "maxAge" | "expires" | "httpOnly"> {
  /** Default `__Host-session`, or `session` when `path`, `domain` or `secure: false` exclude that prefix. */
  readonly name?: string | undefined;
}

/** The options of a SessionMiddleware. */
export interface SessionOptions {
  /**
   * Seal the session into its cookie. At least 32 characters each. The first seals, all open. Not with a `store`, which needs
   * none.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /** Keeps sessions outside the cookie, which then holds only a random id. */
  readonly store?: SessionStore | undefined;
  readonly cookie?: SessionCookie | undefined;
  /** How long an unused session lives. Default one day. */
  readonly idleMs?: number | undefined;
  /** How long a session lives in total. Default one week. `regenerate` starts it again. */
  readonly absoluteMs?: number | undefined;
  /** Does use extend its life? The cookie is sent again after a tenth of `idleMs`. Default true. */
  readonly rolling?: boolean | undefined;
  /**
   * When the store fails: `reject` responds with 503 to requests with a session. `continue` treats the client as one without a
   * session, and loses its writes, except that `destroy` and `regenerate` still respond 503. Default `reject`.
   */
  readonly onStoreError?: "reject" | "continue" | undefined;
  /** The time limit of each store call. Default 3,000. */
  readonly storeTimeoutMs?: number | undefined;
  /**
   * Unsafe requests of pages of other origins are 403 by default, also those of a subdomain. The options name exceptions, as for
   * `CrossOriginProtectionMiddleware`, and `allow` turns the check off. It is not repeated where that middleware has run.
   */
  readonly crossOrigin?: CrossOriginOptions | "allow" | undefined;
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
  /** Undefined when requests of any origin are allowed. */
  readonly crossOrigin: CrossOriginCheck | undefined;
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
  "crossOrigin",
];

/** @throws TypeError naming the option, its value and the allowed values. */
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
    crossOrigin: crossOriginOf(options.crossOrigin),
  };
}

function crossOriginOf(options: SessionOptions["crossOrigin"] = {}): CrossOriginCheck | undefined {
  if (options === "allow") return undefined;
  if (typeof options !== "object" || options === null)
    throw rejected("crossOrigin", `is ${JSON.stringify(options)}: allow, or trustedOrigins and exempt, are allowed`);
  return new CrossOriginCheck("SessionMiddleware: crossOrigin", options);
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

/** A timer with a longer delay would fire immediately. */
const LONGEST_TIMER = 2 ** 31 - 1;

function milliseconds(option: string, value: number, most: number = Number.MAX_SAFE_INTEGER): number {
  if (typeof value === "number" && value >= 1 && value <= most) return value;
  throw rejected(option, `is ${String(value)}: milliseconds from 1 to ${most} are allowed`);
}

const rejected = (option: string, what: string): TypeError =>
  usageError("CONFIG_INVALID", `the option ${option} of SessionMiddleware ${what}`);
