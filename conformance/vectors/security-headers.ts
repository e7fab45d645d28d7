/** Headers that tell browsers to be careful, as data. Spec: security-headers.md (SECHDR). */
import { caseless, shows, step, type HeaderExpectation, type HeaderValueExpectation } from "./vector.ts";

type Headers = Readonly<Record<string, HeaderExpectation>>;

/** Helmet's, but for what is said over https alone. */
const usual: Headers = {
  "cross-origin-opener-policy": { is: "same-origin" },
  "cross-origin-resource-policy": { is: "same-origin" },
  "origin-agent-cluster": { is: "?1" },
  "referrer-policy": { is: "no-referrer" },
  "x-content-type-options": { namesAre: ["nosniff"] },
  "x-dns-prefetch-control": { is: "off" },
  "x-download-options": { is: "noopen" },
  "x-frame-options": { namesAre: ["sameorigin"] },
  "x-permitted-cross-domain-policies": { is: "none" },
  "x-xss-protection": { is: "0" },
};

const sources: Readonly<Record<string, readonly string[]>> = {
  "base-uri": ["'self'"],
  "default-src": ["'self'"],
  "font-src": ["'self'", "data:", "https:"],
  "form-action": ["'self'"],
  "frame-ancestors": ["'self'"],
  "img-src": ["'self'", "data:"],
  "object-src": ["'none'"],
  "script-src": ["'self'"],
  "script-src-attr": ["'none'"],
  "style-src": ["'self'", "'unsafe-inline'", "https:"],
};

/**
 * Each directive has its sources in whatever order, and no other; and there is no other but that of https. Policies in several
 * lines stand with commas between.
 */
const policy: HeaderValueExpectation[] = [
  ...Object.entries(sources).map(([name, all]) => ({
    matches: `(?:^|[;,])\\s*${caseless(name)}${all.map((one) => `(?=[^;,]*\\s${one}\\s*(?:[\\s;,]|$))`).join("")}(?:\\s+[^\\s;,]+){${all.length}}\\s*(?:[;,]|$)`,
  })),
  {
    matches: `^(?:\\s*(?:(?:${Object.keys(sources).map(caseless).join("|")})\\s[^;,]*|${caseless("upgrade-insecure-requests")}\\s*)?(?:[;,]|$))+$`,
  },
];

/** The vectors of this chapter. */
export const securityHeaders = [
  shows("SECHDR-001", "helmet's set is sent", [
    step("GET", "/secured/page", { status: 200, headers: { ...usual, "content-security-policy": policy } }),
  ]),
  shows("SECHDR-003", "the same is sent with an error", [
    step("GET", "/secured/failed", { status: 409, headers: { ...usual, "content-security-policy": policy } }),
  ]),
  shows("SECHDR-004", "a header is left to the handler that sets it", [
    step("GET", "/secured/own", { headers: { "x-frame-options": { namesAre: ["deny"] } } }),
  ]),
  shows("SECHDR-005", "what is not wanted is left out, and nothing else", [
    step("GET", "/secured/bare", {
      headers: {
        ...usual,
        "content-security-policy": null,
        "cross-origin-opener-policy": null,
        "x-frame-options": null,
      },
    }),
  ]),
  shows("SECHDR-008", "the policy is only reported where that is wanted", [
    step("GET", "/secured/report", {
      headers: { "content-security-policy": null, "content-security-policy-report-only": policy },
    }),
  ]),
];
