/**
 * The part of an address that one client has to itself: of IPv6 the first 64 bits, since every line gets at least so many
 * addresses and could take a new one for each request.
 *
 *   192.0.2.7 ──▶ 192.0.2.7        2001:db8:0:1::7 ──▶ 2001:db8:0:1::/64
 *
 * Spec: spec/rate-limit.md
 */
import { parseAddress } from "../http/addresses.ts";

/** That part of an address as `ctx.remoteAddress` gives it; what is no address stays as it is. */
export function networkOf(address: string): string {
  if (!address.includes(":")) return address;
  const parsed = parseAddress(address);
  if (parsed === undefined || !parsed.text.includes(":")) return parsed?.text ?? address;
  const network = parsed.words.slice(0, 4).map((word) => word.toString(16));
  return `${network.join(":")}::/64`;
}
