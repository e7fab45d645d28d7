/**
 * McpMiddleware: the app's routes as tools for agents, by the Model Context Protocol over HTTP.
 *
 *   POST <path> ──▶ Origin, auth ──▶ the library ──▶ tools/call ──▶ the route's whole chain, as the request it stands for
 *   GET /.well-known/oauth-protected-resource<path> ──▶ where a token comes from
 *   anything else ──▶ next()
 *
 * A call has the caller's address and the headers that say who it is. Every middleware judges it as it judges that request.
 * A call may only reach the route of its tool, whatever its arguments are.
 *
 * Spec: spec/tools.md
 */
import type { Context } from "../http/context.ts";
import {
  ClientGoneError,
  ForbiddenError,
  HttpError,
  MethodNotAllowedError,
  NotFoundError,
} from "../internal/errors.ts";
import { HookMiddleware } from "../middleware/hooks.ts";
import type { Lifecycle } from "../middleware/types.ts";
import { type Agent, Agents, sessionIdFor } from "./agents.ts";
import { isCarried } from "./carried.ts";
import { EventReader } from "./events.ts";
import { type Received, sent, ToolMark } from "./exchange.ts";
import { DESCRIBE, Listing } from "./listing.ts";
import { Metadata } from "./metadata.ts";
import { checkedOptions, type McpMiddlewareOptions, type McpSettings } from "./options.ts";
import { isOriginAllowed } from "./origin.ts";
import { failed, resultOf, type ToolResult } from "./result.ts";
import { type CallOptions, type Respond, serverOf, type ToolCalls } from "./server.ts";
import { type Tool, toolsOf } from "./tools.ts";
import { fieldOf } from "../http/headers.ts";

/** The sender of a message: the request that it came with. */
interface Sender {
  readonly ctx: Context;
  readonly agent: Agent;
  /** The headers that its calls take over. */
  readonly headers: readonly (readonly [string, string])[];
  /** The response of a route that wants other credentials. */
  rejected: Received | undefined;
}

/**
 * Makes tools of the routes that have the option `tool`. Install it with `app.use`, once.
 *
 * @example
 * ```ts
 * app.use(new McpMiddleware({ path: "/mcp", info: { name: "shop", version: "1" } }));
 * app.get("/products/{id}", { operationId: "get-product", tool: true }, ({ params }) => ({ id: params.id }));
 * ```
 */
export class McpMiddleware extends HookMiddleware {
  readonly #settings: McpSettings;
  readonly #metadata: Metadata;
  readonly #agents = new Agents();
  #app: Lifecycle | undefined;
  #tools: ReadonlyMap<string, Tool> = new Map();
  #calls: ToolCalls<Sender>;
  #respond: Promise<Respond<Sender>> | undefined;

  /** @throws TypeError naming the option, its value and the allowed values. */
  constructor(options: McpMiddlewareOptions) {
    super();
    this.#settings = checkedOptions(options);
    this.#metadata = new Metadata(this.#settings);
    this.#calls = this.#callsOf(this.#tools);
  }

