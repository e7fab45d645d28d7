/**
 * Serves the subject on Deno, by `app.fetch`.
 *
 * Deno lets an HTTP/1.1 request without Host in and makes one up in `request.url`, so that no code behind it can tell:
 * such a request is rejected here, as every other runtime does by itself.
 */
import { createRequire } from "node:module";
import process from "node:process";
import { assemble } from "../../.build/conformance/subject/assemble.js";

const { version } = createRequire(import.meta.url)("framework/package.json");
const { app } = assemble({ engine: "deno", version, profile: process.env.PROFILE || undefined });
Deno.serve(
  {
    hostname: "127.0.0.1",
    port: Number(process.env.PORT || 9100),
    onListen: ({ port }) => console.log(`listening on http://127.0.0.1:${port}`),
  },
  (request, { remoteAddr }) =>
    request.headers.has("host")
      ? app.fetch(request, { peerAddress: remoteAddr.hostname })
      : new Response("no Host", { status: 400 }),
);
