/** Serves on Bun. */
import { hello } from "./hello.mjs";

const app = hello();
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request, bun) => app.fetch(request, { peerAddress: bun.requestIP(request)?.address }),
});
console.log(`listening ${server.port}`);
