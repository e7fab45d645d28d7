/**
 * Serve: the tools over the Model Context Protocol, on standard input and output.
 *
 *   agent ── stdio, protocol 2026-07-28 or 2025-11-25 ──▶ framework-devtools mcp ── GET ──▶ devtools of the application
 *
 * The application opens nothing for it. Between two calls only cursors carry state, so that the application may be stopped and
 * started in between. Its token is read anew for each call.
 */
import type { Readable, Writable } from "node:stream";
import type { DevtoolsClient } from "../terminal/client.ts";
import { lineOf } from "../terminal/errors.ts";
import { callTool, descriptions } from "./tools.ts";
import { notice } from "./tool.ts";

/** The environment of the server. */
export interface ServeOptions {
  readonly version: string;
  readonly input: Readable;
  readonly output: Writable;
  readonly signal: AbortSignal;
  /** Devtools at their present address. @param signal aborts when the response is no longer needed */
  client(signal: AbortSignal): DevtoolsClient;
  /** Reports an error outside of the protocol. */
  say(line: string): void;
}

/** Tells the agent in which order the tools are useful. */
const instructions = [
  "These tools show a running application of the framework: its routes, its beans, and for every request the calls, statements and log lines that it caused.",
  "To debug: send_request or list_runs for the run, explain_run for its facts, compare_runs with one that worked, find_value for where a wrong value came from, get_run for one call.",
  `Only send_request can change anything, in the application itself. ${notice}`,
].join(" ");

/** `INVALID_PARAMS` of JSON-RPC. */
const UNKNOWN_TOOL = -32_602;

/** Serves until the input ends or violates the protocol, or `signal` aborts. */
export async function serve({ version, input, output, signal, client, say }: ServeOptions): Promise<void> {
  const { Server, serveStdio, StdioServerTransport } = await import("./kit.ts");
  const make = (): InstanceType<typeof Server> => {
    const server = new Server({ name: "framework-devtools", version }, { capabilities: { tools: {} }, instructions });
    server.setRequestHandler("tools/list", () => ({ tools: [...descriptions()] as never[] }));
    server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
      const result = await callTool(params.name, params.arguments, {
        client: client(mcpReq.signal),
        signal: mcpReq.signal,
      });
      if (result !== undefined) return { ...result };
      throw Object.assign(new Error(`there is no tool ${JSON.stringify(params.name)}`), { code: UNKNOWN_TOOL });
    });
    return server;
  };
  const transport = new StdioServerTransport(input, output);
  const handle = serveStdio(make, { transport, onerror: (error) => say(lineOf(error)) });
  await new Promise<void>((resolve) => {
    const closed = transport.onclose;
    // Also if a message is longer than the limit, since its sender must not wait for a response.
    // eslint-disable-next-line unicorn/prefer-add-event-listener -- a transport has one listener, and no other way
    transport.onclose = () => (closed?.(), resolve());
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  await handle.close();
}
