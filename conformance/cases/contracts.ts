/** Requests held against the contracts of their routes. Spec: contracts.md (CONTRACT). */
import { ProblemIssue } from "../../spec/errors.ts";
import { SubjectForm, SubjectLine } from "../../spec/subject.ts";
import { type Static, Type } from "typebox";
import { proves } from "../kit/case.ts";
import type { Probe, SendOptions } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";

const line = { sku: "lamp", quantity: 2 };
const sound: SendOptions = { headers: { "x-tenant": "acme", cookie: "a=1; session=s-1" }, json: line };
/** Of which form a pointer has to be is a clause of its own. */
const Issue = Type.Object({ ...ProblemIssue.properties, pointer: Type.Optional(Type.String()) });
const Rejected = Type.Object({
  status: Type.Literal(422),
  errors: Type.Array(Issue),
  moreErrors: Type.Optional(Type.Integer()),
});

const json = "application/json";
const urlencoded = "application/x-www-form-urlencoded";
/** What the schemas would reject, if they were asked. */
const loose = "/lines/x?notify=perhaps";
const nested = { "a/b": [{ "m~n": 1 }, { "m~n": "x" }] };

/** The issues of a 422. */
function issues(probe: Probe, response: HttpResponse): readonly Static<typeof Issue>[] {
  probe.equal("status", response.status, 422);
  return probe.json(Rejected, response).errors;
}

const place = ({ in: part, path }: Static<typeof Issue>): string => `${part} ${path.join(".")}`;

/** The status of a POST with that body and type. */
async function status(probe: Probe, target: string, type: string, body: string): Promise<number> {
  return (await probe.send("POST", target, { headers: { "content-type": type, "x-tenant": "acme" }, body })).status;
}

