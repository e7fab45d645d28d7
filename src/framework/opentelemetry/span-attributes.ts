/**
 * Span attributes: those of a SERVER span about its request, by OpenTelemetry's HTTP conventions.
 *
 *   Context ──▶ spanName: `GET /users/{id}`, or the method alone, never the raw path
 *           ──▶ startAttributes: known before the handler runs, so that samplers can use them
 *
 * Spec: spec/tracing.md, shape ServerSpan
 */
import type { Attributes } from "@opentelemetry/api";
import type { Context } from "../http/context.ts";
import { originForm } from "../http/target.ts";
import { OTHER_METHOD } from "../metrics/labels.ts";

/** `METHOD /route/{pattern}`, or `METHOD` when nothing matched, or `HTTP` for an unknown method. */
export function spanName(method: string, route: string | undefined, known: ReadonlySet<string>): string {
  const first = known.has(method) ? method : "HTTP";
  return route === undefined ? first : `${first} ${route}`;
}

/** All attributes known when the request arrives. */
export function startAttributes(ctx: Context, known: ReadonlySet<string>): Attributes {
  const { method, route, scheme, remoteAddress } = ctx;
  const isKnown = known.has(method);
  const attributes: Attributes = {
    "http.request.method": isKnown ? method : OTHER_METHOD,
    "url.path": originForm(ctx.url) || "/", // A target in absolute form also names its host.
    "url.scheme": scheme,
    "network.protocol.version": ctx.httpVersion,
  };
  if (!isKnown) attributes["http.request.method_original"] = method;
  if (route !== undefined) attributes["http.route"] = route;
  const userAgent = ctx.header("user-agent");
  if (userAgent !== undefined) attributes["user_agent.original"] = userAgent;
  if (remoteAddress !== undefined) attributes["client.address"] = remoteAddress;
  const server = serverOf(ctx.host);
  if (server === undefined) return attributes;
  attributes["server.address"] = server.address;
  attributes["server.port"] = server.port ?? (scheme === "https" ? 443 : 80);
  return attributes;
}

interface Server {
  readonly address: string;
  readonly port: number | undefined;
}

let lastHost: string | undefined;
let lastServer: Server | undefined;

/** The server according to the request's host. Undefined when it has none. Most requests repeat an earlier one. */
function serverOf(host: string | undefined): Server | undefined {
  if (host !== lastHost) {
    lastServer = host === undefined ? undefined : parsedHost(host);
    lastHost = host;
  }
  return lastServer;
}

/** The host is valid, so a colon with digits at the end marks its port. */
function parsedHost(host: string): Server {
  const [end, port] = /:(\d+)$/.exec(host) ?? [""];
  const name = host.slice(0, host.length - end.length);
  return {
    address: name.startsWith("[") ? name.slice(1, -1) : name,
    port: port === undefined ? undefined : Number(port),
  };
}
