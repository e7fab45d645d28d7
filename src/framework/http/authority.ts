/**
 * Authority: the host and port that a request was sent to.
 *
 *   Host · X-Forwarded-Host · host of Forwarded · http://host:port/path ──▶ { name, port } ──▶ `shop.example:8443`
 *
 * What is no host is `undefined`, never passed on: links are made of it.
 *
 * Spec: spec/context.md (CTX); RFC 3986 §3.2.2, RFC 9110 §4.2.3
 */
import { parseAddress } from "./addresses.ts";

/** A host, as it is written (IPv6 in brackets), and the port behind it. */
export interface Authority {
  readonly name: string;
  readonly port: number | undefined;
}

let lastText: string | undefined;
let lastAuthority: Authority | undefined;

/** The authority that a text is; undefined when it is none. Requests mostly have the same one as those before. */
export function parseAuthority(text: string): Authority | undefined {
  if (text !== lastText) {
    lastAuthority = parsed(text);
    lastText = text;
  }
  return lastAuthority;
}

/** The port that a text is, from 1 to 65535; undefined when it is none. */
export function parsePort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port > 0 && port < 65_536 ? port : undefined;
}

/** The authority of an absolute-form target; undefined for any other target. */
export function authorityOf(target: string): string | undefined {
  return target.charCodeAt(0) === 47 ? undefined : /^https?:\/\/([^/?#]*)/i.exec(target)?.[1];
}

/** The authority as a URL has it; `port` stands in where it has none, unless its scheme means that port anyway. */
export function authorityText({ name, port: own }: Authority, port: number | undefined, scheme: string): string {
  if (own !== undefined) return `${name}:${own}`;
  return port === undefined || port === (scheme === "https" ? 443 : 80) ? name : `${name}:${port}`;
}

function parsed(text: string): Authority | undefined {
  const [, name, digits] = /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,255})(?::(\d{0,5}))?$/.exec(text) ?? [];
  if (name === undefined || (name.startsWith("[") && !isIpv6(name.slice(1, -1)))) return undefined;
  const port = digits === undefined || digits === "" ? undefined : parsePort(digits);
  return port === undefined && (digits ?? "") !== "" ? undefined : { name, port };
}

const isIpv6 = (text: string): boolean => text.includes(":") && parseAddress(text) !== undefined;
