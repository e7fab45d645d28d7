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
import type { Neighbours } from "../services/neighbours.ts";
import { type ChannelHub, failureOf, type Source } from "./channels.ts";
import type { Description } from "./descriptions.ts";
import { headerPairs, type HeaderList } from "./header-list.ts";
import type { Leaves, OpenLeaf } from "./leaves.ts";

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

/** Both clients as a source. */
export const httpClients =
  (neighbours: Neighbours): Source =>
  (hub, leaves) => {
    const requests = new Requests(hub, leaves);
    requests.begins<UndiciMessage>("undici:request:create", ({ request }) => describeUndici(request));
    requests.hears<UndiciMessage>("undici:request:headers", ({ request, response }) =>
      responded(neighbours, String(request.origin), response?.statusCode, response?.headers),
    );
    requests.ends("undici:request:trailers");
    requests.ends("undici:request:error");
    requests.begins<NodeMessage>("http.client.request.start", ({ request }) => describeNode(request));
    requests.ends<NodeMessage>("http.client.response.finish", ({ request, response }) =>
      responded(neighbours, originOf(request), response?.statusCode, response?.rawHeaders),
    );
    requests.ends("http.client.request.error");
  };

/** The leaves of requests, by their request objects. */
class Requests {
  readonly #hub: ChannelHub;
  readonly #leaves: Leaves;
  readonly #open = privateSlot<OpenLeaf | undefined>();

  constructor(hub: ChannelHub, leaves: Leaves) {
    this.#hub = hub;
    this.#leaves = leaves;
  }

  begins<M extends { readonly request: object }>(channel: string, describe: (message: M) => Description): void {
    this.#on<M>(channel, (message) => {
      const leaf = this.#leaves.begin(channel, "http", () => describe(message));
      if (leaf !== undefined) this.#open.set(message.request, leaf);
    });
  }

  hears<M extends { readonly request: object }>(channel: string, describe: (message: M) => Description): void {
    this.#on<M>(channel, (message) => {
      const leaf = this.#open.get(message.request);
      if (leaf !== undefined) this.#leaves.note(leaf, () => describe(message));
    });
  }

  ends<M extends { readonly request: object }>(channel: string, describe?: (message: M) => Description): void {
    this.#on<M>(channel, (message) => {
      const leaf = this.#open.get(message.request);
      if (leaf === undefined) return;
      this.#open.set(message.request, undefined);
      this.#leaves.end(leaf, describe && (() => describe(message)), failureOf(message));
    });
  }

  /** Ignores messages without a request, which are not from these clients. */
  #on<M extends { readonly request: object }>(channel: string, listener: (message: M) => void): void {
    this.#hub.on(channel, (message) => {
      const request: unknown = (message as Partial<M> | undefined)?.request;
      if (typeof request === "object" && request !== null) listener(message as M);
    });
  }
}

const describeUndici = ({ origin, path, method, headers }: UndiciMessage["request"]): Description => ({
  method,
  url: `${String(origin)}${String(path)}`,
  requestHeaders: headers,
});

const describeNode = (request: NodeMessage["request"]): Description => ({
  method: request.method,
  url: `${originOf(request)}${String(request.path)}`,
  requestHeaders: request.getHeaders(),
});

/** The authority comes from the Host header, since a ClientRequest has no port. */
function originOf(request: NodeMessage["request"]): string {
  const host = request.getHeader("host") ?? request.host;
  return `${String(request.protocol)}//${String(host)}`;
}

/** The description of a response. */
function responded(neighbours: Neighbours, origin: string, status: unknown, headers: HeaderList = []): Description {
  return { status, responseHeaders: headers, run: neighbours.learn(origin, headerPairs(headers)) };
}
