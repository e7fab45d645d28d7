/**
 * Authority: the host and port that a request was sent to.
 *
 *   isHost            may a request have it? Otherwise 400
 *     app.test:8080 · 127.0.0.1 · [::1]:80 · caf%C3%A9 ──▶ true
 *     user@host · host/path · a,b · a b · [::1 · exa<mple · x:99999 ──▶ false
 *   parseAuthority    for building links, so it is stricter. No escapes, none of the signs that the RFC allows
 *     Host · X-Forwarded-Host · host of Forwarded · http://host:port/path ──▶ { name, port } ──▶ `shop.example:8443`
 *
 * "user@host" could mean one host here and another at the next hop, so it is rejected. A comma joins several fields, so it is
 * the one character that the grammar allows in a name and we reject.
 *
 * Spec: spec/routing.md, spec/engines.md, spec/context.md; RFC 3986 §3.2.2, RFC 9110 §4.2.3,
 * RFC 9112 §3.2
 */
import { parseAddress } from "./addresses.ts";

/** A host as written (IPv6 in brackets), and the port after it. */
export interface Authority {
  readonly name: string;
  readonly port: number | undefined;
}

let lastText: string | undefined;
let lastAuthority: Authority | undefined;

/** Parses an authority, or undefined when the text is not one. Most requests repeat an earlier one. */
export function parseAuthority(text: string): Authority | undefined {
  if (text !== lastText) {
    lastAuthority = parsed(text);
    lastText = text;
  }
  return lastAuthority;
}

/** Parses a port from 1 to 65535, or undefined when the text is not one. */
export function parsePort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port < 65_536 ? port : undefined;
}

/** The authority of an absolute-form target, or undefined for any other target. */
export function authorityOf(target: string): string | undefined {
  return target.charCodeAt(0) === 47 ? undefined : /^https?:\/\/([^/?#]*)/i.exec(target)?.[1];
}

/** The authority as a URL has it. `port` is added when it has none, unless it is the default of its scheme. */
export function authorityText({ name, port: own }: Authority, port: number | undefined, scheme: string): string {
  if (own !== undefined) return `${name}:${own}`;
  return port === undefined || port === (scheme === "https" ? 443 : 80) ? name : `${name}:${port}`;
}

function parsed(text: string): Authority | undefined {
  const [, name, digits = ""] = /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,255})(?::(\d{0,5}))?$/.exec(text) ?? [];
  if (name === undefined || (name.startsWith("[") && !isIpv6(name.slice(1, -1)))) return undefined;
  const port = parsePort(digits);
  return port === undefined && digits !== "" ? undefined : { name, port };
}

const isIpv6 = (text: string): boolean => text.includes(":") && parseAddress(text) !== undefined;

/** The RFC's names without the comma, then a port. Each character matches in only one way, so it is linear. */
const named = /^(?:[A-Za-z0-9._~!$&'()*+;=-]|%[0-9A-Fa-f]{2})+(?::(\d*))?$/;

const bracketed = /^\[[0-9A-Fa-f:.]{2,45}\](?::(\d*))?$/;

/** Values already found good, since an app sees only a few. Bounded, since any client can send others. */
const good: Set<string> = new Set();
const mostGood = 64;
const longestGood = 256;
let last: string | undefined;

/** Is that a valid Host value? An empty one is: it means that there is no authority. */
export function isHost(value: string): boolean {
  if (value === last || good.has(value)) return true;
  if (!fitsGrammar(value)) return false;
  if (value.length > longestGood) return true;
  if (good.size < mostGood) good.add(value);
  last = value;
  return true;
}

/** Counts the Hosts in a flat list of header lines, or undefined when one of them is invalid. */
export function countHosts(lines: readonly string[]): number | undefined {
  let hosts = 0;
  for (let at = 0; at < lines.length; at += 2) {
    if (lines[at]?.length !== 4 || lines[at]?.toLowerCase() !== "host") continue;
    if (!isHost(lines[at + 1] ?? "")) return undefined;
    hosts += 1;
  }
  return hosts;
}

function fitsGrammar(value: string): boolean {
  if (value === "") return true;
  const found = value.startsWith("[") ? bracketed.exec(value) : named.exec(value);
  if (found === null || Number(found[1] ?? "") > 65_535) return false;
  return !value.startsWith("[") || URL.canParse(`http://${value}/`);
}

/** Does HTTP/1.1 allow the target? It has no fragment, and if it names a host, the host is valid. */
export function isSoundTarget(target: string): boolean {
  if (target.includes("#")) return false;
  if (target.charCodeAt(0) === 47) return true;
  const authority = authorityOf(target);
  return authority === undefined || (authority !== "" && isHost(authority));
}
