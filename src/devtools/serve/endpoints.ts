/**
 * Endpoints: the responses of devtools, and the headers on every one of them.
 *
 *   path inside …/framework/dev ──▶ guard ──▶ page | routes | graph | requests | stream | panels | run | remote | more, in kept-endpoints.ts
 *                                     │ 403, 404      └ 404 unknown, 405 not GET or HEAD, 503
 *
 * All are reads, except for the receiver of spans (span-receiver.ts), and the retry (jobs.ts) and replay (replay/) of a job. These
 * and the analyses (analyses.ts) take POST. They are handled before the application's chain, so no middleware sees them, and no response
 * has a header that would let another origin read it.
 *
 * Spec: spec/devtools.md, spec/guard.md, spec/stream.md
 */
import type { Context } from "framework";
import type { BeanGraph, RouteInfo, ServiceRun } from "../run/shapes.ts";
import { apiPath, CONTEXT_PATH_HEADER, PAGE_PATH } from "../run/wire.ts";
import { judge, type GuardRules, type Verdict, type Visit } from "./guard.ts";
import { notBuilt, type Page } from "./page.ts";
import type { Panels } from "./panels.ts";
import { decoded } from "../run/values.ts";
import { readReference } from "../run/otlp/reference.ts";
import type { ForeignSpans } from "../record/services/foreign-spans.ts";
import type { Neighbours } from "../record/services/neighbours.ts";
import type { TraceStore } from "../keep/store.ts";
import type { TraceStream } from "./stream.ts";
import type { Token } from "./token.ts";

/** The sources of the endpoints. */
export interface EndpointSources {
  readonly rules: GuardRules;
  /** Undefined if no secret is required. */
  readonly token: Token | undefined;
  readonly store: TraceStore;
  readonly stream: TraceStream;
  /** Other applications on this machine. */
  readonly neighbours: Neighbours;
  /** The spans of other services, or undefined if devtools receive none. */
  readonly spans: ForeignSpans | undefined;
  /** The endpoints that take POST, and check that themselves. */
  readonly posted: readonly EndpointAt[];
  name(): string;
  /** The page, or undefined when it is not built. */
  page(): Promise<Page | undefined>;
  /** The application's path; `/` or empty without one. */
  readonly contextPath: string;
  routes(): readonly RouteInfo[];
  graph(): BeanGraph;
  readonly panels: Pick<Panels, "list" | "read">;
  readonly further: readonly EndpointAt[];
}

/** Responds to an accepted request. @param below the text after the path of an endpoint that ends in a slash */
export type Endpoint = (ctx: Context, below: string) => void | Promise<void>;
/** An endpoint and its path, and what it does by POST. A path that ends in a slash includes all paths below it. */
export type EndpointAt = readonly [path: string, endpoint: Endpoint, post?: Endpoint];

const json = "application/json; charset=utf-8";

/** Has the request this media type? A form of another site cannot send it, whatever the browser says about its origin. */
export const isJson = (ctx: Context): boolean => /^application\/json\s*(?:;|$)/i.test(ctx.header("content-type") ?? "");

/** The responses of devtools. */
export class Endpoints {
  readonly #shown: EndpointSources;
  readonly #endpoints: readonly EndpointAt[];
  #page: Promise<Page | undefined> | undefined;

