/** The method QUERY (RFC 10008). Spec: query.md (QUERY). */
import { Type } from "typebox";
import { SubjectLookup, SubjectSearch } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";
import type { HttpResponse } from "../kit/response.ts";
import type { Probe, SendOptions } from "../kit/probe.ts";

const typed = (type: string, body: string): SendOptions => ({ headers: { "content-type": type }, body });

async function search(probe: Probe, target: string, json: unknown) {
  const response = await probe.send("QUERY", target, { json });
  return { status: response.status, ...probe.json(SubjectSearch, response) };
}

/** The members of Accept-Query, which may be tokens or strings (RFC 10008); undefined without one. */
function typesOf(response: HttpResponse): string | undefined {
  const members = response.list("accept-query").map((member) => member.replace(/^"(.*)"$/, "$1"));
  return members.length === 0 ? undefined : members.join(", ");
}

const Handled = Type.Object({ method: Type.String() });

/** The status of a QUERY with each of these content types, none being the empty one. */
async function statuses(probe: Probe, target: string, types: readonly string[]): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const type of types) {
    const { status } = await probe.send("QUERY", target, type === "" ? { body: "{}" } : typed(type, "{}"));
    found.push([type, status]);
  }
  return found;
}

/** The cases of this chapter. */
export const query = [
  proves("QUERY-001", "passes QUERY with its body to the handler", async (probe) => {
    const wanted = { item: probe.token(), tags: ["a", "ü"] };
    probe.equal("what the handler saw", await search(probe, "/search?a=1&a=2&b=", wanted), {
      status: 200,
      method: "QUERY",
      contentType: "application/json",
      body: wanted,
      query: { a: ["1", "2"], b: [""] },
    });
  }),

  proves("QUERY-001", "passes the type of the body as it was sent", async (probe) => {
    const types = ["application/json", "application/json; charset=utf-8"];
    const seen: unknown[] = [];
    for (const type of types) {
      const response = await probe.send("QUERY", "/search", typed(type, "{}"));
      seen.push(probe.json(SubjectSearch, response).contentType);
    }
    probe.equal("the types", seen, types);
  }),

  proves("QUERY-002", "registers the same inside a group's prefix", async (probe) => {
    const wanted = { item: probe.token() };
    probe.equal("what the handler saw", await search(probe, "/api/search?page=2", wanted), {
      status: 200,
      method: "QUERY",
      contentType: "application/json",
      body: wanted,
      query: { page: ["2"] },
    });
  }),

  proves("QUERY-003", "gives a handler the body as JSON and as text", async (probe) => {
    const text = `select "${probe.token()}" — ü`;
    const asText = probe.json(SubjectLookup, await probe.send("QUERY", "/lookup", typed("text/plain", text)));
    const asJson = await search(probe, "/search", [1, { two: null }]);
    probe.equal("text and body", [asText.text, asJson.body], [text, [1, { two: null }]]);
  }),

  proves(
    "QUERY-004",
    "responds with 400 without a well-formed Content-Type, whatever the handler reads",
    async (probe) => {
      const types = ["", "nonsense", "text/", "/json", "text/plain; charset", "text plain"];
      probe.equal(
        "the statuses",
        [...(await statuses(probe, "/lookup", types)), ...(await statuses(probe, "/search", types))],
        [...types, ...types].map((type) => [type, 400]),
      );
    },
  ),

  proves("QUERY-005", "rejects a type outside accept with 415", async (probe) => {
    const types = ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"];
    const found = [
      ...(await statuses(probe, "/search", [...types, "application/json; charset=utf-8"])),
      ...(await statuses(probe, "/api/search", types)),
    ];
    const rejected = types.map((type) => [type, 415]);
    probe.equal("the statuses", found, [...rejected, ["application/json; charset=utf-8", 200], ...rejected]);
  }),

  proves("QUERY-006", "carries Accept-Query on every response of the path", async (probe) => {
    const responses = [
      await probe.send("QUERY", "/search", { json: {} }),
      await probe.send("GET", "/search"),
      await probe.send("HEAD", "/search"),
      await probe.send("OPTIONS", "/search"),
      await probe.send("PUT", "/search"),
      await probe.send("QUERY", "/search", typed("text/plain", "x")),
      await probe.send("QUERY", "/search", { body: "x" }),
      await probe.send("QUERY", "/search", typed("application/json", "{")),
    ];
    const seen = responses.map((response) => [response.status, typesOf(response)]);
    const statusesOfAll = [200, 200, 200, 204, 405, 415, 400, 400];
    probe.equal(
      "status and Accept-Query",
      seen,
      statusesOfAll.map((status) => [status, "application/json"]),
    );
  }),

  proves(
    "QUERY-006",
    "carries the same where a body does not fit a contract",
    async (probe) => {
      const fits = await probe.send("QUERY", "/lines", { json: { sku: "lamp" } });
      const rejected = await probe.send("QUERY", "/lines", { json: { sku: 1 } });
      const seen = [fits.status, rejected.status, typesOf(rejected)];
      probe.equal("the statuses, and Accept-Query", seen, [200, 422, typesOf(fits)]);
    },
    { features: ["contracts"] },
  ),

  proves("QUERY-007", "passes any type where none is declared", async (probe) => {
    const types = ["text/plain", "application/x-unheard-of", "image/png"];
    const seen: unknown[] = [];
    for (const type of types) {
      const response = await probe.send("QUERY", "/lookup", typed(type, "any"));
      seen.push(probe.json(SubjectLookup, response).contentType);
    }
    probe.equal("the types that the handler saw", seen, types);
  }),

  proves("QUERY-011", "says no Accept-Query where no type is declared", async (probe) => {
    const response = await probe.send("QUERY", "/lookup", typed("text/html", "any"));
    const { text } = probe.json(SubjectLookup, response);
    const others = [await probe.send("OPTIONS", "/lookup"), await probe.send("PUT", "/lookup")];
    const seen = [response, ...others].map(typesOf);
    probe.equal("the text, then Accept-Query", [text, ...seen], ["any", undefined, undefined, undefined]);
  }),

  proves("QUERY-008", "leads GET and QUERY on one path each to its own handler", async (probe) => {
    const query = probe.json(Handled, await probe.send("QUERY", "/search", { json: {} }));
    const get = probe.json(Handled, await probe.send("GET", "/search"));
    probe.equal("the methods that the handlers saw", [query.method, get.method], ["QUERY", "GET"]);
  }),

  proves("QUERY-010", "rejects a QUERY without a type with a 4xx", async (probe) => {
    const { status } = await probe.send("QUERY", "/search", { body: '{"typed":false}' });
    const witness = await probe.send("QUERY", "/search", typed("application/json", '{"typed":true}'));
    const seen = [status >= 400 && status < 500, witness.status];
    probe.equal("whether it is rejected, and the status with a type", seen, [true, 200]);
  }),

  proves("QUERY-009", "rejects a QUERY where the path has none with 405", async (probe) => {
    const { status } = await probe.send("QUERY", "/users/1", { json: {} });
    const elsewhere = await probe.send("QUERY", `/${probe.token()}`, { json: {} });
    probe.equal("the statuses of a known and an unknown path", [status, elsewhere.status], [405, 404]);
  }),
];
