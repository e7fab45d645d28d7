/**
 * Serves the subject on workerd, by `app.fetch`. It is bundled first (workerd.mjs), since workerd reads no folders.
 *
 * It is assembled at the first request, since a worker may not create random numbers or timers before one.
 */
import { version } from "framework/package.json";
import { assemble } from "../../.build/conformance/subject/assemble.js";

let app;
export default {
  fetch(request, { PROFILE: profile }) {
    app ??= assemble({ engine: "workerd", version, profile }).app;
    return app.fetch(request);
  },
};
