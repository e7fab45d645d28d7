/**
 * Kit: what is used of the official kit of the Model Context Protocol. `scripts/bundle-mcp.mjs` makes one file of this one and
 * all that it needs, so that the package installs nothing; it is loaded by the command `mcp` alone.
 */
export { Server } from "@modelcontextprotocol/server";
export { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
