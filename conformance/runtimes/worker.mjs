/** Serves on workerd, which does not provide the peer's address, and passes the bindings of the worker. */
import { hello } from "./hello.mjs";

export const app = hello().get("/greeting", (ctx) => ctx.platform[0].GREETING);
export default { fetch: (request, env) => app.fetch(request, env) };
