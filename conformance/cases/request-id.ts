/** Request ids. Spec: request-id.md (REQID). */
import type { HttpResponse } from "../kit/response.ts";
import { proves } from "../kit/case.ts";
import { everyResponse } from "../kit/every-response.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const idOf = (response: HttpResponse): string => response.header("x-request-id") ?? "";

/** The cases of this chapter. */
export const requestId = [
  proves("REQID-001", "keeps an id that is one", async (probe) => {
    const ids = ["a", "A-Z_a-z.0-9", probe.token(), "x".repeat(128)];
    const seen: string[] = [];
    for (const id of ids) seen.push(idOf(await probe.send("GET", "/users/1", { headers: { "x-request-id": id } })));
    probe.equal("the ids", seen, ids);
  }),

  proves("REQID-002", "gives a random UUID in place of none, several, or another value", async (probe) => {
    const values = [[], ["one", "two"], ["a b"], ["x".repeat(129)], ["ü"], ["<script>"], ["a,b"], ["a:b"]];
    const seen: unknown[] = [];
    for (const lines of values) {
      const options = lines.length === 0 ? {} : { headers: { "x-request-id": lines } };
      seen.push([lines, uuid.test(idOf(await probe.send("GET", "/users/1", options)))]);
    }
    probe.equal(
      "whether the id is a UUID",
      seen,
      values.map((lines) => [lines, true]),
    );
  }),

  proves("REQID-003", "puts the id on the response, of errors too", async (probe) => {
    const id = probe.token();
    const others = [...(await everyResponse(probe, { "x-request-id": id }))].filter(([, one]) => idOf(one) !== id);
    probe.equal(
      "the responses with another id, or none",
      others.map(([name, one]) => [name, idOf(one)]),
      [],
    );
  }),

  proves("REQID-007", "gives every request a different id", async (probe) => {
    const ids = new Set<string>();
    for (let count = 0; count < 10; count += 1) ids.add(idOf(await probe.send("GET", "/users/1")));
    probe.equal("how many ids ten requests got", ids.size, 10);
  }),
];
