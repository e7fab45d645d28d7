/** Serves on Deno. */
import { hello } from "./hello.mjs";

const app = hello();
Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(`listening ${port}`) },
  (request, { remoteAddr }) => app.fetch(request, { peerAddress: remoteAddr.hostname }),
);
