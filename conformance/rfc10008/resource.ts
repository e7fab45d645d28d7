/**
 * The resource under test for RFC 10008: any URL that accepts QUERY, and its owner's description of it.
 */
import type { Probe, SendOptions } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";

/** The description of a resource. If a member is missing, the checks that need it do not apply. */
export interface ResourceOptions {
  /** Its URL, including the query component. */
  readonly url: URL;
  /** The media type of its queries. */
  readonly type: string;
  /** A query that succeeds. */
  readonly body: string;
  /** Another one, with a different result. */
  readonly otherBody?: string | undefined;
  /** Content that is malformed for its type. */
  readonly badBody?: string | undefined;
  /** An origin with pages that may send it queries. */
  readonly origin?: string | undefined;
  /** A path on the same server that redirects to it. */
  readonly moved?: string | undefined;
}

/** Sends queries to one resource. */
export class Resource {
  readonly options: ResourceOptions;
  readonly #probe: Probe;

  constructor(probe: Probe, options: ResourceOptions) {
    this.#probe = probe;
    this.options = options;
  }

  /** Can it be sent a body without a length? Over HTTP/2 every body has none. */
  get speaksHttp1(): boolean {
    return this.#probe.speaksHttp1;
  }

  get target(): string {
    return `${this.options.url.pathname}${this.options.url.search}`;
  }

  /**
   * A QUERY with this content and type, by default the query that succeeds. `headers` may replace the type or remove it with "".
   */
  async query(headers: Readonly<Record<string, string>> = {}, body: string = this.options.body): Promise<HttpResponse> {
    return this.queryAt(this.target, headers, body);
  }

  /** The same at another target. */
  async queryAt(
    target: string,
    headers: Readonly<Record<string, string>> = {},
    body: string = this.options.body,
  ): Promise<HttpResponse> {
    const all = { "content-type": this.options.type, ...headers };
    const sent = Object.entries(all).filter(([, value]) => value !== "");
    return this.#probe.send("QUERY", target, { headers: Object.fromEntries(sent), body });
  }

  async send(method: string, options: SendOptions = {}, target: string = this.target): Promise<HttpResponse> {
    return this.#probe.send(method, target, options);
  }

  /** A Location or Content-Location as a target, or undefined if it is on another server. */
  targetOf(reference: string): string | undefined {
    const { url } = this.options;
    if (!URL.canParse(reference, url)) return undefined;
    const found = new URL(reference, url);
    return found.origin === url.origin ? `${found.pathname}${found.search}` : undefined;
  }
}
