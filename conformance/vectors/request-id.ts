/** Request ids as data. Spec: request-id.md (REQID). */
import { everyResponse } from "./every-response.ts";
import { shows, step, type Expectation, type Step, type StepOptions } from "./vector.ts";

const uuid = "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";
const is = (id: string): Expectation => ({ headers: { "x-request-id": { is: id } } });

/** A request with these ids. */
const ask = (ids: string | string[] | undefined, expect?: Expectation, options?: StepOptions): Step =>
  step("GET", "/users/1", expect, ids === undefined ? {} : { headers: { "x-request-id": ids } }, options);

const notIds = [undefined, ["one", "two"], "a b", "{{x*129}}", "ü", "<script>", "a,b", "a:b"];
const saving = (name: string): StepOptions => ({ save: { [name]: { header: "x-request-id" } } });
const others = (...names: readonly string[]): Expectation => ({
  headers: { "x-request-id": [{ present: true }, ...names.map((name) => ({ not: `{{${name}}}` }))] },
});

/** The vectors of this chapter. */
export const requestId = [
  shows(
    "REQID-001",
    "an id that is one is kept",
    ["a", "A-Z_a-z.0-9", "{{token}}", "{{x*128}}"].map((id) => ask(id, is(id))),
  ),
  shows(
    "REQID-002",
    "a random UUID takes the place of none, several, or another value",
    notIds.map((ids) => ask(ids, { headers: { "x-request-id": { matches: uuid } } })),
  ),
  shows(
    "REQID-003",
    "the id is on the response, of errors too",
    everyResponse(is("{{token}}"), { "x-request-id": "{{token}}" }),
  ),
  shows("REQID-007", "every request gets a different id", [
    ask(undefined, undefined, saving("first")),
    ask(undefined, others("first"), saving("second")),
    ask(undefined, others("first", "second"), saving("third")),
    ask(undefined, others("first", "second", "third")),
  ]),
];