/** The cases of this chapter. */
export const contracts = [
  proves("CONTRACT-001", "gives the handler every part as its schema returns it", async (probe) => {
    const tag = probe.token();
    const response = await probe.send("POST", `/lines/7?notify=true&tag=${tag}`, sound);
    probe.equal("what the handler got", probe.json(SubjectLine, response), {
      order: 7,
      notify: true,
      tags: [tag],
      tenant: "acme",
      session: "s-1",
      line,
    });
    const other = await probe.send("POST", "/lines/8?tag=a", { ...sound, headers: { "x-tenant": "other" } });
    probe.equal("what it got of another", probe.json(SubjectLine, other), {
      order: 8,
      notify: false,
      tags: ["a"],
      tenant: "other",
      session: null,
      line,
    });
  }),

  proves("CONTRACT-004", "names the issues of every part in one 422", async (probe) => {
    const json = { sku: 1, quantity: 0 };
    const response = await probe.send("POST", "/lines/x?notify=perhaps", { headers: { "x-tenant": "a" }, json });
    probe.equal("status", response.status, 422);
    const { errors } = probe.json(Rejected, response);
    probe.equal(
      "issues that say nothing",
      errors.filter(({ message }) => message === ""),
      [],
    );
    const places = errors.map(({ in: part, path, pointer }) => [part, path.join("."), pointer]);
    probe.equal(
      "places of the issues",
      places.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
      [
        ["body", "quantity", "/quantity"],
        ["body", "sku", "/sku"],
        ["headers", "x-tenant", "/x-tenant"],
        ["params", "order", "/order"],
        ["query", "notify", "/notify"],
      ],
    );
  }),

  proves("CONTRACT-005", "responds 400 to a body that is missing or no JSON", async (probe) => {
    const statuses = [await status(probe, loose, json, "{"), await status(probe, loose, json, "")];
    probe.equal("statuses of half a body and of none", statuses, [400, 400]);
  }),

  proves("CONTRACT-022", "responds 405 to another method", async (probe) => {
    const responses = [await probe.send("PUT", loose, sound), await probe.send("PUT", "/lines/7", sound)];
    probe.equal(
      "statuses",
      responses.map((one) => one.status),
      [405, 405],
    );
  }),

  proves("CONTRACT-023", "responds 404 to a path without a route", async (probe) => {
    const statusAt = async (target: string) => (await probe.send("POST", target, sound)).status;
    const seen = [await statusAt("/lines/x/more?notify=perhaps"), (await statusAt("/lines/7")) < 300];
    probe.equal("status, and whether a route takes the same", seen, [404, true]);
  }),

  proves("CONTRACT-024", "responds 413 to a body over the limit", async (probe) => {
    probe.equal("status", await status(probe, loose, json, `"${"x".repeat(1_048_576)}"`), 413);
  }),

  proves("CONTRACT-025", "responds 415 to another media type", async (probe) => {
    probe.equal("status", await status(probe, loose, "text/plain", JSON.stringify(line)), 415);
  }),

  proves("CONTRACT-026", "responds 422 to a QUERY whose body is rejected", async (probe) => {
    probe.equal("status", (await probe.send("QUERY", "/lines", { json: { sku: 1 } })).status, 422);
  }),

  proves("CONTRACT-027", "escapes the names in a pointer", async (probe) => {
    const [issue] = issues(probe, await probe.send("POST", "/nested", { json: nested }));
    probe.equal("pointer", issue?.pointer, "/a~1b/1/m~0n");
  }),

  proves("CONTRACT-028", "leads to a value step by step", async (probe) => {
    const [issue] = issues(probe, await probe.send("POST", "/nested", { json: nested }));
    probe.equal("path", issue?.path, ["a/b", 1, "m~n"]);
  }),

  proves(
    "CONTRACT-039",
    "lists a hundred issues of a thousand, and says how many there are beside them",
    async (probe) => {
      for (const sent of [1_000, 150]) {
        const json = { "a/b": Array.from({ length: sent }, () => ({ "m~n": "x" })) };
        const response = await probe.send("POST", "/nested", { json });
        const { errors, moreErrors = 0 } = probe.json(Rejected, response);
        probe.equal("listed, at least one and at most 100", errors.length >= 1 && errors.length <= 100, true);
        probe.equal("counted, the others at most", moreErrors >= 1 && moreErrors <= sent - errors.length, true);
      }
    },
  ),

  proves("CONTRACT-006", "hands a schema all values of a name, in a query and in a form", async (probe) => {
    const query = await probe.send("POST", "/lines/7?tag=a&tag=b", sound);
    const form = await probe.send("POST", "/forms", {
      headers: { "content-type": urlencoded },
      body: "name=a&tag=1&tag=2",
    });
    probe.equal(
      "tags of both",
      [probe.json(SubjectLine, query).tags, probe.json(SubjectForm, form).tags],
      [
        ["a", "b"],
        ["1", "2"],
      ],
    );
  }),

  proves("CONTRACT-029", "hands a schema of a list one value as a list", async (probe) => {
    const response = await probe.send("POST", "/lines/7?tag=only", sound);
    probe.equal("tags", probe.json(SubjectLine, response).tags, ["only"]);
  }),

  proves("CONTRACT-037", "responds 422 to several values where one is taken", async (probe) => {
    const response = await probe.send("POST", "/lines/7?notify=true&notify=false", sound);
    probe.equal("status", response.status, 422);
  }),

  proves("CONTRACT-030", "names a header that is rejected", async (probe) => {
    const headers = { "X-Tenant": "a" };
    const found = issues(probe, await probe.send("POST", "/lines/7", { json: line, headers }));
    probe.equal("issues", found.map(place), ["headers x-tenant"]);
  }),

  proves("CONTRACT-031", "names a cookie that is rejected", async (probe) => {
    const headers = { "x-tenant": "acme", cookie: "session=s" };
    const found = issues(probe, await probe.send("POST", "/lines/7", { json: line, headers }));
    probe.equal("issues", found.map(place), ["cookies session"]);
  }),

  proves("CONTRACT-007", "reads the fields of a form", async (probe) => {
    const fieldsOf = async (body: string) => {
      const response = await probe.send("POST", "/forms", { headers: { "content-type": urlencoded }, body });
      probe.equal("status", response.status, 200);
      return probe.json(SubjectForm, response);
    };
    const seen = [await fieldsOf("name=a+b%26&tag=1&tag="), await fieldsOf("tag=%C3%A9&name=")];
    probe.equal("fields", seen, [
      { name: "a b&", tags: ["1", ""] },
      { name: "", tags: ["é"] },
    ]);
  }),

  proves("CONTRACT-032", "responds 400 to a malformed escape in a form", async (probe) => {
    probe.equal("status", await status(probe, "/forms", urlencoded, "name=%zz"), 400);
  }),

  proves("CONTRACT-033", "responds 415 to JSON where a form is declared", async (probe) => {
    probe.equal("status", await status(probe, "/forms", json, "{}"), 415);
  }),

  proves("CONTRACT-034", "names a field of a form that is rejected", async (probe) => {
    const response = await probe.send("POST", "/forms", { headers: { "content-type": urlencoded }, body: "name=a" });
    probe.equal("issues", issues(probe, response).map(place), ["body tag"]);
  }),

  proves("CONTRACT-008", "takes and advertises for QUERY what the contract's body is", async (probe) => {
    const response = await probe.send("QUERY", "/lines", { headers: { "content-type": "text/plain" }, body: "{}" });
    const advertised = response.header("accept-query")?.replaceAll(/["\s]/g, "");
    const taken = await probe.send("QUERY", "/lines", { json: { sku: "a" } });
    probe.equal(
      "status, Accept-Query, status of JSON",
      [response.status, advertised, taken.status],
      [415, "application/json", 200],
    );
  }),

  proves("CONTRACT-012", "replies with the status and the JSON of the handler", async (probe) => {
    const response = await probe.send("POST", "/lines/7", sound);
    probe.equal("status and type", [response.status, response.type], [201, "application/json"]);
  }),

  proves("CONTRACT-035", "replies without content where there is no value", async (probe) => {
    const rejected = await probe.send("POST", "/nested", { json: {} });
    probe.equal("status of a body that the contract rejects", rejected.status, 422);
    const response = await probe.send("POST", "/nested", { json: { "a/b": [{ "m~n": 1 }] } });
    probe.equal("status and bytes", [response.status, response.bytes.length], [204, 0]);
  }),

  proves("CONTRACT-019", "does not send a response that breaks its contract", async (probe) => {
    const held = await probe.send("GET", "/replies/sound");
    probe.equal(
      "status and body of one that keeps to it",
      [held.status, held.text.replaceAll(/\s/g, "")],
      [200, '{"id":"1"}'],
    );
    const broken = await probe.send("GET", "/replies/broken");
    probe.equal("status, and does it tell", [broken.status, broken.text.includes("s3cr3t")], [500, false]);
  }),

  proves("CONTRACT-036", "holds each route of a group against what the group shares", async (probe) => {
    const targets = ["/tenant/stock?shelf=a", "/tenant/name"];
    const ask = (tenant: string) =>
      Promise.all(targets.map((target) => probe.send("GET", target, { headers: { "x-tenant": tenant } })));
    probe.equal(
      "statuses of a tenant",
      (await ask("acme")).map((one) => one.status),
      [200, 200],
    );
    probe.equal(
      "statuses of none",
      (await ask("a")).map((one) => one.status),
      [422, 422],
    );
  }),
];
