/**
 * framework/mcp: the routes of an app as tools for agents (Model Context Protocol). Needs the optional peer
 * `@modelcontextprotocol/server`.
 *
 * Spec: spec/tools.md
 */
export { McpMiddleware } from "./mcp.ts";
export type { McpAuth, McpMiddlewareOptions, McpOAuth } from "./options.ts";
