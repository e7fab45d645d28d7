/**
 * Set-Cookie: the header of `ctx.setCookie` by RFC 6265bis. It rejects cookies that a browser would silently drop.
 *
 *   name, value, options ──▶ checked ──▶ theme=dark; Path=/; Secure; HttpOnly; SameSite=Lax
 *                               └─ a mistake ──▶ an error that names the attribute and its problem
 *
 * By default a cookie is for this host alone, for TLS, unreadable by scripts and not sent with cross-site requests. A value may
 * be any text: characters that a cookie cannot hold are percent-encoded, and `ctx.cookie` decodes them.
 *
 * Spec: spec/cookies.md
 */
import { isToken } from "../internal/http-rules.ts";
import { unknownName } from "../internal/option-names.ts";
import { usageError } from "../internal/usage-errors.ts";
import { encodedUrl } from "./location.ts";

/** The attributes of a cookie. */
export interface CookieOptions {
  /** The path prefix that it is sent to, percent-encoded if needed. Default `/`. */
  readonly path?: string | undefined;
  /** Sends it to the subdomains of that host too. By default it is sent to this host alone. */
  readonly domain?: string | undefined;
  /** Its lifetime in seconds. 0 deletes it. By default it ends with the browser's session. */
  readonly maxAge?: number | undefined;
  /** When it ends. `maxAge` wins if both are set. */
  readonly expires?: Date | undefined;
  /** Only sent over TLS. Browsers treat localhost alike, Safari does not. Default true. */
  readonly secure?: boolean | undefined;
  /** Out of reach of scripts. Default true. */
  readonly httpOnly?: boolean | undefined;
  /** `lax` by default. `none` needs `secure`. */
  readonly sameSite?: "strict" | "lax" | "none" | undefined;
  /** One jar for each site that the page is embedded in (CHIPS). Needs `secure`. */
  readonly partitioned?: boolean | undefined;
  /** Decides which cookies are dropped first when there are too many. Only Chromium supports it. */
  readonly priority?: "low" | "medium" | "high" | undefined;
}

/** Identifies a cookie that is to be deleted. */
export type CookiePlace = Omit<CookieOptions, "maxAge" | "expires">;

/** The largest cookie that browsers must keep, its attributes included (RFC 6265 §6.1). */
export const MAX_COOKIE_BYTES = 4096;

/** The line of a `Set-Cookie` field. @throws TypeError naming the part that a browser would reject. */
export function cookieLine(name: string, value: string, options: CookieOptions = {}): string {
  checkName(name);
  const cookie = checked(name, options);
  const line = `${name}=${encoded(name, value)}${attributesOf(cookie)}`;
  if (line.length > MAX_COOKIE_BYTES)
    throw invalid(name, `has ${line.length} bytes with its attributes: ${MAX_COOKIE_BYTES} are allowed`);
  return line;
}

/** The line that makes a browser forget a cookie. @throws TypeError as `cookieLine` does. */
export const deletedCookieLine = (name: string, place: CookiePlace = {}): string =>
  cookieLine(name, "", { ...place, maxAge: 0, expires: new Date(0) });

/** Adds a cookie's line to a flat list of header names and values, and replaces an earlier one for the same cookie. */
export function putCookie(list: string[], line: string): void {
  for (let at = list.length - 2; at >= 0; at -= 2)
    if (list[at]?.toLowerCase() === "set-cookie" && isSameCookie(list[at + 1] ?? "", line)) list.splice(at, 2);
  list.push("Set-Cookie", line);
}

/** Do two lines set the same cookie, with equal name, host and path (RFC 6265bis §5.7)? */
const isSameCookie = (line: string, other: string): boolean =>
  nameIn(line) === nameIn(other) && placeIn(line) === placeIn(other);

/** Checked and completed options. */
interface Checked extends CookieOptions {
  readonly path: string;
  readonly secure: boolean;
  readonly httpOnly: boolean;
  readonly sameSite: "strict" | "lax" | "none";
}

const known: readonly string[] = [
  "path",
  "domain",
  "maxAge",
  "expires",
  "secure",
  "httpOnly",
  "sameSite",
  "partitioned",
  "priority",
];

function checked(name: string, options: CookieOptions): Checked {
  const odd = unknownName(options, known);
  if (odd !== undefined) throw invalid(name, `has the option ${JSON.stringify(odd)}: ${known.join(", ")} exist`);
  const cookie = { ...options, path: options.path ?? "/", secure: options.secure ?? true };
  const whole: Checked = { ...cookie, httpOnly: options.httpOnly ?? true, sameSite: options.sameSite ?? "lax" };
  for (const flag of ["secure", "httpOnly", "partitioned"] as const)
    if (whole[flag] !== undefined && typeof whole[flag] !== "boolean")
      throw invalid(name, `has ${flag} ${JSON.stringify(whole[flag])}: true and false are allowed`);
  checkPlace(name, whole);
  checkTimes(name, whole);
  checkWords(name, whole);
  checkPrefix(name, whole);
  return whole;
}

