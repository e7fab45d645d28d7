/**
 * Addresses: IPv4 and IPv6 as numbers, and the ranges that they lie in.
 *
 *   text ──▶ Address { text, words } ──▶ isWithin(ranges)
 *
 * An IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) counts as its IPv4 address, in any spelling. No other notation is accepted.
 * Leading zeros, shortened IPv4 and zones are rejected.
 *
 * Spec: spec/context.md; RFC 4291 §2.2, RFC 4632
 */

/** One address: its text, and its eight words of 16 bits. An IPv4 address fills the last two. */
export interface Address {
  readonly text: string;
  readonly words: readonly number[];
}

/** All addresses that share the first `bits` bits of `words`. */
export interface AddressRange {
  readonly words: readonly number[];
  readonly bits: number;
}

type Words = readonly number[];

/** The words before the 32 bits of an IPv4 address. */
const mapped: Words = [0, 0, 0, 0, 0, 0xffff];

const named: ReadonlyMap<string, readonly string[]> = new Map([
  ["loopback", ["127.0.0.0/8", "::1"]],
  ["private", ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]],
]);

/** The longest text of an address, with an IPv4 tail. */
const longest = 45;

/** Parses an address, or undefined when the text is not one. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > longest) return undefined;
  const words = text.includes(":") ? ipv6Words(text) : ipv4Words(text);
  if (words === undefined) return undefined;
  if (!isIpv4(words)) return { text: text.toLowerCase(), words };
  const bytes = words.slice(6).flatMap((word) => [word >> 8, word & 255]);
  return { text: bytes.join("."), words };
}

/**
 * Parses a range: `loopback`, `private`, an address, or a range such as `10.0.0.0/8`. Undefined for anything else, and for
 * `/0`, which would match everybody.
 */
export function parseRanges(text: string): readonly AddressRange[] | undefined {
  const ranges = (named.get(text) ?? [text]).map(parseRange);
  return ranges.every((range) => range !== undefined) ? ranges : undefined;
}

/** Does the address lie in one of the ranges? */
export function isWithin({ words }: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some((range) => isIpv4(range.words) === isIpv4(words) && sharesPrefix(range, words));
}

/** A socket's address for display: `127.0.0.1` when a dual-stack socket writes `::ffff:127.0.0.1`. */
export function shownAddress(address: string | undefined): string | undefined {
  return address?.startsWith("::ffff:") === true && address.includes(".") ? address.slice(7) : address;
}

function parseRange(text: string): AddressRange | undefined {
  const [, network = "", prefix] = /^([0-9A-Fa-f:]+|[0-9.]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  const words = parseAddress(network)?.words;
  const most = network.includes(":") ? 128 : 32;
  const bits = prefix === undefined ? most : Number(prefix);
  return words === undefined || bits > most ? undefined : { words, bits: 128 - most + bits };
}

function sharesPrefix({ words, bits }: AddressRange, others: Words): boolean {
  return words.every((word, at) => {
    const beyond = Math.min(16, Math.max(0, 16 * (at + 1) - bits));
    return word >> beyond === (others[at] ?? 0) >> beyond;
  });
}

const isIpv4 = (words: Words): boolean => mapped.every((word, at) => word === words[at]);

function ipv4Words(text: string): Words | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = parts.map(Number);
  return Math.max(a, b, c, d) > 255 ? undefined : [...mapped, a * 256 + b, c * 256 + d];
}

function ipv6Words(text: string): Words | undefined {
  const [before = "", after, ...more] = text.split("::");
  if (more.length > 0) return undefined;
  const left = groups(before, after === undefined);
  const right = groups(after ?? "", true);
  if (left === undefined || right === undefined) return undefined;
  const missing = 8 - left.length - right.length;
  if (after === undefined ? missing !== 0 : missing < 1) return undefined;
  return [...left, ...Array<number>(missing).fill(0), ...right];
}

/** Words between colons. The last two may be a dotted IPv4 address at the end of the text. */
function groups(text: string, endsHere: boolean): Words | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const tail = endsHere && parts.at(-1)?.includes(".") === true ? ipv4Words(parts.pop() ?? "") : [];
  if (tail === undefined || !parts.every((part) => /^[0-9A-Fa-f]{1,4}$/.test(part))) return undefined;
  return [...parts.map((part) => Number.parseInt(part, 16)), ...tail.slice(-2)];
}
