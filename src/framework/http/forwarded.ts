/**
 * Client data from trusted proxies. Read only when `trustProxy` is on, since any client can send these headers.
 *
 *   client ──▶ outer proxy ──▶ nearest proxy ──▶ app
 *   X-Forwarded-For: <claims>, <client>, <outer proxy>
 *                     hops: 2 ◀┘  hops: 1 ◀┘          from: further left while the address is a trusted proxy's
 *
 * Only one family of headers is read, since a proxy that writes one passes on the other unchecked. Elements are split from the
 * right, so that a client's quote cannot reach into the part that a proxy appended. An invalid address, host, port or scheme
 * counts as missing. All of it is linear in the header's length.
 *
 * Spec: spec/context.md; RFC 7239
 */
import { isWithin, parseAddress, shownAddress, type Address, type AddressRange } from "./addresses.ts";
import { authorityOf, authorityText, parseAuthority, parsePort, type Authority } from "./authority.ts";
import type { Exchange } from "./exchange.ts";
import type { Trust } from "./trust.ts";

/** Proxy data about one request. */
export interface Forwarding {
  /** The client's address. */
  readonly address?: string | undefined;
  readonly scheme?: "http" | "https" | undefined;
  /** The host that the client asked for. */
  readonly host?: Authority | undefined;
  readonly port?: number | undefined;
}

/** No such header, or none from a trusted address. */
const nothingSaid: Forwarding = Object.freeze({});

/** Client address, scheme and host of a request, from the socket and from trusted proxies. Read once. */
export class Client {
  readonly #exchange: Exchange;
  readonly #said: Forwarding;

  constructor(exchange: Exchange, trust: false | Trust) {
    this.#exchange = exchange;
    this.#said = trust === false ? nothingSaid : forwardingOf(trust, exchange);
  }

  get peerAddress(): string | undefined {
    return shownAddress(this.#exchange.peer);
  }

  get address(): string | undefined {
    return this.#said.address ?? this.peerAddress;
  }

  get scheme(): "http" | "https" {
    return this.#said.scheme ?? (this.#exchange.secure ? "https" : "http");
  }

  /** Requested host and port, or undefined when invalid. */
  get host(): string | undefined {
    const { host, port } = this.#said;
    const own = (): string => authorityOf(this.#exchange.target) ?? this.#exchange.header("host") ?? "";
    const authority = host ?? parseAuthority(own());
    return authority === undefined ? undefined : authorityText(authority, port, this.scheme);
  }
}

/** Reads the data of the trusted proxies. */
export function forwardingOf(trust: Trust, exchange: Exchange): Forwarding {
  // In a zoned address such as fe80::1%eth0, the part before the zone is the peer's address.
  if (trust.from !== undefined && !isTrusted(exchange.peer?.split("%")[0], trust.from)) return nothingSaid;
  return trust.header === "forwarded" ? byForwarded(trust, exchange) : byXForwarded(trust, exchange);
}

function byForwarded(trust: Trust, exchange: Exchange): Forwarding {
  const element = farthest(elements(exchange.header("forwarded"), true), trust, (text) =>
    parametersOf(text)?.get("for"),
  );
  const said = parametersOf(element ?? "");
  return {
    address: nodeAddress(said?.get("for"))?.text,
    scheme: schemeOf(said?.get("proto")),
    host: parseAuthority(said?.get("host") ?? ""),
  };
}

/** In the fields without a chain the last entry counts. A proxy wrote it if any proxy writes the field. */
function byXForwarded(trust: Trust, exchange: Exchange): Forwarding {
  const last = (name: string): string => elements(exchange.header(name), false).next().value ?? "";
  return {
    address: nodeAddress(farthest(elements(exchange.header("x-forwarded-for"), false), trust, (text) => text))?.text,
    scheme: schemeOf(last("x-forwarded-proto")),
    host: parseAuthority(last("x-forwarded-host")),
    port: parsePort(last("x-forwarded-port")),
  };
}

/** The farthest element of a chain that a trusted proxy wrote. The nearest is first. */
function farthest(
  chain: Iterable<string>,
  { from, hops }: Trust,
  nodeOf: (element: string) => string | undefined,
): string | undefined {
  let farthestYet: string | undefined;
  let count = 0;
  for (const element of chain) {
    farthestYet = element;
    count += 1;
    if (from === undefined ? count === hops : !isTrusted(nodeOf(element), from)) break;
  }
  return farthestYet;
}

function isTrusted(node: string | undefined, from: readonly AddressRange[]): boolean {
  const address = nodeAddress(node);
  return address !== undefined && isWithin(address, from);
}

/** The non-empty elements of a list, the last one first. A comma within quotes does not separate. */
function* elements(list = "", hasQuotes: boolean): Generator<string, undefined> {
  let end = list.length;
  let at = end;
  while (end >= 0) {
    at -= 1;
    if (hasQuotes && list[at] === '"') at = openingQuote(list, at);
    if (at >= 0 && list[at] !== ",") continue;
    const element = list.slice(Math.max(at, -1) + 1, end).trim();
    if (element !== "") yield element;
    end = at;
  }
  return undefined;
}

/** Start of the quoted string that ends at `closing`, or -1 when it has none. A quote after a backslash is text. */
function openingQuote(list: string, closing: number): number {
  let at = closing - 1;
  while (at >= 0) {
    let before = at - 1;
    if (list[at] === '"') {
      while (list[before] === "\\") before -= 1;
      if ((at - before) % 2 === 1) return at;
    }
    at = before;
  }
  return -1;
}

/** One pair of an element with its separator, or nothing between two semicolons. */
const pair = /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:([\w!#$%&'*+.^`|~-]+)|"((?:[^"\\]|\\.)*)")[ \t]*)?(?:;|$)/y;

/** The parameters of an element of `Forwarded` by lower-case name, or undefined when it is malformed. */
function parametersOf(element: string): ReadonlyMap<string, string> | undefined {
  const parameters = new Map<string, string>();
  for (pair.lastIndex = 0; pair.lastIndex < element.length;) {
    const [found, name, token, quoted = ""] = pair.exec(element) ?? [];
    const key = name?.toLowerCase();
    if (found === undefined || (key !== undefined && parameters.has(key))) return undefined;
    if (key !== undefined) parameters.set(key, token ?? quoted.replaceAll(/\\(.)/g, "$1"));
  }
  return parameters;
}

/** The address of a node: `192.0.2.1`, `192.0.2.1:4711`, `[2001:db8::1]:4711` or `2001:db8::1`. */
function nodeAddress(node = ""): Address | undefined {
  const [, bracketed, dotted] = /^(?:\[([0-9A-Fa-f:.]*)\]|([0-9.]*))(?::(?:\d{1,5}|_[\w.-]+))?$/.exec(node) ?? [];
  if (bracketed !== undefined && !bracketed.includes(":")) return undefined;
  return parseAddress(bracketed ?? dotted ?? node);
}

function schemeOf(text = ""): Forwarding["scheme"] {
  const scheme = text.toLowerCase();
  return scheme === "http" || scheme === "https" ? scheme : undefined;
}
