/**
 * Client: devtools of a running application, read from a terminal.
 *
 *   command ──▶ DevtoolsClient ── GET …/framework/dev/api/… ──▶ the application
 *                    └ an error: one sentence that says what to do
 *
 * It reads by GET. Only the retry and the replay of a job are a POST, once each. It remembers nothing between two reads, so
 * a restart of the application in between has no effect.
 */
import { messageOf } from "../../run/format.ts";
import { readEvents } from "../../run/event-stream.ts";
import type { SearchPage, SearchProblem, Trace } from "../../run/shapes.ts";
import { apiPath, CONTEXT_PATH_HEADER, PAGE_PATH, TOKEN_HEADER, TRACE_EVENT, type Endpoints } from "../../run/wire.ts";
import { jsonOf as parsed } from "../../run/values.ts";
import { causeOf, misunderstood, TerminalError } from "./errors.ts";

const PATIENCE_MS = 10_000;
/** A replayed job may take as long as a response. */
const POST_MS = 60_000;
/** Between two attempts to reach an application that starts. */
const RETRY_MS = 100;

/** The address and the token of devtools. */
export interface ClientOptions {
  /** The application's address, with its context path; the address of the dashboard is fine too. */
  readonly url: string;
  readonly token?: string | undefined;
  /** How long to wait for an application that is not there yet; 0 by default. */
  readonly waitMs?: number | undefined;
  /** Aborts when the response is no longer needed. */
  readonly signal?: AbortSignal | undefined;
  /** What to do if nothing responds at that address, or undefined if nothing particular is known. */
  readonly advice?: ((base: string) => string | undefined) | undefined;
}

/** The target of requests that are not devtools' own. */
export interface Application {
  /** Scheme, host and port, with the path at which a host has mounted the application. */
  readonly root: string;
  readonly contextPath: string;
}

/** Devtools of one application. */
export class DevtoolsClient {
  /** The application, without a slash at its end. */
  readonly base: string;
  /** Aborts when the response is no longer needed. */
  readonly signal: AbortSignal | undefined;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #waitUntil: number;
  readonly #advice: ClientOptions["advice"];

  /** @throws TerminalError if `url` is not an address of HTTP */
  constructor({ url, token, waitMs = 0, signal, advice }: ClientOptions) {
    this.#advice = advice;
    this.base = baseOf(url);
    this.#headers = token === undefined ? {} : { [TOKEN_HEADER]: token };
    this.#waitUntil = Date.now() + waitMs;
    this.signal = signal;
  }

  /** Reads an endpoint. @param query its parameters */
  read<K extends keyof Endpoints>(name: K, query: Readonly<Record<string, string>> = {}): Promise<Endpoints[K]> {
    const asked = new URLSearchParams(query).toString();
    const path = apiPath(name) + (asked === "" ? "" : `?${asked}`);
    return this.#patiently(async () => jsonOf<Endpoints[K]>(await this.#ask(path)));
  }

