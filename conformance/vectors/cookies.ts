/** Cookies that are set and read, as data. Spec: cookies.md (COOKIE). */
import { shows, step } from "./vector.ts";

/** The vectors of this chapter. */
export const cookies = [
  shows("COOKIE-003", "what no cookie may hold is encoded, and read as it was", [
    step(
      "GET",
      "/cookies",
      { headers: { "set-cookie": { matches: "(?:^|, )color=[!#-+\\x2d-:<-\\[\\x5d-~]+;" } } },
      {},
      { save: { pair: { header: "set-cookie", part: "(?:^|, )(color=[^;]*)" } } },
    ),
    step("GET", "/cookies", { body: { json: { color: "sea green; äöü" } } }, { headers: { cookie: "{{pair}}" } }),
  ]),
];
