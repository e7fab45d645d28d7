/** Requests for one response at the same time. Spec: cache.md (CACHE). */
import { SubjectId } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";

/** The cases of this chapter that are not vectors. */
export const cache = [
  proves("CACHE-012", "several requests at the same time get one response", async (probe) => {
    const path = `/stored/fresh/${probe.token()}?ms=300`;
    const responses = await Promise.all(Array.from({ length: 6 }, () => probe.send("GET", path)));
    const ids = responses.map((response) => probe.json(SubjectId, response).id);
    probe.equal("the number of different responses", new Set(ids).size, 1);
  }),
];
