/**
 * Who calls: the name of the agent, and the conversation that its calls belong to, for logs and for tools that watch.
 *
 *   2026-07-28: the client's name comes with each request     ──┐
 *   2025-11-25: it comes once, and goes into Mcp-Session-Id   ──┴──▶ { agent: "claude-code", thread: "3f2a90c1b7de" }
 *
 * Neither says who may do what: a client chooses both. The conversation of a stateless client is guessed from its name, its
 * credentials, its address, and the time since its last request.
 */
import type { Context } from "../http/context.ts";

/** The agent of a request, and its conversation. */
export interface Agent {
  readonly agent: string;
  readonly thread: string;
}

/** A conversation is over after this time without a request, in milliseconds. */
const PAUSE_MS = 30 * 60_000;
/** Conversations that are remembered. */
const MOST = 1_000;

const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";
const session = /^([0-9a-f]{12})\.([a-z0-9._-]{1,40})$/;

/** The agents of an app. */
export class Agents {
  readonly #threads: Map<string, { readonly thread: string; readonly at: number }> = new Map();

  /** The agent of a message. */
  of(ctx: Context, message: unknown): Agent {
    const [, thread, agent] = session.exec(ctx.header("mcp-session-id") ?? "") ?? [];
    if (thread !== undefined && agent !== undefined) return { agent, thread };
    const name = slugOf(clientNameIn(message) ?? productOf(ctx.header("user-agent")));
    return { agent: name, thread: this.#threadOf(ctx, name) };
  }

  #threadOf(ctx: Context, agent: string): string {
    const credentials = `${ctx.header("authorization")?.slice(-64)} ${ctx.header("cookie")?.slice(-64)}`;
    const key = `${agent} ${ctx.remoteAddress} ${credentials}`;
    const known = this.#threads.get(key);
    const now = Date.now();
    const thread = known !== undefined && now - known.at < PAUSE_MS ? known.thread : newThread();
    this.#threads.delete(key);
    this.#threads.set(key, { thread, at: now });
    const [oldest] = this.#threads.keys();
    if (this.#threads.size > MOST && oldest !== undefined) this.#threads.delete(oldest);
    return thread;
  }
}

/** The session id that a client of 2025-11-25 sends back. It holds the names and nothing else. */
export const sessionIdFor = (message: unknown): string | undefined => {
  const request = member(message, "method") === "initialize" ? message : undefined;
  return request === undefined ? undefined : `${newThread()}.${slugOf(clientNameIn(request))}`;
};

const newThread = (): string => crypto.randomUUID().replaceAll("-", "").slice(0, 12);

function clientNameIn(message: unknown): string | undefined {
  const params = member(message, "params");
  const info = member(member(params, "_meta"), CLIENT_INFO) ?? member(params, "clientInfo");
  const name = member(info, "name");
  return typeof name === "string" ? name : undefined;
}

/** `claude-code` of `claude-code/2.1 (cli)`. */
const productOf = (field: string | undefined): string | undefined => /^[^\s/(]+/.exec(field ?? "")?.[0];

const slugOf = (name = "unknown"): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .slice(0, 40) || "unknown";

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
