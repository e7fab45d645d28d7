/**
 * Content-Security-Policy: from directives to the header, checked once.
 *
 *   { "script-src": ["'self'", "'nonce'"] } ──▶ script-src 'self' 'nonce-…'      a new one for each request
 *
 * A value that would end its directive and begin another is rejected, so an untrusted list of hosts cannot loosen the policy.
 *
 * Spec: spec/security-headers.md; W3C Content Security Policy Level 3
 */
import { checkOptionNames } from "../../internal/option-names.ts";
import { usageError } from "../../internal/usage-errors.ts";

/** Directives: their sources, or `true` for one without any. `false` removes a default. */
export type PolicyDirectives = Readonly<Record<string, readonly string[] | boolean | undefined>>;

/** Options of the policy. */
export interface PolicyOptions {
  /** Directives in addition to the defaults. Each replaces the default of its name. */
  readonly directives?: PolicyDirectives | undefined;
  /** Starts from the defaults. Default true. */
  readonly useDefaults?: boolean | undefined;
  /** Sends `Content-Security-Policy-Report-Only`, so browsers report and block nothing. Default false. */
  readonly reportOnly?: boolean | undefined;
}

/** A policy, ready to be sent. */
export interface Policy {
  readonly name: string;
  readonly needsNonce: boolean;
  /** @param nonce of the request, if it needs one */
  text(isSecure: boolean, nonce: string): string;
}

/** The source that is replaced by the request's own nonce. */
const NONCE = "'nonce'";

/** The defaults of helmet: sources that a page may load from, and no framing by other sites. */
const defaults: PolicyDirectives = {
  "default-src": ["'self'"],
  "base-uri": ["'self'"],
  "font-src": ["'self'", "https:", "data:"],
  "form-action": ["'self'"],
  "frame-ancestors": ["'self'"],
  "img-src": ["'self'", "data:"],
  "object-src": ["'none'"],
  "script-src": ["'self'"],
  "script-src-attr": ["'none'"],
  "style-src": ["'self'", "https:", "'unsafe-inline'"],
  "upgrade-insecure-requests": true,
};

/** Words with a meaning only in quotes. Without quotes they are the name of a host. */
const quoted =
  /^(?:self|none|unsafe-inline|unsafe-eval|unsafe-hashes|strict-dynamic|report-sample|wasm-unsafe-eval|nonce(?:-.*)?|sha(?:256|384|512)-.*)$/;

/** Checks a policy. @throws TypeError naming the directive, its value and the allowed values. */
export function policyOf(options: PolicyOptions): Policy {
  checkOptionNames("SecurityHeadersMiddleware: contentSecurityPolicy", options, [
    "directives",
    "useDefaults",
    "reportOnly",
  ]);
  const { directives = {}, useDefaults = true, reportOnly = false } = options;
  for (const [name, flag] of Object.entries({ useDefaults, reportOnly }))
    if (typeof flag !== "boolean") throw invalid(name, flag, "a boolean");
  const all = { ...(useDefaults ? defaults : {}), ...directives };
  const parts = Object.entries(all).flatMap(([name, sources]) => directive(name, sources));
  if (parts.length === 0)
    throw invalid("directives", directives, "at least one directive, or contentSecurityPolicy: false,");
  const name = reportOnly ? "Content-Security-Policy-Report-Only" : "Content-Security-Policy";
  const secure = parts.join(";");
  // Over http it would send each request of a page to a port that may have no TLS.
  const plain = parts.filter((part) => part !== "upgrade-insecure-requests").join(";");
  const needsNonce = secure.includes(NONCE);
  return {
    name,
    needsNonce,
    text: (isSecure, nonce) => {
      const text = isSecure ? secure : plain;
      return needsNonce ? text.replaceAll(NONCE, `'nonce-${nonce}'`) : text;
    },
  };
}

function directive(name: string, sources: readonly string[] | boolean | undefined): readonly string[] {
  if (sources === undefined || sources === false) return [];
  if (!/^[a-z]+(?:-[a-z]+)*$/.test(name))
    throw invalid("directives", name, 'a directive\'s name in lower case, such as "script-src",');
  if (sources === true) return [name];
  if (!Array.isArray(sources) || sources.length === 0)
    throw invalid(name, sources, "a list of sources, true for a directive without any, or false to leave it out");
  for (const source of sources) checkSource(name, source);
  return [`${name} ${sources.join(" ")}`];
}

function checkSource(name: string, source: unknown): void {
  if (typeof source !== "string" || !/^[\x21-\x2b\x2d-\x3a\x3c-\x7e]+$/.test(source))
    throw invalid(name, source, 'one source without a space, ";" or ","');
  if (quoted.test(source)) throw invalid(name, source, `${JSON.stringify(`'${source}'`)}, in quotes,`);
}

const invalid = (where: string, value: unknown, allowed: string): TypeError =>
  usageError(
    "CONFIG_INVALID",
    `SecurityHeadersMiddleware: contentSecurityPolicy has ${JSON.stringify(value)} in ${where}; ${allowed} is allowed`,
  );
