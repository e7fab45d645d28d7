/**
 * Accept-Encoding: the content coding that a client accepts for its response (RFC 9110 §12.5.3).
 *
 *   "gzip;q=0.5, br" and ["zstd", "br", "gzip"] ──▶ "br"
 *   no field, or none of it is offered          ──▶ "identity"
 *   "identity;q=0" and none of it is offered    ──▶ undefined: no response is acceptable
 *
 * Spec: spec/compression.md
 */

/** Plain bytes. */
export const IDENTITY = "identity";

const weight = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The coding of the response.
 *
 * @param field the client's field. A client without one gets plain bytes
 * @param offered lower-case names of codings, the server's favourite first. The order decides between equal weights
 * @returns one of `offered`, `identity`, or undefined when the client rejects them all and `identity` too
 */
export function preferredCoding<Name extends string>(
  field: string | undefined,
  offered: readonly Name[],
): Name | typeof IDENTITY | undefined {
  if (field === undefined) return IDENTITY;
  const weights = weightsOf(field);
  const others = weights.get("*");
  let best: Name | undefined;
  let most = 0;
  for (const name of offered) {
    const wanted = weights.get(name) ?? others ?? 0;
    if (wanted > most) [best, most] = [name, wanted];
  }
  const identity = weights.get(IDENTITY);
  if (best !== undefined && most >= (identity ?? 0)) return best;
  return (identity ?? others ?? 1) > 0 ? IDENTITY : undefined;
}

/** The weight of each member. Malformed ones are left out. */
function weightsOf(field: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const member of field.toLowerCase().split(",")) {
    const [coding = "", parameter = "q=1", ...more] = member.split(";").map((part) => part.trim());
    const digits = weight.exec(parameter)?.[1];
    if (more.length > 0 || digits === undefined) continue;
    weights.set(coding === "x-gzip" ? "gzip" : coding, Number(digits));
  }
  return weights;
}
