/** CORS as data: preflights, origins, Vary. Spec: cors.md (CORS). */
import { everyResponse } from "./every-response.ts";
import { shows, step, type Expectation, type HeaderExpectation, type Step } from "./vector.ts";

const allowed = "https://app.example";
const rejected = "https://evil.example";
const partner = "https://partner.example";
const methods = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];

const silent: Readonly<Record<string, HeaderExpectation>> = {
  "access-control-allow-origin": null,
  "access-control-allow-methods": null,
  "access-control-allow-headers": null,
  "access-control-allow-credentials": null,
  "access-control-expose-headers": null,
  "access-control-max-age": null,
};

const granted = (origin: string): Record<string, HeaderExpectation> => ({
  "access-control-allow-origin": { is: origin },
});
const ungranted: Record<string, HeaderExpectation> = { "access-control-allow-origin": null };

/** A preflight for `method`. */
const preflight = (target: string, origin: string, expect: Expectation, method = "POST"): Step =>
  step("OPTIONS", target, expect, { headers: { origin, "access-control-request-method": method } });

const from = (origin: string, method: string, target: string, expect: Expectation): Step =>
  step(method, target, expect, { headers: { origin } });

/** The vectors of this chapter. */
export const cors = [
  shows("CORS-001", "a preflight from an allowed origin gets 204, on any path", [
    ...["/users/1", "/echo", "/{{token}}"].map((target) => preflight(target, allowed, { status: 204 })),
    step("GET", "/slow/0", { status: 200 }),
  ]),
  shows(
    "CORS-025",
    "a preflight from an allowed origin is told the lists",
    ["/users/1", "/echo", "/{{token}}"].map((target) =>
      preflight(target, allowed, {
        headers: {
          "access-control-allow-methods": { members: methods },
          "access-control-allow-headers": { namesAre: ["Content-Type", "Authorization"] },
          "access-control-max-age": { is: "3600" },
        },
      }),
    ),
  ),
  shows("CORS-002", "a preflight from another origin is rejected with 403, empty, without a CORS header", [
    preflight("/users/1", allowed, { status: 204 }),
    preflight("/users/1", rejected, { status: 403, headers: { ...silent }, body: { is: "" } }),
  ]),
  shows("CORS-003", "another request from another origin is served without a CORS header", [
    from(allowed, "GET", "/users/1", { headers: { "access-control-allow-origin": { present: true } } }),
    from(rejected, "GET", "/users/1", { status: 200, headers: { ...silent }, body: { json: { id: "1" } } }),
  ]),
  shows("CORS-004", "every response to the allowed origin names it", [
    from(allowed, "GET", "/users/1", { headers: granted(allowed) }),
    from(allowed, "POST", "/echo", { headers: granted(allowed) }),
    preflight("/users/1", allowed, { headers: granted(allowed) }),
  ]),
  shows("CORS-005", "an OPTIONS that is no preflight is passed on to the app", [
    from(allowed, "OPTIONS", "/users/1", { headers: { allow: { members: ["GET", "HEAD", "OPTIONS"] } } }),
    step(
      "OPTIONS",
      "/users/1",
      { headers: { allow: { members: ["GET", "HEAD", "OPTIONS"] } } },
      { headers: { "access-control-request-method": "POST" } },
    ),
  ]),
  shows("CORS-006", "Vary names Origin whatever the origin", [
    step("GET", "/users/1", { headers: { vary: { names: "Origin" } } }),
    from(rejected, "GET", "/users/1", { headers: { vary: { names: "Origin" } } }),
    from(allowed, "GET", "/users/1", { headers: { vary: { names: "Origin" } } }),
    preflight("/users/1", rejected, { headers: { vary: { names: "Origin" } } }),
    ...everyResponse({ headers: { vary: { names: "Origin" } } }),
  ]),
  shows(
    "CORS-006",
    "Vary names Origin beside what a handler sets",
    ["text", "stream", "response", "events"].flatMap((kind) =>
      [allowed, rejected].map((origin) =>
        from(origin, "GET", `/vary/${kind}`, {
          headers: { vary: [{ names: "Accept" }, { names: "Origin" }] },
          body: { has: kind },
        }),
      ),
    ),
  ),
  shows(
    "CORS-007",
    "error responses name the origin too",
    (
      [
        ["/{{token}}", 404],
        ["/echo", 405],
        ["/boom", 500],
        ["/fail/503", 503],
        ["/slow/never", 400],
      ] as const
    ).map(([target, status]) => from(allowed, "GET", target, { status, headers: granted(allowed) })),
  ),
  shows(
    "CORS-008",
    "QUERY is not allowed by default",
    ["POST", "QUERY"].map((asked) =>
      preflight(
        "/search",
        allowed,
        { headers: { "access-control-allow-methods": [{ names: "POST" }, { lacks: "QUERY" }] } },
        asked,
      ),
    ),
  ),
  shows("CORS-024", "six methods are allowed by default", [
    preflight("/search", allowed, { headers: { "access-control-allow-methods": { members: methods } } }, "PATCH"),
  ]),
  shows(
    "CORS-009",
    "exactly GET and QUERY are allowed when set to",
    [
      preflight(
        "/search",
        allowed,
        { status: 204, headers: { "access-control-allow-methods": { members: ["GET", "QUERY"] } } },
        "QUERY",
      ),
    ],
    { profile: "cors-query" },
  ),
  shows("CORS-010", "origins are compared as a whole, case-sensitively", [
    ...[
      "https://APP.example",
      "http://app.example",
      "https://app.example:8443",
      "https://app.example.evil.test",
      "https://x.app.example",
      "https://app.exampl",
      "app.example",
    ].map((origin) => from(origin, "GET", "/users/1", { headers: ungranted })),
    from(allowed, "GET", "/users/1", { headers: granted(allowed) }),
  ]),
  shows("CORS-013", "the origin null is not allowed", [
    from("null", "GET", "/users/1", { status: 200, headers: ungranted }),
    preflight("/users/1", "null", { status: 403, headers: ungranted }),
  ]),
  shows("CORS-019", "CORS in a group handles the preflights, 404s and 405s of its routes", [
    ...["GET", "DELETE"].map((method) =>
      preflight("/partner/1", partner, { status: 204, headers: granted(partner) }, method),
    ),
    preflight("/partner/1/{{token}}", partner, {
      status: 204,
      headers: { ...granted(partner), "access-control-allow-methods": { members: methods } },
    }),
    from(partner, "GET", "/partner/1", { status: 200, headers: granted(partner) }),
    from(partner, "DELETE", "/partner/1", { status: 405, headers: granted(partner) }),
    from(partner, "GET", "/partner/1/{{token}}", { status: 404, headers: granted(partner) }),
  ]),
  shows(
    "CORS-019",
    "CORS in a group handles nothing of other routes",
    Object.entries({ "/users/1": 200, "/partners/{{token}}": 404, "/echo": 405 }).flatMap(([target, status]) => [
      preflight(target, partner, { status: 403, headers: ungranted }),
      from(partner, "GET", target, { status, headers: ungranted }),
    ]),
  ),
  shows("CORS-020", "the inner of two decides", [
    preflight("/partner/1", partner, { status: 204, headers: granted(partner) }),
    from(partner, "GET", "/partner/1", { status: 200, headers: granted(partner) }),
    preflight("/partner/1", allowed, { status: 403, headers: ungranted }),
    from(allowed, "GET", "/partner/1", { status: 200, headers: ungranted }),
  ]),
  shows(
    "CORS-027",
    "nothing is said twice behind two",
    [partner, allowed].flatMap((origin) => {
      const isPartner = origin === partner;
      const headers = {
        vary: { once: "Origin" },
        "access-control-allow-origin": isPartner ? { is: origin } : null,
      } as const;
      const lists = {
        "access-control-allow-methods": isPartner ? { members: methods } : null,
        "access-control-allow-headers": isPartner ? { namesAre: ["Content-Type", "Authorization"] } : null,
      };
      return [
        preflight("/partner/1", origin, { headers: { ...headers, ...lists } }, "GET"),
        from(origin, "GET", "/partner/1", { headers }),
      ];
    }),
  ),
];
