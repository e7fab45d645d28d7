/**
 * The part of an address that one client has to itself. For IPv6 that is the first 64 bits, because every line has at least
 * that many addresses and could use a new one for each request.
 *
 *   192.0.2.7 ──▶ 192.0.2.7        2001:db8:0:1::7 ──▶ 2001:db8:0:1::/64
 *
 * Spec: spec/rate-limit.md
 */
import { parseAddress } from "../http/addresses.ts";

/** That part of an address in the form of `ctx.remoteAddress`. Any other text is returned unchanged. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const parsed = parseAddress(address);
  if (parsed === undefined || !parsed.text.includes(":")) return parsed?.text ?? address;
  const network = parsed.words.slice(0, 4).map((word) => word.toString(16));
  return `${network.join(":")}::/64`;
}
