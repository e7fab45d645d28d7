/**
 * The header fields that a proxy passes on, and those that it adds.
 *
 *   a client's ──▶ without those of its connection ──▶ + Forwarded, X-Forwarded-*, Via ──▶ the upstream's request
 *   the upstream's ──▶ without those of its connection ──▶ the client's response
 */
import type { Context } from "../http/context.ts";

/** A header line: its name and its value. */
export type Line = readonly [name: string, value: string];

/** Fields of a connection and not of a message (RFC 9110 §7.6.1), and those for this server alone. */
const ofConnection: readonly string[] = [
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "http2-settings",
  "expect",
];

/** Fields that it sets itself, from the client's fields and the client's address. */
const ownFields: readonly string[] = [
  "host",
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-port",
  "via",
];

/** The lines without the fields of a connection, including those that `Connection` names. */
export function endToEnd(lines: readonly Line[], more: readonly string[] = []): readonly Line[] {
  const named = lines
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.split(",").map((option) => option.trim().toLowerCase()));
  const dropped = new Set([...ofConnection, ...named, ...more]);
  return lines.filter(([name]) => !dropped.has(name.toLowerCase()));
}

/** Lines from Node's alternating list of names and values. */
export const linesOf = (raw: readonly string[]): readonly Line[] =>
  raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""] as const] : []));

/**
 * The fields of the upstream request. A decoded body has neither its coding nor its coded length. A body without a length is
 * sent in chunks, because Node's client does not frame a body of GET, DELETE and the like, and the upstream would read its
 * bytes as another request.
 */
export function requestLines(
  ctx: Context,
  host: string,
  set: Readonly<Record<string, string | undefined>>,
  hasBody: boolean,
): Line[] {
  const isDecoded = ctx.header("content-encoding") !== undefined;
  const changed = Object.keys(set).map((name) => name.toLowerCase());
  const dropped = [...ownFields, ...changed, "content-length", ...(isDecoded ? ["content-encoding"] : [])];
  const length = isDecoded || !isFramedByNode(ctx) ? undefined : ctx.header("content-length");
  const framing: Line = length === undefined ? ["Transfer-Encoding", "chunked"] : ["Content-Length", length];
  const own: Line[] = [["Host", host], ...forwarded(ctx)];
  return [
    ...own.filter(([name]) => !changed.includes(name.toLowerCase())),
    ...endToEnd([...ctx.requestHeaders()], dropped),
    ...(hasBody ? [framing] : ctx.header("content-length") === "0" ? [["Content-Length", "0"] as const] : []),
    ...Object.entries(set).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  ];
}

/**
 * Has Node's parser checked the body's length? A Request of `app.fetch` may claim any, and a host that has read the body writes
 * it again. The upstream would read bytes past a length as another request, so such a body is sent in chunks.
 */
function isFramedByNode(ctx: Context): boolean {
  const request = nodeRequestOf(ctx);
  return ctx.httpVersion === "2" || (request !== undefined && request.body === undefined);
}

/** Node's own HTTP/1.1 request, with the body that a host may have read. Undefined on other platforms. */
export function nodeRequestOf({ platform }: Context): { readonly body?: unknown } | undefined {
  const request = Object(platform[0]) as { readonly httpVersion?: unknown; readonly body?: unknown };
  return typeof request.httpVersion === "string" ? request : undefined;
}

/** The client's data (RFC 7239, and the older fields that most servers read), after earlier proxies' data. */
function forwarded(ctx: Context): readonly Line[] {
  const { peerAddress, scheme, host } = ctx;
  const peer = peerAddress?.split("%")[0] ?? "unknown"; // A zone has a meaning only on this machine.
  const earlier = ctx.header("forwarded") ?? "";
  const node = peer.includes(":") ? `"[${peer}]"` : peer;
  const element = [`for=${node}`, ...(host === undefined ? [] : [`host=${quoted(host)}`]), `proto=${scheme}`].join(";");
  return [
    ["Forwarded", behind(isBalanced(earlier) ? earlier : "", element)],
    ["X-Forwarded-For", behind(ctx.header("x-forwarded-for"), peer)],
    ["X-Forwarded-Proto", scheme],
    ...(host === undefined ? [] : ([["X-Forwarded-Host", host]] as const)),
    ["Via", behind(ctx.header("via"), `${ctx.httpVersion} framework`)],
  ];
}

/** Does each quoted string end? An open one would swallow the text added after it. */
const isBalanced = (field: string): boolean => /^(?:[^"\\]|"(?:[^"\\]|\\.)*")*$/.test(field);

const behind = (earlier: string | undefined, value: string): string =>
  earlier === undefined || earlier === "" ? value : `${earlier}, ${value}`;

/** A value in RFC 7239 form, where a host with a port is not a token. */
const quoted = (value: string): string =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(value) ? value : `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
