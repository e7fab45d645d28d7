/** Serves the subject on Bun, by `app.fetch`. */
import { createRequire } from "node:module";
import { assemble } from "../../.build/conformance/subject/assemble.js";

const { version } = createRequire(import.meta.url)("framework/package.json");
const { app } = assemble({ engine: "bun", version, profile: process.env.PROFILE || undefined });
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT || 9100),
  fetch: (request, bun) => app.fetch(request, { peerAddress: bun.requestIP(request)?.address }),
});
console.log(`listening on http://127.0.0.1:${server.port}`);
