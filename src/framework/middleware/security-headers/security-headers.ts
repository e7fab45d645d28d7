/**
 * Security headers middleware: makes browsers restrict the app's pages.
 *
 *   request ──▶ the headers are set ──▶ handler: its own header stays ──▶ response, errors too
 *
 * The set and its values are helmet's. `Strict-Transport-Security` is sent over https alone, as RFC 6797 §7.2 asks, and so is
 * `upgrade-insecure-requests`. Everything is checked when the middleware is made, so a request costs a few strings.
 *
 * Spec: spec/security-headers.md
 */
import type { Context } from "../../http/context.ts";
import { base64Of } from "../../internal/base64.ts";
import { checkOptionNames } from "../../internal/option-names.ts";
import { shown, usageError } from "../../internal/usage-errors.ts";
import { HookMiddleware } from "../hooks.ts";
import { policyOf, type Policy, type PolicyOptions } from "./content-policy.ts";

/** `Strict-Transport-Security`. */
export interface TransportSecurityOptions {
  /** Seconds. Default 31,536,000: a year. */
  readonly maxAge?: number | undefined;
  /** Default true. */
  readonly includeSubDomains?: boolean | undefined;
  /** Asks browsers to ship the domain in their list, see hstspreload.org. Default false. */
  readonly preload?: boolean | undefined;
}

type CrossOrigin = "same-origin" | "same-site" | "cross-origin";
type OpenerPolicy = "same-origin" | "same-origin-allow-popups" | "noopener-allow-popups" | "unsafe-none";
type EmbedderPolicy = "require-corp" | "credentialless" | "unsafe-none";

/** Options of {@link SecurityHeadersMiddleware}. `false` leaves a header out, and an omitted option keeps its default. */
export interface SecurityHeadersOptions {
  /** Default: helmet's policy. `"'nonce'"` among the sources is replaced by the request's own nonce. */
  readonly contentSecurityPolicy?: PolicyOptions | false | undefined;
  /** Default: left out, because it breaks most pages with images of other sites. */
  readonly crossOriginEmbedderPolicy?: EmbedderPolicy | false | undefined;
  /** Default `same-origin`. */
  readonly crossOriginOpenerPolicy?: OpenerPolicy | false | undefined;
  /** Default `same-origin`. */
  readonly crossOriginResourcePolicy?: CrossOrigin | false | undefined;
  /** `Origin-Agent-Cluster: ?1`. Default true. */
  readonly originAgentCluster?: boolean | undefined;
  /** Default `no-referrer`. Of several, the last that a browser knows counts. */
  readonly referrerPolicy?: string | readonly string[] | false | undefined;
  /** Over https alone. */
  readonly strictTransportSecurity?: TransportSecurityOptions | false | undefined;
  /** `X-Content-Type-Options: nosniff`. Default true. */
  readonly contentTypeOptions?: boolean | undefined;
  /** `X-DNS-Prefetch-Control`. Default `off`. */
  readonly dnsPrefetchControl?: "on" | "off" | false | undefined;
  /** `X-Download-Options: noopen`. Default true. */
  readonly downloadOptions?: boolean | undefined;
  /** `X-Frame-Options`, for browsers that do not know `frame-ancestors`. Default `SAMEORIGIN`. */
  readonly frameOptions?: "DENY" | "SAMEORIGIN" | false | undefined;
  /** `X-Permitted-Cross-Domain-Policies`. Default `none`. */
  readonly crossDomainPolicies?: "none" | "master-only" | "by-content-type" | "all" | false | undefined;
  /** `X-XSS-Protection: 0`, because the filter that it disables has made pages less safe. Default true. */
  readonly xssProtection?: boolean | undefined;
}

type Header = readonly [name: string, value: string];

/**
 * Sets the security headers of browsers. A header that a handler sets itself wins.
 *
 * @example
 * ```ts
 * app.use(new SecurityHeadersMiddleware({ contentSecurityPolicy: { directives: { "script-src": ["'self'", "'nonce'"] } } }));
 * app.get("/", ctx => ctx.html(`<script nonce="${ctx.attribute("cspNonce")}">…</script>`));
 * ```
 */
export class SecurityHeadersMiddleware extends HookMiddleware {
  readonly #headers: readonly Header[];
  readonly #overHttps: readonly Header[];
  readonly #policy: Policy | undefined;

  /** @throws TypeError naming the option, its value and the allowed values. */
  constructor(options: SecurityHeadersOptions = {}) {
    super();
    checkOptionNames("SecurityHeadersMiddleware", options, optionNames());
    const { contentSecurityPolicy = {} } = options;
    this.#policy = contentSecurityPolicy === false ? undefined : policyOf(contentSecurityPolicy);
    this.#headers = headersOf(options);
    this.#overHttps = [...this.#headers, ...transportSecurity(options.strictTransportSecurity)];
  }