  constructor(shown: EndpointSources) {
    this.#shown = shown;
    this.#endpoints = [
      [PAGE_PATH, (ctx) => this.#servePage(ctx)],
      [apiPath("routes"), (ctx) => this.#serveRoutes(ctx)],
      [apiPath("graph"), (ctx) => sendJson(ctx, JSON.stringify(shown.graph()))],
      [apiPath("requests"), (ctx) => sendJson(ctx, shown.store.listText())],
      [apiPath("stream"), (ctx) => this.#serveStream(ctx)],
      [apiPath("panels"), (ctx) => sendJson(ctx, JSON.stringify(shown.panels.list()))],
      [apiPath("panels/"), (ctx, name) => this.#servePanel(ctx, name)],
      [apiPath("run"), (ctx) => this.#serveRun(ctx)],
      [apiPath("remote"), (ctx) => this.#serveRemote(ctx)],
      ...shown.further,
    ];
  }

  /** Every path of an endpoint, including those that end in a slash. */
  get paths(): readonly string[] {
    return this.#endpoints.map(([path]) => path);
  }

  /** Responds to a request with a devtools path. */
  respond(ctx: Context, path: string): void | Promise<void> {
    for (const [name, value] of everywhere) ctx.setHeader(name, value);
    const { token } = this.#shown;
    const isPage = path === PAGE_PATH;
    const isLink = isPage && token?.isLink(ctx) === true;
    const verdict = this.judge(ctx, isLink, isPage);
    if (!verdict.allowed) return reject(ctx, verdict.status, verdict.reason);
    if (isLink) return enter(ctx, token);
    const isAt = ([at]: EndpointAt): boolean => (at.endsWith("/") ? path.startsWith(at) : path === at);
    const posted = this.#shown.posted.find(isAt);
    const found = posted ?? this.#endpoints.find(isAt);
    if (found === undefined) return problem(ctx, 404, "Not Found");
    const [at, endpoint, post] = found;
    const below = path.slice(at.length);
    if (posted !== undefined || ctx.method === "GET" || ctx.method === "HEAD") return endpoint(ctx, below);
    if (post !== undefined && ctx.method === "POST") return post(ctx, below);
    return notAllowed(ctx, post === undefined ? "GET, HEAD" : "GET, HEAD, POST");
  }

  /** Whether the client may use devtools. @param isKnown whether it has proved by other means that it has the token */
  judge(ctx: Context, isKnown: boolean, isPage = false): Verdict {
    const { rules, token } = this.#shown;
    const isTrusted = isKnown || token === undefined || token.isShownBy(ctx);
    return judge({ ...visitOf(ctx), isPage, isTrusted }, rules);
  }

  async #servePanel(ctx: Context, name: string): Promise<void> {
    const panel = await this.#shown.panels.read(name);
    if (panel === undefined) return problem(ctx, 404, "Not Found");
    sendJson(ctx, JSON.stringify(panel));
  }

  /** With the context path, from which (and its own address) the page knows where a host has mounted the application. */
  #serveRoutes(ctx: Context): void {
    const { contextPath, routes } = this.#shown;
    ctx.setHeader(CONTEXT_PATH_HEADER, contextPath === "/" ? "" : contextPath);
    sendJson(ctx, JSON.stringify(routes()));
  }

  #serveStream(ctx: Context): void {
    const { stream } = this.#shown;
    if (stream.full) {
      ctx.setHeader("Retry-After", 5);
      return problem(ctx, 503, "Service Unavailable", "too many pages listen to the stream: close one");
    }
    const sink = ctx.sse();
    if (ctx.method === "GET") stream.serve(sink);
  }

  #serveRun(ctx: Context): void {
    const { store, graph, name } = this.#shown;
    const [instance = "", run = ""] = (oneOf(ctx, "id") ?? "").split(".");
    const trace = instance === store.instance ? store.ofRun(Number(run)) : undefined;
    if (trace === undefined) return problem(ctx, 404, "Not Found", "no run of this id is held");
    sendJson(ctx, JSON.stringify({ name: name(), trace, graph: graph() } satisfies ServiceRun));
  }

  async #serveRemote(ctx: Context): Promise<void> {
    const { neighbours, spans } = this.#shown;
    const [origins, id] = [ctx.queryParams("origin"), oneOf(ctx, "id") ?? ""];
    const run = spans?.read(origins.at(-1) ?? "", id);
    if (run !== undefined) return sendJson(ctx, JSON.stringify(run));
    if (spans !== undefined && readReference(id) !== undefined)
      return problem(ctx, 404, "Not Found", "no span of this request has arrived");
    const asked = await neighbours.ask(origins, id);
    if ("text" in asked) return sendJson(ctx, asked.text);
    problem(ctx, asked.status, asked.status === 404 ? "Not Found" : "Bad Gateway", asked.reason);
  }

  async #servePage(ctx: Context): Promise<void> {
    this.#page ??= this.#shown.page();
    const page = await this.#page;
    if (page === undefined) {
      this.#page = undefined;
      return problem(ctx, 503, "Service Unavailable", notBuilt);
    }
    ctx.setHeader("Content-Security-Policy", page.csp).setHeader("Cross-Origin-Opener-Policy", "same-origin");
    ctx.setHeader("ETag", page.etag).setHeader("Vary", "Accept-Encoding");
    if (matches(ctx.header("if-none-match"), page.etag)) return void ctx.status(304);
    ctx.setHeader("Content-Type", "text/html; charset=utf-8");
    if (!acceptsGzip(ctx.header("accept-encoding"))) return void ctx.html(page.html);
    ctx.setHeader("Content-Encoding", "gzip").send(page.gzip);
  }
}

