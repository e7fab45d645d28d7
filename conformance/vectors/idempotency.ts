/** Requests that are sent again, as data. Spec: idempotency.md (IDEM). */
import { traced } from "./traces.ts";
import { shows, step, type Expectation, type Step, type StepOptions } from "./vector.ts";

/** It is there once, beside those of others, with any attributes. */
const oneCookie =
  "^(?!.*once=.*once=)(?:.*, *)?once=[^;,]*(?:; *[A-Za-z-]+(?:=(?:/|[Ll]ax|[Ss]trict|[Nn]one))?)*(?:,|$)";
const key = '"{{token}}"';
const json = "application/json";

const sent = (
  expect: Expectation | undefined,
  headers: Readonly<Record<string, string | readonly string[]>> = { "idempotency-key": key },
  { body = "{}", query = "", ...options }: StepOptions & { readonly body?: string; readonly query?: string } = {},
): Step => step("POST", `/once/a${query}`, expect, { headers: { "content-type": json, ...headers }, body }, options);

const first = { status: 201 } as const;
const problem = (status: number): Expectation => ({
  status,
  headers: { "content-type": { mediaType: "application/problem+json" } },
});

/** The vectors of this chapter. */
export const idempotency = [
  shows("IDEM-001", "a request that is sent again has the response of the first", [
    sent(first, undefined, { save: { id: { at: "/id" } } }),
    sent({ status: 201, body: { at: { "/id": { is: "{{id}}" } } } }),
    sent({ status: 201, body: { at: { "/id": { not: "{{id}}" } } } }, { "idempotency-key": '"{{token}}-other"' }),
  ]),
  shows("IDEM-002", "the repeated response has the first one's fields, and no cookie", [
    sent({ status: 201, headers: { "set-cookie": { matches: oneCookie }, "idempotency-replayed": null } }, undefined, {
      save: { location: { header: "location" } },
    }),
    sent({
      headers: {
        location: { is: "{{location}}" },
        "content-type": { mediaType: json },
        "idempotency-replayed": { is: "true" },
        "set-cookie": { without: "once=" },
      },
    }),
  ]),
  shows("IDEM-004", "another body, type or query of the same key is 422", [
    sent(first),
    sent(problem(422), undefined, { body: '{"a":1}' }),
    sent(problem(422), { "idempotency-key": key, "content-type": "text/plain" }),
    sent(problem(422), undefined, { query: "?a=1" }),
  ]),
  shows("IDEM-005", "without a key the response is a problem of 400", [sent(problem(400), {})]),
  shows(
    "IDEM-006",
    "a key that is no text in quotes, empty, too long, or several is 400",
    ["{{token}}", '""', '"{{x*256}}"', '"{{token}}', '"{{token}}", "b"', '"{{token}}";a=1 "b"'].map((one) =>
      sent(problem(400), { "idempotency-key": one }),
    ),
  ),
  shows("IDEM-007", "two callers with one key each have their own response", [
    sent(first, { "idempotency-key": key, authorization: "Bearer a" }, { save: { id: { at: "/id" } } }),
    sent(
      { status: 201, body: { at: { "/id": { not: "{{id}}" } } } },
      { "idempotency-key": key, authorization: "Bearer b" },
    ),
    sent({ status: 201, body: { at: { "/id": { not: "{{id}}" } } } }),
  ]),
  shows("IDEM-008", "a request that got 503 runs again", [
    sent(problem(503), undefined, { query: "?fail=yes", save: { id: { at: "/detail" } } }),
    sent({ status: 503, body: { at: { "/detail": { not: "{{id}}" } } } }, undefined, { query: "?fail=yes" }),
  ]),
  shows(
    "IDEM-020",
    "a trace has the key, and whether the request was the first or was replayed",
    ["first", "replayed"].flatMap((outcome) =>
      traced(
        "POST",
        "/once/a",
        {
          "/annotations/[name=idempotency]/value/outcome": { is: outcome },
          "/annotations/[name=idempotency]/value/key": { is: "{{token}}" },
        },
        { mark: outcome, content: { headers: { "idempotency-key": key, "content-type": json }, body: "{}" } },
      ),
    ),
  ),
];