  before(ctx: Context): void {
    const isSecure = ctx.scheme === "https";
    const policy = this.#policy;
    if (policy !== undefined) {
      const text = policy.text(isSecure, policy.needsNonce ? nonceOf(ctx) : "");
      if (text !== "") setDefault(ctx, policy.name, text);
    }
    const headers = isSecure ? this.#overHttps : this.#headers;
    for (const [name, value] of headers) setDefault(ctx, name, value);
  }
}

/** Sets a header that no outer code has set. */
function setDefault(ctx: Context, name: string, value: string): void {
  if (ctx.responseHeader(name) === undefined) ctx.appendHeader(name, value);
}

/** The nonce of the request: 128 random bits, once. */
function nonceOf(ctx: Context): string {
  const known = ctx.attribute("cspNonce");
  if (known !== undefined) return known;
  const nonce = base64Of(crypto.getRandomValues(new Uint8Array(16)));
  ctx.attribute("cspNonce", nonce);
  return nonce;
}

const known: ReadonlyMap<string, Header> = new Map([
  ["crossOriginEmbedderPolicy", ["Cross-Origin-Embedder-Policy", ""]],
  ["crossOriginOpenerPolicy", ["Cross-Origin-Opener-Policy", "same-origin"]],
  ["crossOriginResourcePolicy", ["Cross-Origin-Resource-Policy", "same-origin"]],
  ["originAgentCluster", ["Origin-Agent-Cluster", "?1"]],
  ["referrerPolicy", ["Referrer-Policy", "no-referrer"]],
  ["contentTypeOptions", ["X-Content-Type-Options", "nosniff"]],
  ["dnsPrefetchControl", ["X-DNS-Prefetch-Control", "off"]],
  ["downloadOptions", ["X-Download-Options", "noopen"]],
  ["frameOptions", ["X-Frame-Options", "SAMEORIGIN"]],
  ["crossDomainPolicies", ["X-Permitted-Cross-Domain-Policies", "none"]],
  ["xssProtection", ["X-XSS-Protection", "0"]],
]);

/** Made on first use, so that a bundle of an app without this middleware can leave it out. */
const optionNames = (): readonly string[] => [...known.keys(), "contentSecurityPolicy", "strictTransportSecurity"];

const referrerPolicies: readonly string[] = [
  "no-referrer",
  "no-referrer-when-downgrade",
  "same-origin",
  "origin",
  "strict-origin",
  "origin-when-cross-origin",
  "strict-origin-when-cross-origin",
  "unsafe-url",
];

/** The allowed words of options with more than true and false. */
const words: Readonly<Record<string, readonly string[]>> = {
  crossOriginEmbedderPolicy: ["require-corp", "credentialless", "unsafe-none"],
  crossOriginOpenerPolicy: ["same-origin", "same-origin-allow-popups", "noopener-allow-popups", "unsafe-none"],
  crossOriginResourcePolicy: ["same-origin", "same-site", "cross-origin"],
  referrerPolicy: referrerPolicies,
  dnsPrefetchControl: ["on", "off"],
  frameOptions: ["DENY", "SAMEORIGIN"],
  crossDomainPolicies: ["none", "master-only", "by-content-type", "all"],
};

function headersOf(options: SecurityHeadersOptions): readonly Header[] {
  return [...known].flatMap(([option, [name, usual]]): readonly Header[] => {
    const given: unknown = Reflect.get(options, option);
    if (given === false || (given === undefined && usual === "")) return [];
    if (given === undefined) return [[name, usual]];
    const allowed = words[option];
    if (allowed === undefined && given === true) return [[name, usual]];
    const said = option === "referrerPolicy" ? [given].flat() : [given];
    if (
      allowed !== undefined &&
      said.length > 0 &&
      said.every((word) => typeof word === "string" && allowed.includes(word))
    )
      return [[name, said.join(",")]];
    throw invalid(option, given, `${(allowed ?? [true]).map((word) => JSON.stringify(word)).join(", ")} or false`);
  });
}

function transportSecurity(options: TransportSecurityOptions | false | undefined): readonly Header[] {
  if (options === false) return [];
  const given = options === undefined ? {} : options;
  checkOptionNames("SecurityHeadersMiddleware: strictTransportSecurity", given, [
    "maxAge",
    "includeSubDomains",
    "preload",
  ]);
  const { maxAge = 31_536_000, includeSubDomains = true, preload = false } = given;
  for (const [name, flag] of Object.entries({ includeSubDomains, preload }))
    if (typeof flag !== "boolean") throw invalid(`strictTransportSecurity.${name}`, flag, "a boolean");
  if (!Number.isSafeInteger(maxAge) || maxAge < 0)
    throw invalid("strictTransportSecurity.maxAge", maxAge, "a whole number of seconds from 0");
  const text = `max-age=${maxAge}${includeSubDomains ? "; includeSubDomains" : ""}${preload ? "; preload" : ""}`;
  return [["Strict-Transport-Security", text]];
}

const invalid = (option: string, value: unknown, allowed: string): TypeError =>
  usageError("CONFIG_INVALID", `SecurityHeadersMiddleware: ${option} is ${shown(value)}; ${allowed} is allowed`);
