/** Serves on workerd, which does not say who its peer is. */
import { hello } from "./hello.mjs";

const app = hello();
export default { fetch: (request) => app.fetch(request) };
