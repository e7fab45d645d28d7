/** An app with one tool for agents, on Bun, Deno and workerd, by `app.fetch`. */
import { Framework } from "framework";
import { McpMiddleware } from "framework/mcp";
import { z } from "zod";

const app = Framework.create()
  .use(new McpMiddleware({ info: { name: "hello", version: "1" } }))
  .get(
    "/hello/{name}",
    { operationId: "hello", tool: true, responses: { 200: z.object({ hello: z.string() }) } },
    (ctx) => ({ hello: ctx.pathParam("name") }),
  );
const { Bun, Deno } = globalThis;
const hostname = "127.0.0.1";

if (Bun !== undefined) {
  const { port } = Bun.serve({ hostname, port: 0, fetch: (request) => app.fetch(request) });
  console.log(`listening ${port}`);
}
if (Deno !== undefined) {
  const onListen = ({ port }) => console.log(`listening ${port}`);
  Deno.serve({ hostname, port: 0, onListen }, (request) => app.fetch(request));
}

/** The module worker of workerd. Bun would serve it too, on a fixed port, and Deno warns. */
export default Bun === undefined && Deno === undefined && { fetch: (request) => app.fetch(request) };