/** The devtools path of a request target, inside the context path, or undefined for other paths. */
export function devtoolsPath(target: string, contextPath: string): string | undefined {
  if (target.startsWith("/") && !target.includes("%") && !target.includes(PAGE_PATH)) return undefined;
  // The text before the first slash is an authority, or empty.
  const path = target.startsWith("/") ? target : target.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "");
  const segments = path.split("/").slice(1).map(decoded);
  if (segments.at(-1) === "") segments.pop();
  const inside = contextPath.split("/").filter((segment) => segment !== "");
  const prefix = [...inside, ...PAGE_PATH.slice(1).split("/")];
  if (prefix.some((segment, index) => segments[index] !== segment)) return undefined;
  const rest = segments.slice(inside.length);
  return rest.some((segment) => segment.includes("/")) ? `${PAGE_PATH}/?` : `/${rest.join("/")}`;
}

/** On every response, with any status. */
const everywhere: readonly (readonly [string, string])[] = [
  ["Cache-Control", "no-store"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["X-Content-Type-Options", "nosniff"],
  ["X-Frame-Options", "DENY"],
  ["Referrer-Policy", "no-referrer"],
];

function visitOf(ctx: Context): Omit<Visit, "isPage" | "isTrusted"> {
  return {
    peer: ctx.peerAddress,
    target: ctx.url,
    hosts: ctx.headerValues("host"),
    origins: ctx.headerValues("origin"),
    fetchSites: ctx.headerValues("sec-fetch-site"),
    fetchModes: ctx.headerValues("sec-fetch-mode"),
    fetchDests: ctx.headerValues("sec-fetch-dest"),
    headerNames: [...ctx.requestHeaders()].map(([name]) => name.toLowerCase()),
    httpVersion: ctx.httpVersion,
  };
}

/**
 * The link is exchanged for a cookie, and leaves the address bar. Both are relative, because inside a host this code does not
 * know the path at which the application is mounted.
 */
function enter(ctx: Context, token: Token): void {
  ctx.setHeader("Set-Cookie", token.cookie).setHeader("Location", ctx.url.endsWith("/") ? "../dev" : "dev");
  ctx.status(303);
}

/** The value of a parameter that is given once. */
function oneOf(ctx: Context, name: string): string | undefined {
  const [value, ...more] = ctx.queryParams(name);
  return more.length === 0 ? value : undefined;
}

/** Responds to a client that the guard has rejected. */
export function reject(ctx: Context, status: number, reason: string): void {
  ctx.status(status).setHeader("Content-Type", "text/plain; charset=utf-8");
  ctx.text(reason === "" ? "" : `Devtools rejected the request: ${reason}\n`);
}

/** Whether the method is POST. Responds if it is not. */
export function onlyPost(ctx: Context): boolean {
  if (ctx.method === "POST") return true;
  notAllowed(ctx, "POST");
  return false;
}

function notAllowed(ctx: Context, allowed: string): void {
  ctx.setHeader("Allow", allowed);
  problem(ctx, 405, "Method Not Allowed");
}

/** Responds with JSON text. */
export function sendJson(ctx: Context, text: string): void {
  ctx.setHeader("Content-Type", json).text(text);
}

/** Responds with a problem (RFC 9457). */
export function problem(ctx: Context, status: number, title: string, detail?: string): void {
  sendProblem(ctx, { type: "about:blank", title, status, detail });
}

/** Responds with a problem that has members of its own. */
export function sendProblem<P extends { readonly status: number }>(ctx: Context, body: P): void {
  ctx.status(body.status).setHeader("Content-Type", "application/problem+json").text(JSON.stringify(body));
}

/** Whether the If-None-Match header names that entity. */
function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const plain = etag.replace(/^W\//, "");
  return header.trim() === "*" || header.split(",").some((entry) => entry.trim().replace(/^W\//, "") === plain);
}

/** Whether the Accept-Encoding header accepts gzip. */
function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  return header
    .toLowerCase()
    .split(",")
    .some((entry) => {
      const [coding, ...parameters] = entry.split(";").map((part) => part.trim());
      return (
        (coding === "gzip" || coding === "x-gzip") && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
      );
    });
}
