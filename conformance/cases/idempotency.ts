/** Requests with one key at the same time. Spec: idempotency.md (IDEM). */
import { SubjectId } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";

/** The cases of this chapter. */
export const idempotency = [
  proves(
    "IDEM-003",
    "of several requests with one key at the same time one runs, and the others are 409",
    async (probe) => {
      const headers = { "idempotency-key": `"${probe.token()}"`, "content-type": "application/json" };
      const send = () => probe.send("POST", "/once/a?ms=500", { headers, body: "{}" });
      const responses = await Promise.all(Array.from({ length: 4 }, send));
      const statuses = responses.map(({ status }) => status).toSorted((a, b) => a - b);
      probe.equal("statuses", statuses, [201, 409, 409, 409]);
      const waits = responses.filter(({ status }) => status === 409).map((response) => response.header("retry-after"));
      probe.ok(
        "each 409 has the seconds to wait",
        waits.every((wait) => /^[1-9]\d*$/.test(wait ?? "")),
      );
      const first = responses.find(({ status }) => status === 201);
      if (first === undefined) return;
      const { id } = probe.json(SubjectId, first);
      probe.equal("the id afterwards", probe.json(SubjectId, await send()).id, id);
    },
  ),
];
