/** CORS: what a browser learns about other origins. Spec: cors.md (CORS). */
import type { HttpResponse } from "../kit/response.ts";
import { proves } from "../kit/case.ts";
import { everyResponse } from "../kit/every-response.ts";
import type { Probe } from "../kit/probe.ts";

const allowed = "https://app.example";
const rejected = "https://evil.example";
const partner = "https://partner.example";

const from = (origin: string): { readonly headers: { readonly origin: string } } => ({ headers: { origin } });

async function preflight(probe: Probe, target: string, origin: string, method = "POST"): Promise<HttpResponse> {
  return probe.send("OPTIONS", target, { headers: { origin, "access-control-request-method": method } });
}

const methodsOf = (response: HttpResponse): readonly string[] =>
  response.list("access-control-allow-methods").toSorted();

const corsHeaders = ({ headers }: HttpResponse): readonly string[] =>
  headers.map(([name]) => name.toLowerCase()).filter((name) => name.startsWith("access-control-"));

const originOf = (response: HttpResponse): string | undefined => response.header("access-control-allow-origin");

/** The cases of this chapter. */
export const cors = [
  proves("CORS-001", "responds to a preflight from an allowed origin with 204, on any path", async (probe) => {
    const seen = [];
    for (const target of ["/users/1", "/echo", `/${probe.token()}`])
      seen.push((await preflight(probe, target, allowed)).status);
    const witness = await probe.send("GET", "/slow/0");
    probe.equal("the statuses, and that of another request", [...seen, witness.status], [204, 204, 204, 200]);
  }),

  proves("CORS-025", "says to a preflight from an allowed origin what is allowed", async (probe) => {
    const seen = [];
    for (const target of ["/users/1", "/echo", `/${probe.token()}`]) {
      const response = await preflight(probe, target, allowed);
      const headers = response.list("access-control-allow-headers").map((name) => name.toLowerCase());
      const maxAge = response.header("access-control-max-age");
      seen.push({ methods: methodsOf(response), headers: headers.toSorted(), maxAge });
    }
    const methods = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];
    const expected = { methods, headers: ["authorization", "content-type"], maxAge: "3600" };
    probe.equal("the lists", seen, [expected, expected, expected]);
  }),

  proves(
    "CORS-002",
    "rejects a preflight from another origin with 403, empty, without a CORS header",
    async (probe) => {
      const response = await preflight(probe, "/users/1", rejected);
      const { status } = await preflight(probe, "/users/1", allowed);
      const seen = [status, response.status, response.text, ...corsHeaders(response)];
      probe.equal("the allowed status, then status, body and CORS headers of the rejected", seen, [204, 403, ""]);
    },
  ),

  proves("CORS-003", "serves other requests from another origin without a CORS header", async (probe) => {
    const response = await probe.send("GET", "/users/1", from(rejected));
    const witness = await probe.send("GET", "/users/1", from(allowed));
    const seen = [corsHeaders(witness).length > 0, response.status, response.plain, ...corsHeaders(response)];
    probe.equal("whether others get headers, then status, body and CORS headers", seen, [true, 200, '{"id":"1"}']);
  }),

  proves("CORS-004", "names the allowed origin", async (probe) => {
    const responses = [
      await probe.send("GET", "/users/1", from(allowed)),
      await probe.send("POST", "/echo", { ...from(allowed), body: "x" }),
      await preflight(probe, "/users/1", allowed),
    ];
    probe.equal("Access-Control-Allow-Origin", responses.map(originOf), [allowed, allowed, allowed]);
  }),

  proves("CORS-005", "passes an OPTIONS that is no preflight on to the app", async (probe) => {
    const response = await probe.send("OPTIONS", "/users/1", from(allowed));
    const bare = await probe.send("OPTIONS", "/users/1", { headers: { "access-control-request-method": "POST" } });
    const seen = [response, bare].map((found) => found.list("allow").toSorted().join(" "));
    probe.equal("Allow", seen, ["GET HEAD OPTIONS", "GET HEAD OPTIONS"]);
  }),

  proves("CORS-006", "says Vary: Origin whatever the origin", async (probe) => {
    const responses = new Map([
      ...(await everyResponse(probe)),
      ["another origin", await probe.send("GET", "/users/1", from(rejected))],
      ["the allowed origin", await probe.send("GET", "/users/1", from(allowed))],
      ["a rejected preflight", await preflight(probe, "/users/1", rejected)],
      ["a preflight", await preflight(probe, "/users/1", allowed)],
    ]);
    const without = [...responses].filter(
      ([, one]) => !one.list("vary").some((name) => name.toLowerCase() === "origin"),
    );
    probe.equal(
      "the responses whose Vary does not name Origin",
      without.map(([name]) => name),
      [],
    );
  }),

  proves("CORS-006", "says Vary: Origin beside the Vary of a handler, whatever it responds with", async (probe) => {
    const seen: Record<string, readonly string[]> = {};
    const kinds = ["text", "stream", "response", "events"];
    for (const kind of kinds)
      for (const origin of [allowed, rejected]) {
        const response = await probe.send("GET", `/vary/${kind}`, from(origin));
        const named = response.set("vary").filter((name) => name === "accept" || name === "origin");
        seen[`${kind} ${origin}`] = [String(response.text.includes(kind)), ...named];
      }
    const expected = kinds.flatMap((kind) =>
      [allowed, rejected].map((origin) => [`${kind} ${origin}`, ["true", "accept", "origin"]]),
    );
    probe.equal("whether the body is there, and which of both Vary names", seen, Object.fromEntries(expected));
  }),

  proves("CORS-007", "puts the headers on error responses too", async (probe) => {
    const seen: unknown[] = [];
    for (const target of [`/${probe.token()}`, "/echo", "/boom", "/fail/503", "/slow/never"]) {
      const response = await probe.send("GET", target, from(allowed));
      seen.push([response.status, originOf(response)]);
    }
    const expected = [404, 405, 500, 503, 400].map((status) => [status, allowed]);
    probe.equal("status and Access-Control-Allow-Origin", seen, expected);
  }),

  proves("CORS-008", "does not allow QUERY by default", async (probe) => {
    const methods = methodsOf(await preflight(probe, "/search", allowed, "QUERY"));
    const witness = methodsOf(await preflight(probe, "/search", allowed, "POST"));
    const seen = [witness.includes("POST"), methods.includes("QUERY"), witness.includes("QUERY")];
    probe.equal("whether POST is allowed, and QUERY", seen, [true, false, false]);
  }),

  proves("CORS-024", "allows six methods by default", async (probe) => {
    const response = await preflight(probe, "/search", allowed, "PATCH");
    probe.equal("the methods", methodsOf(response), ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"]);
  }),

  proves(
    "CORS-009",
    "allows exactly GET and QUERY when set to",
    async (probe) => {
      const response = await preflight(probe, "/search", allowed, "QUERY");
      probe.equal("status and methods", [response.status, ...methodsOf(response)], [204, "GET", "QUERY"]);
    },
    { profile: "cors-query" },
  ),

  proves("CORS-010", "compares origins as a whole, case-sensitively", async (probe) => {
    const origins = [
      "https://APP.example",
      "http://app.example",
      "https://app.example:8443",
      "https://app.example.evil.test",
      "https://x.app.example",
      "https://app.exampl",
      "app.example",
    ];
    const seen: unknown[] = [];
    for (const origin of [...origins, allowed]) {
      seen.push([origin, originOf(await probe.send("GET", "/users/1", from(origin)))]);
    }
    probe.equal("who is allowed", seen, [...origins.map((origin) => [origin, undefined]), [allowed, allowed]]);
  }),

  proves("CORS-013", "does not allow the origin null", async (probe) => {
    const seen = [await probe.send("GET", "/users/1", from("null")), await preflight(probe, "/users/1", "null")];
    probe.equal(
      "status and origin",
      seen.map((response) => [response.status, originOf(response)]),
      [
        [200, undefined],
        [403, undefined],
      ],
    );
  }),

  proves("CORS-019", "handles in a group the preflights, 404s and 405s of its routes", async (probe) => {
    const lists = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];
    const preflights = [
      await preflight(probe, "/partner/1", partner, "GET"),
      await preflight(probe, "/partner/1", partner, "DELETE"),
      await preflight(probe, `/partner/1/${probe.token()}`, partner, "GET"),
    ];
    probe.equal(
      "status, origin and methods of the preflights",
      preflights.map((response) => [response.status, originOf(response), ...methodsOf(response)]),
      preflights.map(() => [204, partner, ...lists]),
    );
    const others = [
      await probe.send("GET", "/partner/1", from(partner)),
      await probe.send("DELETE", "/partner/1", from(partner)),
      await probe.send("GET", `/partner/1/${probe.token()}`, from(partner)),
    ];
    probe.equal(
      "status and origin of the others",
      others.map((response) => [response.status, originOf(response)]),
      [200, 405, 404].map((status) => [status, partner]),
    );
  }),

  proves("CORS-019", "handles in a group nothing of other routes", async (probe) => {
    const targets = ["/users/1", `/partners/${probe.token()}`, "/echo"];
    const seen = [];
    for (const target of targets) {
      const asked = await preflight(probe, target, partner, "GET");
      const response = await probe.send("GET", target, from(partner));
      seen.push([asked.status, originOf(asked), response.status, originOf(response)]);
    }
    const expected = [200, 404, 405].map((status) => [403, undefined, status, undefined]);
    probe.equal("status and origin of preflight and request", seen, expected);
  }),

  proves("CORS-020", "lets the inner of two decide", async (probe) => {
    const target = "/partner/1";
    const seen = [];
    for (const origin of [partner, allowed]) {
      const asked = await preflight(probe, target, origin, "GET");
      const response = await probe.send("GET", target, from(origin));
      for (const one of [asked, response]) seen.push([one.status, ...new Set(one.list("access-control-allow-origin"))]);
    }
    const expected = [[204, partner], [200, partner], [403], [200]];
    probe.equal("status and origin of preflight and request", seen, expected);
  }),

  proves("CORS-027", "says nothing twice behind two", async (probe) => {
    const target = "/partner/1";
    const seen = [];
    for (const origin of [partner, allowed])
      for (const one of [await preflight(probe, target, origin, "GET"), await probe.send("GET", target, from(origin))])
        seen.push({
          origin: one.list("vary").filter((name) => name.toLowerCase() === "origin").length,
          twice: [...new Set(corsHeaders(one))].filter(
            (name) => one.list(name).length !== new Set(one.list(name)).size,
          ),
        });
    const once = { origin: 1, twice: [] };
    probe.equal("how often Vary names Origin, and what is said twice", seen, [once, once, once, once]);
  }),
];
