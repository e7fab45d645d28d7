/**
 * Trust: the setting `trustProxy`, checked once.
 *
 *   false                          ──▶ no header is trusted
 *   true                           ──▶ X-Forwarded-* of one proxy
 *   { header, hops }               ──▶ that header, of this number of proxies in a row
 *   { header, from: ["private"] }  ──▶ that header, of proxies with these addresses
 *
 * Spec: spec/context.md
 */
import { parseRanges, type AddressRange } from "./addresses.ts";
import { unknownName } from "../internal/option-names.ts";
import { shown, usageError } from "../internal/usage-errors.ts";

/** The headers that proxies write: `X-Forwarded-For`, `-Proto`, `-Host` and `-Port`, or `Forwarded` (RFC 7239). */
export type ForwardingHeader = "x-forwarded" | "forwarded";

/** The number of proxies in front. Each of them adds to the header. 1 by default. */
export interface ProxyHops {
  readonly header: ForwardingHeader;
  readonly hops?: number | undefined;
}

/** The addresses of the proxies: `loopback`, `private`, an address, or a range such as `10.0.0.0/8`. */
export interface ProxyAddresses {
  readonly header: ForwardingHeader;
  readonly from: readonly string[];
}

/** The trusted proxies, and the one family of headers that they write. */
export type TrustedProxies = ProxyHops | ProxyAddresses;

/** The setting, parsed. */
export interface Trust {
  readonly header: ForwardingHeader;
  readonly hops: number;
  /** Undefined when hops are counted. */
  readonly from: readonly AddressRange[] | undefined;
}

const mostHops = 100;
const keys: readonly string[] = ["header", "hops", "from"];

/** @throws TypeError naming the setting, its value and the allowed values. */
export function trustOf(given: unknown): false | Trust {
  if (given === undefined || given === false) return false;
  if (given === true) return { header: "x-forwarded", hops: 1, from: undefined };
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw invalid("", given, 'false, true, { header: "x-forwarded", hops: 1 } or { header, from: ["private"] }');
  const odd = unknownName(given, keys);
  if (odd !== undefined) throw usageError("CONFIG_INVALID", `trustProxy.${odd} is no setting: ${keys.join(", ")} are`);
  const { header, hops, from }: Readonly<Record<string, unknown>> = { header: undefined, ...given };
  if (header !== "x-forwarded" && header !== "forwarded")
    throw invalid(".header", header, '"x-forwarded" or "forwarded", the one that your proxy writes,');
  if (from === undefined) return { header, hops: hopsOf(hops), from: undefined };
  if (hops === undefined) return { header, hops: 0, from: rangesOf(from) };
  throw usageError("CONFIG_INVALID", "trustProxy has hops and from: one of them is allowed");
}

function hopsOf(given: unknown): number {
  const hops = given === undefined ? 1 : given;
  if (typeof hops === "number" && Number.isInteger(hops) && hops >= 1 && hops <= mostHops) return hops;
  throw invalid(".hops", given, `a whole number from 1 to ${mostHops}`);
}

function rangesOf(given: unknown): readonly AddressRange[] {
  if (!Array.isArray(given) || given.length === 0) throw invalid(".from", given, `a list of at least one of ${places}`);
  return given.flatMap((entry: unknown, at) => {
    const ranges = typeof entry === "string" ? parseRanges(entry) : undefined;
    if (ranges === undefined) throw invalid(`.from[${at}]`, entry, places);
    return ranges;
  });
}

const places = '"loopback", "private", an address, or a range such as "10.0.0.0/8" (never /0, which is everybody)';

const invalid = (where: string, given: unknown, allowed: string): TypeError =>
  usageError("CONFIG_INVALID", `trustProxy${where} is ${shown(given)}: ${allowed} is allowed`);
