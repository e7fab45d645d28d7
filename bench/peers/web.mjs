/** The peers that are fetch handlers, on Bun and Deno: served by the host's own server, or by their own. */
import { elysia } from "./elysia.mjs";

export async function serve(work) {
  if (work.server === "elysia") return elysia(work);
  const [{ appOf }, { serveWeb }] = await Promise.all([
    import(`./${work.server}.mjs`),
    import("../../.build/bench/servers/web.js"),
  ]);
  const app = await appOf(work);
  return serveWeb((request) => app.fetch(request));
}
