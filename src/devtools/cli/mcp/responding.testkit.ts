/** Devtools with given responses at a real address, and the tools, called on them. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DevtoolsClient, type ClientOptions } from "../terminal/client.ts";
import type { Trace, SearchHit } from "../../run/shapes.ts";
import { callTool } from "./tools.ts";

/** The responses of devtools, by the path after `…/api/` without its query; each is JSON or a handler. */
export type Responses = Readonly<Record<string, unknown>>;

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A server of such responses. */
export class Responding {
  /** The path after `…/api/` of each request, with its query. */
  readonly seen: string[] = [];
  responses: Responses;
  readonly #server = createServer((request, response) => this.#respond(request, response));

  constructor(responses: Responses = {}) {
    this.responses = responses;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  client(more: Partial<ClientOptions> = {}): DevtoolsClient {
    return new DevtoolsClient({ url: this.url, ...more });
  }

  /** The result of a tool. */
  async called<T>(name: string, given: object): Promise<T> {
    const { signal } = new AbortController();
    const result = await callTool(name, given, { client: this.client(), signal });
    assert.equal(result?.isError, undefined, result?.content[0]?.text);
    return result?.structuredContent as T;
  }

  /** A tool's list, in one call and in parts of 2,000 characters. */
  async inParts<T extends { readonly next: string | null }>(
    name: string,
    given: object,
    listOf: (result: T) => readonly unknown[] | undefined,
  ): Promise<{ readonly whole: readonly unknown[]; readonly parts: readonly (readonly unknown[])[] }> {
    const whole = listOf(await this.called<T>(name, { ...given, maxChars: 100_000 })) ?? [];
    const parts: (readonly unknown[])[] = [];
    for (let at: object | null = {}; at !== null;) {
      const result: T = await this.called<T>(name, { ...given, ...at, maxChars: 2_000 });
      parts.push(listOf(result) ?? []);
      at = result.next === null ? null : { cursor: result.next };
    }
    return { whole, parts };
  }

  /** The error sentence of a tool. */
  async rejected(name: string, given: object): Promise<string> {
    const { signal } = new AbortController();
    const result = await callTool(name, given, { client: this.client(), signal });
    assert.equal(result?.isError, true);
    return result.content[0]?.text ?? "";
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #respond(request: IncomingMessage, response: ServerResponse): void {
    const [, asked = ""] = /\/framework\/dev\/api\/(.*)/.exec(request.url ?? "") ?? [];
    this.seen.push(asked);
    const [name = ""] = asked.split("?");
    const given = this.responses[name];
    if (given === undefined) return none(response);
    if (typeof given === "function") return (given as Handler)(request, response);
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(given));
  }
}

/** The 404 of devtools. */
function none(response: ServerResponse): void {
  const headers = { "Content-Type": "application/problem+json", "Cross-Origin-Resource-Policy": "same-origin" };
  response.writeHead(404, headers).end("{}");
}

/** Runs as devtools keep them, each by its key, all of them found in this order, and the process of the first runs. */
export function keptRuns(traces: readonly Trace[]): Responses {
  const [first] = traces;
  const session = { instance: first?.instance, startedAt: 0, app: "shop", commit: null, branch: null, current: true };
  return {
    sessions: { sessions: [session], file: null },
    sources: [],
    requests: [],
    search: { hits: traces.map(hitOf), next: null, searched: traces.length, tookUs: 1 },
    ...Object.fromEntries(traces.map((trace) => [`runs/${trace.instance}.${trace.sequence}`, trace])),
  };
}

/** A run in the form of a search hit. */
export function hitOf(trace: Trace): SearchHit {
  const { instance, sequence, method, path, route, status, startedAt, durationUs } = trace;
  const run = { instance, sequence, method, path, route, status, startedAt, durationUs };
  return { ...run, kind: "request", calls: [], leaves: [], parts: [] };
}
