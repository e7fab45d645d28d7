/**
 * The protocol, by `@modelcontextprotocol/server`: it reads and checks each message, in both versions, and asks for tools here.
 *
 *   message ──▶ the library: version, headers equal to the body, envelope ──▶ tools/list · tools/call ──▶ ToolCalls
 *
 * Nothing is kept between two requests.
 */
import type * as Kit from "@modelcontextprotocol/server";
import { loadPeer } from "../internal/peers.ts";
import type { ReadEvent } from "./events.ts";
import type { Listing } from "./listing.ts";
import type { McpSettings } from "./options.ts";
import type { ToolResult } from "./result.ts";

/** A message, and who sends it. `Sender` is passed on to the call. */
export interface Message<Sender> {
  /** A header of its request, or null. */
  readonly header: (name: string) => string | null;
  readonly signal: AbortSignal;
  /** Its parsed body. */
  readonly body: unknown;
  readonly sender: Sender;
}

/** What the library asks for. */
export interface ToolCalls<Sender> {
  readonly listing: Listing;
  /** The result of a call, or undefined for an unknown tool. */
  call(
    name: string,
    given: Readonly<Record<string, unknown>>,
    sender: Sender,
    how: CallOptions,
  ): Promise<ToolResult | undefined>;
  /** The schema of a tool's arguments, if one of them is also a header. */
  inputOf(name: string): Readonly<Record<string, unknown>> | undefined;
  /** The schema of a tool's output. */
  outputOf(name: string): Readonly<Record<string, unknown>> | undefined;
}

/** How a call is run. */
export interface CallOptions {
  readonly signal: AbortSignal;
  /** Called for each event of its route. */
  readonly told: (event: ReadEvent, count: number) => void;
}

/** Responds to a message. */
export type Respond<Sender> = (message: Message<Sender>) => Promise<Response>;

/** Loads the library. @throws (rejects) Error (`PEER_MISSING`) with the command that installs it. */
export async function serverOf<Sender extends object>(
  settings: McpSettings,
  tools: () => ToolCalls<Sender>,
): Promise<Respond<Sender>> {
  const kit = await loadPeer(
    "McpMiddleware",
    "@modelcontextprotocol/server",
    () => import("@modelcontextprotocol/server"),
  );
  const { info, instructions, listMs } = settings;
  const options: Kit.ServerOptions = {
    ...(instructions === undefined ? {} : { instructions }),
    cacheHints: {
      "tools/list": { ttlMs: listMs, cacheScope: "private" },
      "server/discover": { ttlMs: listMs, cacheScope: "private" },
    },
  };
  const implementation = {
    name: info.name,
    version: info.version,
    ...(info.title === undefined ? {} : { title: info.title }),
  };
  /** Also compares the headers `Mcp-Param-…` of a call with the arguments whose schemas have an `x-mcp-header`. */
  class ToolServer extends kit.McpServer {
    override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
      return tools().inputOf(name);
    }
  }
  const handler = kit.createMcpHandler(({ authInfo }) => {
    const sender = authInfo?.extra?.["sender"] as Sender;
    const product = new ToolServer(implementation, options);
    const { server } = product;
    server.registerCapabilities({ tools: {} });
    server.setRequestHandler("tools/list", ({ params }) => listed(kit, tools(), params?.cursor));
    server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
      const calls = tools();
      const how = { signal: mcpReq.signal, told: progressOf(mcpReq) };
      const result = await calls.call(params.name, params.arguments ?? {}, sender, how);
      if (result === undefined)
        throw new kit.ProtocolError(kit.ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name.slice(0, 128)}`);
      return server.projectCallToolResult(result as Kit.CallToolResult, calls.outputOf(params.name));
    });
    return product;
  });
  // Of the request, the library reads only this. Making a whole one takes longer than its route.
  return ({ header, signal, body, sender }) =>
    handler.fetch({ method: "POST", headers: { get: header }, signal } as unknown as Request, {
      parsedBody: body,
      authInfo: { token: "", clientId: "", scopes: [], extra: { sender } },
    });
}

function listed<Sender>(
  kit: typeof Kit,
  { listing }: ToolCalls<Sender>,
  cursor: string | undefined,
): Kit.ListToolsResult {
  const page = listing.page(cursor);
  if (page === undefined) throw new kit.ProtocolError(kit.ProtocolErrorCode.InvalidParams, "the cursor is of no list");
  return page as unknown as Kit.ListToolsResult;
}

/** Sends each event as progress, if the client asked for that. A client that has left gets none. */
function progressOf({ _meta, notify }: Kit.ServerContext["mcpReq"]): CallOptions["told"] {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  return ({ event, data }, count) => {
    const params = { progressToken, progress: count, message: `${event}: ${data}` };
    notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
}
