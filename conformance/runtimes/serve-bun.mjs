/** Serves the subject on Bun: by `app.fetch`, or with ENGINE=bun-serve by `framework/bun`. */
import { createRequire } from "node:module";
import { assemble } from "../../.build/conformance/subject/assemble.js";
import { addFiles } from "../../.build/conformance/subject/files.js";

const { version } = createRequire(import.meta.url)("framework/package.json");
const { PORT = "", PROFILE: profile, ENGINE: engine } = process.env;
const port = Number(PORT || 9100);
if (engine === "bun-serve") {
  const [{ serve }, { addSockets }] = await Promise.all([
    import("framework/bun"),
    import("../../.build/conformance/subject/sockets.js"),
  ]);
  const { app } = assemble({ engine, version, profile, addFiles, addSockets });
  await serve(app, { port });
  console.log(`listening on ${app.url}`);
} else {
  const { app } = assemble({ engine: "bun", version, profile, addFiles });
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    fetch: (request, bun) => app.fetch(request, { peerAddress: bun.requestIP(request)?.address }),
  });
  console.log(`listening on http://127.0.0.1:${server.port}`);
}
