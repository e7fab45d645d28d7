/**
 * Serves the subject on Deno: by `app.fetch`, or with ENGINE=deno-serve by `framework/deno`.
 *
 * Deno accepts an HTTP/1.1 request without Host and invents one in `request.url`, so later code cannot detect it. This file
 * rejects such a request, as every other runtime and `framework/deno` do.
 */
import { createRequire } from "node:module";
import process from "node:process";
import { assemble } from "../../.build/conformance/subject/assemble.js";
import { addFiles } from "../../.build/conformance/subject/files.js";

const { version } = createRequire(import.meta.url)("framework/package.json");
const { PORT = "", PROFILE: profile, ENGINE: engine } = process.env;
const port = Number(PORT || 9100);
if (engine === "deno-serve") {
  const [{ serve }, { addSockets }] = await Promise.all([
    import("framework/deno"),
    import("../../.build/conformance/subject/sockets.js"),
  ]);
  const { app } = assemble({ engine, version, profile, addFiles, addSockets });
  await serve(app, { port });
  console.log(`listening on ${app.url}`);
} else {
  const { app } = assemble({ engine: "deno", version, profile, addFiles });
  Deno.serve(
    { hostname: "127.0.0.1", port, onListen: (place) => console.log(`listening on http://127.0.0.1:${place.port}`) },
    (request, { remoteAddr }) =>
      request.headers.has("host")
        ? app.fetch(request, { peerAddress: remoteAddr.hostname })
        : new Response("no Host", { status: 400 }),
  );
}
