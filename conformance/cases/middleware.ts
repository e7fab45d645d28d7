/** What middleware can still do to a response. Spec: middleware.md (MW). */
import { proves } from "../kit/case.ts";

/** The cases of this chapter. */
export const middleware = [
  proves("MW-007", "sends a header that was set after next, whatever the response is made of", async (probe) => {
    const seen: Record<string, unknown> = {};
    const kinds = ["text", "json", "bytes", "stream", "events", "response", "nothing"];
    for (const kind of kinds) seen[kind] = (await probe.send("GET", `/returns/${kind}`)).header("x-after");
    probe.equal("the header of each", seen, Object.fromEntries(kinds.map((kind) => [kind, kind])));
  }),
];
