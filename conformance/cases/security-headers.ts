/** Security headers for browsers. Spec: security-headers.md (SECHDR). */
import { proves } from "../kit/case.ts";
import { directives } from "../kit/content-policy.ts";
import { type HttpResponse } from "../kit/response.ts";

/** A policy's directives, each with its sources in alphabetical order. */
const policyOf = (response: HttpResponse, field = "content-security-policy"): Readonly<Record<string, unknown>> =>
  directives(response.header(field) ?? "");

/** The cases of this chapter that are not vectors. */
export const securityHeaders = [
  proves("SECHDR-002", "sends the headers about https only over https", async (probe) => {
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

  proves("SECHDR-006", "has a separate nonce for each request", async (probe) => {
    const nonces: string[] = [];
    for (let asked = 0; asked < 3; asked += 1) {
      const response = await probe.send("GET", "/secured/nonce");
      const { "script-src": sources } = policyOf(response);
      const expected = ["'self'", `'nonce-${response.text}'`].toSorted();
      probe.equal("the status, and the sources of scripts", [response.status, sources], [200, expected]);
      nonces.push(response.text);
    }
    // 22 letters of base64 are 132 bits.
    const short = nonces.filter((nonce) => !/^[\w+/-]{22,}={0,2}$/.test(nonce));
    probe.equal("those that are too short, and how many there are", [short, new Set(nonces).size], [[], 3]);
  }),
];
