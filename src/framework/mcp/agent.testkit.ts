/**
 * Agents: the official client over HTTP, in either version, and a bare message of the current one.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Framework } from "../index.ts";

/** Both versions, as the official client negotiates them. */
export const versions = { "2026-07-28": { pin: "2026-07-28" }, "2025-11-25": "legacy" } as const;

/** The version of a client. */
export type Version = keyof typeof versions;

/** A connected client. */
export async function agentOf(
  url: string,
  version: Version = "2026-07-28",
  headers: Readonly<Record<string, string>> = {},
): Promise<Client> {
  const client = new Client(
    { name: "Claude Code", version: "2.1" },
    { versionNegotiation: { mode: versions[version] } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** The outcome of a call. */
export interface Outcome {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly isError: boolean;
  readonly structured: unknown;
  /** The error of the protocol. */
  readonly code: number | undefined;
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test-agent", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** The request of a message. */
export function messageRequest(
  method: string,
  params: object,
  headers: Readonly<Record<string, string>> = {},
  url = "http://localhost/mcp",
): Request {
  const name: unknown = Reflect.get(params, "name");
  return new Request(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" && /^[\x20-\x7e]*$/.test(name) ? { "mcp-name": name } : {}),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: meta } }),
  });
}

/** Calls a tool without a socket. */
export async function called(
  app: Framework,
  name: string,
  given: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
  ...platform: readonly unknown[]
): Promise<Outcome> {
  const request = messageRequest("tools/call", { name, arguments: given }, headers);
  const response = await app.fetch(request, ...platform);
  const text = await response.text();
  const isMessage = response.headers.get("content-type")?.startsWith("application/json") === true;
  const { result, error } = (isMessage ? JSON.parse(text) : {}) as {
    result?: { content: { text?: string }[]; isError?: boolean; structuredContent?: unknown };
    error?: { code: number };
  };
  return {
    status: response.status,
    headers: response.headers,
    text: result?.content.map((part) => part.text ?? "").join("\n") ?? text,
    isError: result?.isError === true,
    structured: result?.structuredContent,
    code: error?.code,
  };
}
