/** What middleware can still do to a response, as data. Spec: middleware.md (MW). */
import { shows, step } from "./vector.ts";

const below = ["private", "private/", "private/a", "private%2Fa", "private%2fa", "private%5Ca", "private%5ca"];
const more = ["private//a", "private%2F%2Fa", "%70rivate/a", "privat%65%2F%61", "private/%2Fa", "private%2F"];
const beside = {
  privateer: "privateer",
  "privateer%2Fa": "privateer/a",
  "Private%2Fa": "Private/a",
  "a%2Fprivate": "a/private",
  "private%252Fa": "private%2Fa",
  "a//private": "a//private",
};

/** The vectors of this chapter. */
export const middleware = [
  shows(
    "MW-007",
    "a header that was set after next is sent, whatever the response is made of",
    ["text", "json", "bytes", "stream", "events", "response", "nothing"].map((kind) =>
      step("GET", `/returns/${kind}`, { headers: { "x-after": { is: kind } } }),
    ),
  ),
  shows(
    "MW-012",
    "the middleware of a prefix runs however the path below it is spelt",
    [...below, ...more].map((rest) => step("GET", `/files/${rest}`, { status: 403 })),
  ),
  shows(
    "MW-012",
    "what only looks like being below a prefix is left alone",
    Object.entries(beside).map(([rest, path]) =>
      step("GET", `/files/${rest}`, { status: 200, body: { json: { path } } }),
    ),
  ),
];
