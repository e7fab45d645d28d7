/**
 * Span attributes: what a SERVER span says about its request, by OpenTelemetry's HTTP conventions.
 *
 *   Context ──▶ spanName: `GET /users/{id}`, or the method alone, never the raw path
 *           ──▶ startAttributes: known before the handler runs, so that samplers can use them
 *
 * Spec: spec/tracing.md (SPAN-001 … SPAN-006), shape ServerSpan
 */
import type { Attributes } from "@opentelemetry/api";
import type { Context } from "../context.ts";
import { KNOWN_METHODS, OTHER_METHOD } from "../metrics/labels.ts";

/** A host name or address with an optional port, as in the Host header. */
const HOST = /^(\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,255})(?::([0-9]{1,5}))?$/;

/**
 * The methods that are told apart: the framework's own ten, or what
 * `OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS` lists, as OpenTelemetry demands.
 */
export function knownMethods(): ReadonlySet<string> {
  const host: typeof globalThis.process | undefined = globalThis.process;
  const listed = host?.env?.["OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS"];
  if (listed === undefined || listed.trim() === "") return KNOWN_METHODS;
  return new Set(listed.split(",").map((method) => method.trim()));
}

/** `METHOD /route/{pattern}`; `METHOD` when nothing matched; `HTTP` for a method that is not known. */
export function spanName(method: string, route: string | undefined, known: ReadonlySet<string>): string {
  const first = known.has(method) ? method : "HTTP";
  return route === undefined ? first : `${first} ${route}`;
}

/** Everything that is known when the request arrives. */
export function startAttributes(ctx: Context, known: ReadonlySet<string>): Attributes {
  const attributes: Attributes = {
    "http.request.method": known.has(ctx.method) ? ctx.method : OTHER_METHOD,
    "url.path": ctx.url,
    "url.scheme": ctx.scheme,
    "network.protocol.version": ctx.httpVersion,
  };
  if (!known.has(ctx.method)) attributes["http.request.method_original"] = ctx.method;
  if (ctx.route !== undefined) attributes["http.route"] = ctx.route;
  const userAgent = ctx.header("user-agent");
  if (userAgent !== undefined) attributes["user_agent.original"] = userAgent;
  if (ctx.remoteAddress !== undefined) attributes["client.address"] = ctx.remoteAddress;
  addServer(attributes, ctx.header("host"), ctx.scheme);
  return attributes;
}

function addServer(attributes: Attributes, host: string | undefined, scheme: string): void {
  const match = host === undefined ? null : HOST.exec(host);
  if (match === null) return;
  const [, address, port] = match;
  if (address === undefined) return;
  attributes["server.address"] = address.startsWith("[") ? address.slice(1, -1) : address;
  attributes["server.port"] = port === undefined ? (scheme === "https" ? 443 : 80) : Number(port);
}
