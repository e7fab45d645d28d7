/** Headers that tell browsers to be careful. Spec: security-headers.md (SECHDR). */
import { proves } from "../kit/case.ts";
import { saidOf, type HttpResponse } from "../kit/response.ts";

/** Helmet's, but for what is said over https alone. */
const usual: Readonly<Record<string, string>> = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-dns-prefetch-control": "off",
  "x-download-options": "noopen",
  "x-frame-options": "sameorigin",
  "x-permitted-cross-domain-policies": "none",
  "x-xss-protection": "0",
};
const directives: Readonly<Record<string, readonly string[]>> = {
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

/** A policy's directives, each with its sources in alphabetical order. */
function policyOf(response: HttpResponse, field = "content-security-policy"): Readonly<Record<string, unknown>> {
  const parts = (response.header(field) ?? "").split(";").map((part) => part.trim().split(/\s+/));
  const named = parts.filter(([name]) => name !== "");
  return Object.fromEntries(named.map(([name = "", ...sources]) => [name.toLowerCase(), sources.toSorted()]));
}

/** The policy without what is said over https alone. */
function plainPolicyOf(response: HttpResponse, field?: string): Readonly<Record<string, unknown>> {
  const all = Object.entries(policyOf(response, field));
  return Object.fromEntries(all.filter(([name]) => name !== "upgrade-insecure-requests"));
}

/** The cases of this chapter. */
export const securityHeaders = [
  proves("SECHDR-001", "sends helmet's set", async (probe) => {
    const response = await probe.send("GET", "/secured/page");
    const said = saidOf(response, Object.keys(usual));
    probe.equal("status and headers", [response.status, said], [200, usual]);
    probe.equal("the policy", plainPolicyOf(response), directives);
  }),

  proves("SECHDR-002", "speaks of https over https alone", async (probe) => {
    const response = await probe.send("GET", "/secured/page");
    const policy = policyOf(response);
    const isSecure = probe.base.protocol === "https:";
    probe.equal(
      "whether there are a policy, its directive and the header",
      [
        Object.keys(policy).length > 0,
        "upgrade-insecure-requests" in policy,
        response.header("strict-transport-security") !== undefined,
      ],
      [true, isSecure, isSecure],
    );
  }),

  proves("SECHDR-003", "sends the same with an error", async (probe) => {
    const response = await probe.send("GET", "/secured/failed");
    probe.equal(
      "status, headers and policy",
      [response.status, saidOf(response, Object.keys(usual)), plainPolicyOf(response)],
      [409, usual, directives],
    );
  }),

  proves("SECHDR-004", "leaves a header to the handler that sets it", async (probe) => {
    const response = await probe.send("GET", "/secured/own");
    probe.equal(
      "X-Frame-Options",
      response.all("x-frame-options").map((value) => value.toLowerCase()),
      ["deny"],
    );
  }),

  proves("SECHDR-005", "leaves out what is not wanted, and nothing else", async (probe) => {
    const response = await probe.send("GET", "/secured/bare");
    const without = ["content-security-policy", "cross-origin-opener-policy", "x-frame-options"];
    const left = Object.keys(usual).filter((name) => !without.includes(name));
    probe.equal(
      "what is there of either",
      [without, left].map((names) => names.filter((name) => response.header(name) !== undefined)),
      [[], left],
    );
  }),

  proves("SECHDR-006", "has a nonce of the request's own", async (probe) => {
    const nonces: string[] = [];
    for (let asked = 0; asked < 3; asked += 1) {
      const response = await probe.send("GET", "/secured/nonce");
      const { "script-src": sources } = policyOf(response);
      probe.equal("the sources of scripts", sources, ["'self'", `'nonce-${response.text}'`].toSorted());
      nonces.push(response.text);
    }
    // 22 letters of base64 are 132 bits.
    const short = nonces.filter((nonce) => !/^[\w+/-]{22,}={0,2}$/.test(nonce));
    probe.equal("those that are too short, and how many there are", [short, new Set(nonces).size], [[], 3]);
  }),

  proves("SECHDR-008", "only reports where that is wanted", async (probe) => {
    const response = await probe.send("GET", "/secured/report");
    const plain = plainPolicyOf(response, "content-security-policy-report-only");
    probe.equal(
      "the policy, how many are only reported, and which",
      [response.header("content-security-policy"), response.all("content-security-policy-report-only").length, plain],
      [undefined, 1, directives],
    );
  }),
];