  installed(app: Lifecycle): void {
    this.#app = app;
    const { auth, jsonSchemaOf, path } = this.#settings;
    auth?.installed?.(app);
    if (jsonSchemaOf !== undefined) app.convertSchemas(jsonSchemaOf);
    app.wrap(new OnlyItsRoute());
    app.onRoutes((routes) => {
      this.#tools = toolsOf(routes, jsonSchemaOf);
      this.#calls = this.#callsOf(this.#tools);
      if (this.#tools.size === 0)
        app.warn(`McpMiddleware at ${path} has no tools: give routes or groups the option tool`);
    });
    app.onStart(() => this.#server());
  }

  override before(ctx: Context): void | Promise<void> {
    if (markOf(ctx) !== undefined) return tell(ctx);
    const path = this.#app?.comparedPath(ctx.path) ?? ctx.path;
    if (path === this.#settings.path) return this.#served(ctx);
    if (!this.#metadata.isAt(path) || (ctx.method !== "GET" && ctx.method !== "HEAD")) return undefined;
    ctx.setRoute(path);
    ctx.setHeader("Cache-Control", "no-store").setHeader("Access-Control-Allow-Origin", "*");
    ctx.json(this.#metadata.documentFor(ctx));
    return undefined;
  }

  async #served(ctx: Context): Promise<void> {
    const { origins, path, auth } = this.#settings;
    ctx.setRoute(path);
    ctx.setHeader("Cache-Control", "no-store");
    if (ctx.method !== "POST") throw new MethodNotAllowedError("POST");
    if (!isOriginAllowed(ctx, origins)) throw new ForbiddenError("a page of this origin may not call tools");
    try {
      if (auth === undefined) await this.#answered(ctx);
      else await auth.handle(ctx, () => this.#answered(ctx));
    } catch (error) {
      throw this.#metadata.withPlace(ctx, error);
    }
  }

  async #answered(ctx: Context): Promise<void> {
    const body = await ctx.body();
    const sender: Sender = { ctx, agent: this.#agents.of(ctx, body), headers: carriedBy(ctx), rejected: undefined };
    const respond = await this.#server();
    const header = (name: string): string | null => ctx.header(name.toLowerCase()) ?? null;
    const response = await respond({ header, signal: ctx.signal, body, sender });
    if (response.status === 499) throw new ClientGoneError();
    const { rejected } = sender;
    if (rejected !== undefined && this.#metadata.isServed) throw errorOf(rejected);
    const sessionId = response.ok ? sessionIdFor(body) : undefined;
    if (sessionId !== undefined) ctx.setHeader("Mcp-Session-Id", sessionId);
    ctx.status(response.status);
    const type = response.headers.get("content-type");
    if (response.body !== null && type?.startsWith("text/event-stream") === true) ctx.send(response.body);
    else ctx.text(await response.text());
    if (type !== null) ctx.setHeader("Content-Type", type);
  }

  /** Loads the library once. After a failure the next call tries again. */
  #server(): Promise<Respond<Sender>> {
    return (this.#respond ??= serverOf(this.#settings, () => this.#calls).catch((error: unknown) => {
      this.#respond = undefined;
      throw error;
    }));
  }

  #callsOf(tools: ReadonlyMap<string, Tool>): ToolCalls<Sender> {
    const listing = new Listing(tools, this.#settings.wholeUpTo);
    return {
      listing,
      inputOf: (name) => {
        const tool = tools.get(name);
        return tool?.hasHeaders === true ? tool.definition.inputSchema : undefined;
      },
      outputOf: (name) => tools.get(name)?.definition.outputSchema,
      call: async (name, given, sender, how) => {
        const tool = tools.get(name);
        if (tool !== undefined) return this.#called(tool, given, sender, how);
        return listing.isBrief && name === DESCRIBE ? listing.described(given["names"]) : undefined;
      },
    };
  }

  async #called(
    tool: Tool,
    given: Readonly<Record<string, unknown>>,
    sender: Sender,
    how: CallOptions,
  ): Promise<ToolResult> {
    const app = this.#app;
    const request = tool.requestOf(given);
    if (typeof request === "string" || app === undefined) return failed(String(request));
    const { maxResultBytes: maxBytes, maxEvents, maxEventsMs: eventsMs } = this.#settings;
    const events = new EventReader({ events: maxEvents, chars: maxBytes }, how.told);
    const { ctx, agent, headers } = sender;
    const caller = { peer: ctx.peerAddress, secure: ctx.scheme === "https", headers, signal: how.signal };
    const mark = new ToolMark(tool.route, tool.definition.name, agent);
    const call = { method: tool.method, request, caller, mark, maxBytes, events, eventsMs };
    const received = await sent(call, (exchange) => app.dispatch(exchange));
    if (received.status === 401 || received.status === 403) sender.rejected = withChallenge(received);
    return resultOf(received, events, () => this.#metadata.originFor(ctx) + request.target, maxBytes);
  }
}

/** Reports a call to tools that watch, once. */
function tell(ctx: Context): void {
  const mark = markOf(ctx);
  if (mark === undefined || mark.isTold) return;
  mark.isTold = true;
  ctx.annotations?.add("agent", { agent: mark.agent.agent, tool: mark.tool, thread: mark.agent.thread });
}

const markOf = (ctx: Context): ToolMark | undefined => {
  const [first]: readonly unknown[] = ctx.platform;
  return first instanceof ToolMark ? first : undefined;
};

/** An argument may be the path of another route. That route may be no tool, so it is not found. */
class OnlyItsRoute extends HookMiddleware {
  override before(ctx: Context): void {
    const mark = markOf(ctx);
    if (mark === undefined) return;
    if (ctx.route !== undefined && ctx.route !== mark.route)
      throw new NotFoundError("these arguments are the path of something else");
    ctx.onResponse((_ctx, response) => {
      tell(ctx); // a middleware before this one has rejected it
      return response;
    });
  }
}

/** The headers that a call takes over, repeated ones joined. */
function carriedBy(ctx: Context): (readonly [string, string])[] {
  const carried = new Map<string, string>();
  for (const [given] of ctx.requestHeaders()) {
    const name = given.toLowerCase();
    const value = isCarried(name) && !carried.has(name) ? ctx.header(name) : undefined;
    if (value !== undefined) carried.set(name, value);
  }
  const id = ctx.attribute("requestId");
  if (typeof id === "string") carried.set("x-request-id", id);
  return [...carried];
}

/** A response that wants other credentials, and says which. */
const withChallenge = (received: Received): Received | undefined =>
  fieldOf(received.headers, "WWW-Authenticate") === undefined ? undefined : received;

function errorOf({ status, headers }: Received): HttpError {
  const challenge = fieldOf(headers, "WWW-Authenticate") ?? "";
  return new HttpError(status, "the route of this tool needs other credentials", {
    headers: { "WWW-Authenticate": challenge },
  });
}
