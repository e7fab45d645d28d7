/** The validity period of a JWT. A vector cannot express it, since it has no clock. Spec: auth.md (AUTH). */
import { createHmac } from "node:crypto";
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The status of a request, and the user if it is accepted, with a token that is valid between these two times, in seconds from now. */
async function statusOf(probe: Probe, exp: number, nbf = -600): Promise<number | string> {
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: "https://issuer.example", aud: "subject", sub: "ada", exp: now + exp, nbf: now + nbf };
  const signed = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded(claims)}`;
  const key = "the secret that signs the tokens of the subject";
  const authorization = `Bearer ${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
  const { status, text } = await probe.send("GET", "/private/jwt", { headers: { authorization } });
  return status === 200 ? text : status;
}

/** Is it the JSON of a user? */
function hasId(text: string): boolean {
  try {
    return "id" in Object(JSON.parse(text));
  } catch {
    return false;
  }
}

/** The cases of this chapter that are not vectors. */
export const auth = [
  proves("AUTH-013", "accepts a JWT that is a few seconds outside its validity", async (probe) => {
    const statuses = [await statusOf(probe, 600), await statusOf(probe, -20), await statusOf(probe, 600, 20)];
    const accepted = statuses.map((one) => typeof one === "string" && hasId(one));
    probe.equal("are accepted, and say who it is", accepted, [true, true, true]);
  }),

  proves("AUTH-014", "rejects a JWT that is five minutes outside its validity", async (probe) => {
    const statuses = [await statusOf(probe, -300), await statusOf(probe, 600, 300)];
    probe.equal("the statuses", statuses, [401, 401]);
  }),
];
