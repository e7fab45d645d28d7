/**
 * Runs one compiled block in a separate process: `node harness.mjs file.js`.
 *
 *   import the block ──▶ tell the parent its port, or 0 ──▶ wait for its word ──▶ exit
 *
 * Every port in the block is replaced by a free one, so that blocks do not collide with each other or another server.
 */
import { Server } from "node:net";
import { pathToFileURL } from "node:url";

const { listen } = Server.prototype;
let port = 0;
let listening = Promise.resolve();

Server.prototype.listen = function listenOnFreePort(first, ...rest) {
  listening = new Promise((resolve) => this.once("listening", resolve).once("error", resolve));
  void listening.then(() => (port ||= this.address()?.port ?? 0));
  if (typeof first === "object" && first !== null) return listen.call(this, { ...first, port: 0 }, ...rest);
  return listen.call(this, typeof first === "number" ? 0 : first, ...rest);
};

await import(pathToFileURL(process.argv[2]).href);
await listening;
process.once("disconnect", () => process.exit());
process.once("message", () => process.exit());
process.send(port);
