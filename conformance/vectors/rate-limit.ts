/** Rate limits as data. Spec: rate-limit.md (RATE). */
import { traced } from "./traces.ts";
import { shows, step, type Expectation, type Step } from "./vector.ts";

/** As one client, one after the other. */
const asked = (...expected: readonly (Expectation | undefined)[]): readonly Step[] =>
  expected.map((expect) => step("GET", "/limited/{{token}}", expect));

const json: Expectation = { status: 200, headers: { "content-type": { mediaType: "application/json" } } };
const problem: Expectation = { status: 429, headers: { "content-type": { mediaType: "application/problem+json" } } };

/** An item of that name, and its parameters in whatever order. */
const item = (name: string, parameters: Readonly<Record<string, string>>): { readonly matches: string } => ({
  matches: `^\\s*"${name}"${Object.entries(parameters)
    .map(([letter, number]) => `(?=[^,]*;\\s*${letter}=${number}\\s*(?:;|$))`)
    .join("")}[^,]*$`,
});

const policy: Expectation = { headers: { "ratelimit-policy": item("subject", { q: "3", w: "60" }) } };
/** So many are left, and all are back in so many seconds. */
const left = (r: number, t: string): Expectation => ({ headers: { ratelimit: item("subject", { r: String(r), t }) } });
const bucket = "/annotations/[name=rateLimit]/value";

/** The vectors of this chapter. */
export const rateLimit = [
  shows("RATE-001", "once the bucket is empty the response is a problem of 429", asked(json, json, json, problem)),
  shows(
    "RATE-002",
    "the response says after how many seconds to try again",
    asked(undefined, undefined, undefined, {
      status: 429,
      headers: { "retry-after": { matches: "^(?:[1-9]|1\\d|20)$" } },
    }),
  ),
  shows("RATE-003", "each response names the policy", asked(policy, policy, policy, policy)),
  shows(
    "RATE-004",
    "each response says how many tokens are left, and when all are back",
    asked(
      left(2, "(?:[1-9]|1\\d|20)"),
      left(1, "(?:1[1-9]|[23]\\d|40)"),
      left(0, "(?:2[1-9]|[345]\\d|60)"),
      left(0, "(?:3[1-9]|[45]\\d|60)"),
    ),
  ),
  shows("RATE-005", "each client is counted alone", [
    ...asked(undefined, undefined, undefined, { status: 429 }),
    step("GET", "/limited/{{token}}-other", { status: 200 }),
  ]),
  shows(
    "RATE-020",
    "a trace has the bucket, whether it allowed the request, and what is left",
    [2, 1, 0, 0].flatMap((remaining, at) =>
      traced(
        "GET",
        "/limited/{{token}}?about=annotated-limit",
        {
          [`${bucket}/policy`]: { is: "subject" },
          [`${bucket}/key`]: { is: "{{token}}" },
          [`${bucket}/allowed`]: { is: at < 3 },
          [`${bucket}/remaining`]: { is: remaining },
          [`${bucket}/resetMs`]: { from: 1, to: 60_000 },
        },
        { mark: String(at) },
      ),
    ),
  ),
];
