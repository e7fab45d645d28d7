/**
 * Outgoing requests of the application, by `fetch` and undici, and by `node:http`.
 *
 *   undici:request:create ──▶ begin ──▶ headers: status ──▶ trailers: end · error: end
 *   http.client.request.start ──▶ begin ──▶ http.client.response.finish: end · http.client.request.error: end
 *
 * A client publishes later messages from its socket, which runs in no request, so the request object identifies
 * the leaf. A response of this machine that names its run gives the leaf a reference to it.
 *
 * Spec: spec/leaves.md
 */
import { privateSlot } from "../private-slot.ts";
import type { RunReference } from "../../run/shapes.ts";
import type { ForeignSpans } from "../services/foreign-spans.ts";
import type { Neighbours } from "../services/neighbours.ts";
import { failureOf, type Source } from "./channels.ts";
import type { Description } from "./descriptions.ts";
import { headerPairs, type HeaderList } from "./header-list.ts";
import type { OpenLeaf } from "./leaves.ts";

/** The members of undici's own objects that are read. */
interface UndiciMessage {
  readonly request: object & Readonly<Record<"origin" | "path" | "method" | "headers", unknown>>;
  readonly response?: { readonly statusCode?: unknown; readonly headers?: HeaderList } | undefined;
}

/** The members of `http.ClientRequest` and `http.IncomingMessage` that are read. */
interface NodeMessage {
  readonly request: object & {
    readonly method?: unknown;
    readonly protocol?: unknown;
    readonly host?: unknown;
    readonly path?: unknown;
    getHeader(name: string): unknown;
    getHeaders(): HeaderList;
  };
  readonly response?: { readonly statusCode?: unknown; readonly rawHeaders?: HeaderList } | undefined;
}

/** A message of one of these clients. */
interface OfRequest {
  readonly request: object;
}

/** Both clients as a source. @param spans refers to services that export spans, if devtools receive these */
export const httpClients =
  (neighbours: Neighbours, spans?: Pick<ForeignSpans, "refer">): Source =>
  (hub, leaves) => {
    /** The leaves of requests, by their request objects. */
    const open = privateSlot<OpenLeaf | undefined>();
    /** Ignores messages without a request, which are not from these clients. */
    const on = <M extends OfRequest>(channel: string, listener: (message: M) => void): void =>
      hub.on(channel, (message) => {
        const request: unknown = (message as Partial<M> | undefined)?.request;
        if (typeof request === "object" && request !== null) listener(message as M);
      });
    const begins = <M extends OfRequest>(channel: string, describe: (message: M) => HttpRequest): void =>
      on<M>(channel, (message) => {
        const leaf = leaves.begin(channel, "http", () => {
          const { origin, ...request } = describe(message);
          return { ...request, run: spans === undefined ? undefined : referred(spans, origin, request.requestHeaders) };
        });
        if (leaf !== undefined) open.set(message.request, leaf);
      });
    const ends = <M extends OfRequest>(channel: string, describe?: (message: M) => Description): void =>
      on<M>(channel, (message) => {
        const leaf = open.get(message.request);
        if (leaf === undefined) return;
        open.set(message.request, undefined);
        leaves.end(leaf, describe && (() => describe(message)), failureOf(message));
      });
    begins<UndiciMessage>("undici:request:create", ({ request }) => describeUndici(request));
    on<UndiciMessage>("undici:request:headers", ({ request, response }) => {
      const leaf = open.get(request);
      const { origin } = request;
      if (leaf !== undefined)
        leaves.note(leaf, () => ({
          // An instrumentation may add `traceparent` after the request was published.
          ...(leaf.given["run"] === undefined && spans !== undefined
            ? { run: referred(spans, String(origin), request.headers as HeaderList) }
            : {}),
          ...responded(neighbours, String(origin), response?.statusCode, response?.headers),
        }));
    });
    ends("undici:request:trailers");
    ends("undici:request:error");
    begins<NodeMessage>("http.client.request.start", ({ request }) => describeNode(request));
    ends<NodeMessage>("http.client.response.finish", ({ request, response }) =>
      responded(neighbours, originOf(request), response?.statusCode, response?.rawHeaders),
    );
    ends("http.client.request.error");
  };

/** The description of a request that begins. */
interface HttpRequest extends Description {
  readonly origin: string;
  readonly requestHeaders: HeaderList | undefined;
}

/** The run of a service to which this request carries a trace, if it has one `traceparent`. */
function referred(spans: Pick<ForeignSpans, "refer">, origin: string, headers?: HeaderList): RunReference | undefined {
  const [parent, ...more] = headerPairs(headers ?? []).filter(([name]) => name.toLowerCase() === "traceparent");
  return parent === undefined || more.length > 0 ? undefined : spans.refer(origin, parent[1]);
}

const describeUndici = ({ origin, path, method, headers }: UndiciMessage["request"]): HttpRequest => ({
  origin: String(origin),
  method,
  url: `${String(origin)}${String(path)}`,
  requestHeaders: headers as HeaderList | undefined,
});

const describeNode = (request: NodeMessage["request"]): HttpRequest => ({
  origin: originOf(request),
  method: request.method,
  url: `${originOf(request)}${String(request.path)}`,
  requestHeaders: request.getHeaders(),
});

/** The authority comes from the Host header, since a ClientRequest has no port. */
function originOf(request: NodeMessage["request"]): string {
  const host = request.getHeader("host") ?? request.host;
  return `${String(request.protocol)}//${String(host)}`;
}

function responded(neighbours: Neighbours, origin: string, status: unknown, headers: HeaderList = []): Description {
  const run = neighbours.learn(origin, headerPairs(headers));
  return { status, responseHeaders: headers, ...(run === undefined ? {} : { run }) };
}
