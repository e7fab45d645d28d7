/** What middleware can still do to a response. Spec: middleware.md (MW). */
import { SubjectFile } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";

/** The cases of this chapter. */
export const middleware = [
  proves("MW-007", "sends a header that was set after next, whatever the response is made of", async (probe) => {
    const seen: Record<string, unknown> = {};
    const kinds = ["text", "json", "bytes", "stream", "events", "response", "nothing"];
    for (const kind of kinds) seen[kind] = (await probe.send("GET", `/returns/${kind}`)).header("x-after");
    probe.equal("the header of each", seen, Object.fromEntries(kinds.map((kind) => [kind, kind])));
  }),

  proves("MW-012", "runs the middleware of a prefix however the path below it is spelt", async (probe) => {
    const below = ["private", "private/", "private/a", "private%2Fa", "private%2fa", "private%5Ca", "private%5ca"];
    const more = ["private//a", "private%2F%2Fa", "%70rivate/a", "privat%65%2F%61", "private/%2Fa", "private%2F"];
    const seen: Record<string, number> = {};
    for (const rest of [...below, ...more]) seen[rest] = (await probe.send("GET", `/files/${rest}`)).status;
    probe.equal("the statuses", seen, Object.fromEntries([...below, ...more].map((rest) => [rest, 403])));
  }),

  proves("MW-012", "leaves alone what only looks like being below a prefix", async (probe) => {
    const rests = {
      privateer: "privateer",
      "privateer%2Fa": "privateer/a",
      "Private%2Fa": "Private/a",
      "a%2Fprivate": "a/private",
      "private%252Fa": "private%2Fa",
      "a//private": "a//private",
    };
    const seen: Record<string, string> = {};
    for (const rest of Object.keys(rests))
      seen[rest] = probe.json(SubjectFile, await probe.send("GET", `/files/${rest}`)).path;
    probe.equal("what the handler saw", seen, rests);
  }),
];