function checkName(name: string): void {
  if (typeof name !== "string" || !isToken(name))
    throw usageError(
      "COOKIE_INVALID",
      `${JSON.stringify(name)} is no name of a cookie: letters, digits and !#$%&'*+-.^_\`|~ are allowed`,
    );
}

/** Characters that a cookie holds unescaped (RFC 6265 §4.1.1). `%` marks an escape. */
const notOctets = /[^!#$&-+\--:<-[\]-~]+/g;

function encoded(name: string, value: string): string {
  if (typeof value !== "string") throw invalid(name, `has a value that is ${typeof value}: text is allowed`);
  try {
    return value.replaceAll(notOctets, encodeURIComponent);
  } catch {
    throw invalid(name, "has a value with half of a surrogate pair: it has no UTF-8");
  }
}

function checkPlace(name: string, { path, domain }: Checked): void {
  if (typeof path !== "string" || !/^\/[^;\p{Cc}]*$/u.test(path))
    throw invalid(
      name,
      `has the path ${JSON.stringify(path)}: it begins with / and holds no ; and no control character`,
    );
  if (domain !== undefined && !(typeof domain === "string" && domain.length <= 253 && isHost(domain)))
    throw invalid(
      name,
      `has the domain ${JSON.stringify(domain)}: a host such as shop.example is allowed, without a dot before it`,
    );
}

const isHost = (text: string): boolean =>
  text.split(".").every((label) => /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(label));

function checkTimes(name: string, { maxAge, expires }: Checked): void {
  if (maxAge !== undefined && !(Number.isSafeInteger(maxAge) && maxAge >= 0))
    throw invalid(name, `has maxAge ${String(maxAge)}: whole seconds from 0 are allowed`);
  if (expires === undefined) return;
  const year = expires instanceof Date ? expires.getUTCFullYear() : Number.NaN;
  if (!(year >= 1601 && year <= 9999))
    throw invalid(name, `has expires ${String(expires)}: a Date from 1601 to 9999 is allowed`);
}

function checkWords(name: string, cookie: Checked): void {
  const words = { sameSite: ["strict", "lax", "none"], priority: ["low", "medium", "high"] } as const;
  for (const option of ["sameSite", "priority"] as const) {
    const word = cookie[option];
    if (word !== undefined && !(words[option] as readonly unknown[]).includes(word))
      throw invalid(name, `has ${option} ${JSON.stringify(word)}: ${words[option].join(", ")} are allowed`);
  }
  if (cookie.secure) return;
  if (cookie.sameSite === "none") throw invalid(name, "has sameSite none: that needs secure");
  if (cookie.partitioned === true) throw invalid(name, "is partitioned: that needs secure");
}

/** The prefixes that browsers enforce, in any case (RFC 6265bis §5.4). */
function checkPrefix(name: string, { secure, path, domain, httpOnly }: Checked): void {
  const prefix = /^__(?:secure|host-http|host|http)-/i.exec(name)?.[0].toLowerCase();
  if (prefix === undefined) return;
  const isOfHost = prefix.startsWith("__host-");
  const lacks = [
    ...(secure ? [] : ["secure: true"]),
    ...(prefix.endsWith("http-") && !httpOnly ? ["httpOnly: true"] : []),
    ...(isOfHost && path !== "/" ? ['path: "/"'] : []),
    ...(isOfHost && domain !== undefined ? ["no domain"] : []),
  ];
  if (lacks.length > 0) throw invalid(name, `needs ${lacks.join(", ")}: its prefix promises that to browsers`);
}

const invalid = (name: string, what: string): TypeError =>
  usageError("COOKIE_INVALID", `the cookie ${JSON.stringify(name)} ${what}`);

function attributesOf(cookie: Checked): string {
  let text = `; Path=${encodedUrl(cookie.path)}`;
  if (cookie.domain !== undefined) text += `; Domain=${cookie.domain}`;
  if (cookie.maxAge !== undefined) text += `; Max-Age=${cookie.maxAge}`;
  if (cookie.expires !== undefined) text += `; Expires=${cookie.expires.toUTCString()}`;
  if (cookie.secure) text += "; Secure";
  if (cookie.httpOnly) text += "; HttpOnly";
  text += `; SameSite=${capitalised(cookie.sameSite)}`;
  if (cookie.partitioned === true) text += "; Partitioned";
  return cookie.priority === undefined ? text : `${text}; Priority=${capitalised(cookie.priority)}`;
}

const capitalised = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

const nameIn = (line: string): string => line.slice(0, Math.max(0, line.indexOf("="))).trim();

/** Host, path and partition of a line, also of one that the app wrote itself. */
function placeIn(line: string): string {
  let path = "/";
  let domain = "";
  let isPartitioned = false;
  for (const attribute of line.split(";").slice(1)) {
    const [name = "", ...rest] = attribute.split("=").map((part) => part.trim());
    const value = rest.join("=");
    if (/^path$/i.test(name)) path = value;
    else if (/^domain$/i.test(name)) domain = value.replace(/^\./, "").toLowerCase();
    else if (/^partitioned$/i.test(name)) isPartitioned = true;
  }
  return `${domain};${path};${isPartitioned}`;
}