  /** Sends to an endpoint, once, since it may change something. @throws TerminalError with the sentence of devtools */
  async post(name: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const init = {
      method: "POST",
      headers: { "Content-Type": "application/json", ...this.#headers, ...headers },
      body: "{}",
    };
    const signal = this.#patience(POST_MS);
    const response = await fetch(`${this.base}${PAGE_PATH}/api/${name}`, { ...init, redirect: "manual", signal }).catch(
      (cause: unknown) => {
        throw unreachable(this.base, cause, this.#advice?.(this.base));
      },
    );
    if (response.status === 200) return response.text();
    throw new TerminalError(isOfDevtools(response) ? detailIn(await response.text()) : await this.#objection(response));
  }

  /** The beginning of the application's own paths. */
  async application(): Promise<Application> {
    const contextPath = await this.#patiently(async () => {
      const response = await this.#ask(apiPath("routes"));
      await response.body?.cancel();
      return response.headers.get(CONTEXT_PATH_HEADER) ?? "";
    });
    const isBelow = contextPath !== "" && this.base.endsWith(contextPath);
    return { root: isBelow ? this.base.slice(0, -contextPath.length) : this.base, contextPath };
  }

  search(query: string, limit: number, cursor?: string): Promise<SearchPage> {
    return this.read("search", { q: query, limit: String(limit), ...(cursor === undefined ? {} : { cursor }) });
  }

  /** One run by `{instance}.{sequence}`, or undefined if devtools say that it is not kept. */
  run(key: string): Promise<Trace | undefined> {
    return this.#patiently(async () => {
      const response = await this.#ask(apiPath(`runs/${encodeURIComponent(key)}`), [404]);
      if (response.status !== 404) return jsonOf<Trace>(response);
      await response.body?.cancel();
      return undefined;
    });
  }

  /** Yields runs as they complete, until the application ends or `signal` aborts. */
  async follow(signal: AbortSignal): Promise<AsyncGenerator<Trace>> {
    return this.#runsIn(await this.#patiently(() => this.#ask(apiPath("stream"), [], signal), signal));
  }

  async *#runsIn(response: Response): AsyncGenerator<Trace> {
    let rest = "";
    try {
      for await (const text of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
        rest += text;
        const end = rest.lastIndexOf("\n\n") + 2;
        if (end < 2) continue;
        const whole = rest.slice(0, end);
        rest = rest.slice(end);
        for (const { event, data } of readEvents(whole)) if (event === TRACE_EVENT) yield JSON.parse(data) as Trace;
      }
    } catch {
      // The application or the listener has ended, so no more runs come either way.
    }
  }

  /** Asks again until the application is there. A starting one rejects connections, a stopping one cuts them. */
  async #patiently<T>(ask: () => Promise<T>, signal = this.signal): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (cause) {
        if (cause instanceof TerminalError) throw cause;
        if (Date.now() >= this.#waitUntil || signal?.aborted === true)
          throw unreachable(this.base, cause, this.#advice?.(this.base));
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** The response if it is 200 or one of `expected`. @throws TerminalError, and errors of fetch */
  async #ask(path: string, expected: readonly number[] = [], signal = this.#patience()): Promise<Response> {
    // A redirect would take the token elsewhere.
    const response = await fetch(`${this.base}${path}`, { headers: this.#headers, redirect: "manual", signal });
    if (response.status === 200 || (expected.includes(response.status) && isOfDevtools(response))) return response;
    throw new TerminalError(await this.#objection(response));
  }

  #patience(ms: number = PATIENCE_MS): AbortSignal {
    const patience = AbortSignal.timeout(ms);
    return this.signal === undefined ? patience : AbortSignal.any([patience, this.signal]);
  }

  async #objection(response: Response): Promise<string> {
    const text = (await response.text()).slice(0, 4_096);
    if (response.status === 400) return queryMistake(text) ?? `devtools rejected the request: ${text}`;
    if (response.status === 403) return `${this.base}: ${text.trim() || "devtools rejected the request"}`;
    if (response.status === 404)
      return `${this.base} has no devtools: they are off, or its context path is missing, as in --url ${this.base}/shop`;
    return `${this.base} responded with ${response.status}: is that the application?`;
  }
}

/** Devtools mark each response, a 404 too. A response of another program there says nothing about a run. */
const isOfDevtools = (response: Response): boolean =>
  response.headers.get("cross-origin-resource-policy") === "same-origin" &&
  response.headers.get("content-type")?.startsWith("application/problem+json") === true;

/** The detail of a problem. */
function detailIn(text: string): string {
  const { detail } = Object(parsed(text)) as { readonly detail?: unknown };
  return typeof detail === "string" && detail !== "" ? detail : `devtools rejected it: ${text.slice(0, 200)}`;
}

function baseOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new TerminalError(`--url is ${JSON.stringify(url)}: an address like http://localhost:8080 is allowed`);
  const path = parsed.pathname.replace(/\/$/, "");
  return parsed.origin + (path.endsWith(PAGE_PATH) ? path.slice(0, -PAGE_PATH.length) : path);
}

async function jsonOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new TerminalError(`${response.url} responded with what is no JSON: are those devtools?`, { cause });
  }
}

function unreachable(
  base: string,
  cause: unknown,
  advice = "start the application, or name its address by --url",
): TerminalError {
  if (cause instanceof Error && cause.name === "TimeoutError")
    return new TerminalError(`${base} did not respond within ${PATIENCE_MS / 1_000} s`, { cause });
  return new TerminalError(`nothing responds at ${base} (${reasonOf(cause)}): ${advice}`, { cause });
}

/** Why a fetch failed. Node has it in the cause, and for several addresses only in the code. */
function reasonOf(error: unknown): string {
  const inner = causeOf(error);
  const code: unknown = inner instanceof Error ? Reflect.get(inner, "code") : undefined;
  return typeof code === "string" ? code : messageOf(inner);
}

/** Devtools' message about a malformed query, with its probable meaning. */
function queryMistake(text: string): string | undefined {
  try {
    const { issues, detail } = JSON.parse(text) as Partial<SearchProblem>;
    const [issue] = issues ?? [];
    return issue === undefined ? detail : misunderstood(issue);
  } catch {
    return undefined;
  }
}
