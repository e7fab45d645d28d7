/**
 * Kit: the used parts of the official kit of the Model Context Protocol. `scripts/bundle-mcp.mjs` bundles this file and its
 * dependencies, so that the package installs nothing. Only the command `mcp` loads it.
 */
export { Server } from "@modelcontextprotocol/server";
export { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
