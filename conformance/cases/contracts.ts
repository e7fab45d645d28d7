/** Requests held against the contracts of their routes. Spec: contracts.md (CONTRACT). */
import { ProblemIssue } from "../../spec/errors.ts";
import { SubjectForm, SubjectLine } from "../../spec/subject.ts";
import { Type } from "typebox";
import { proves } from "../kit/case.ts";
import type { Probe, SendOptions } from "../kit/probe.ts";

const line = { sku: "lamp", quantity: 2 };
const sound: SendOptions = { headers: { "x-tenant": "acme", cookie: "a=1; session=s-1" }, json: line };
const Rejected = Type.Object({ status: Type.Literal(422), errors: Type.Array(ProblemIssue) });

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
  }),

  proves("CONTRACT-004", "names every issue of every part in one 422", async (probe) => {
    const json = { sku: 1, quantity: 0 };
    const response = await probe.send("POST", "/lines/x?notify=perhaps", { headers: { "x-tenant": "a" }, json });
    probe.equal("status", response.status, 422);
    const { errors } = probe.json(Rejected, response);
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

  proves("CONTRACT-005", "responds to what is malformed before any schema is asked", async (probe) => {
    const target = "/lines/x?notify=perhaps";
    const json = "application/json";
    probe.equal(
      "statuses of a body that is malformed, missing, of another type, and sound",
      [
        await status(probe, target, json, "{"),
        await status(probe, target, json, ""),
        await status(probe, target, "text/plain", "{}"),
        await status(probe, target, json, JSON.stringify(line)),
      ],
      [400, 400, 415, 422],
    );
    probe.equal("status of another method", (await probe.send("PUT", target, sound)).status, 405);
  }),

  proves("CONTRACT-006", "hands a schema all values of a name", async (probe) => {
    const several = await probe.send("POST", "/lines/7?tag=a&tag=b", sound);
    const twice = await probe.send("POST", "/lines/7?notify=true&notify=false", sound);
    probe.equal(
      "tags, and the status where one value is wanted",
      [probe.json(SubjectLine, several).tags, twice.status],
      [["a", "b"], 422],
    );
  }),

  proves("CONTRACT-007", "reads the fields of a form", async (probe) => {
    const type = "application/x-www-form-urlencoded";
    const response = await probe.send("POST", "/forms", {
      headers: { "content-type": type },
      body: "name=a+b%26&tag=1",
    });
    probe.equal("fields", probe.json(SubjectForm, response), { name: "a b&", tags: ["1"] });
    probe.equal(
      "statuses of JSON, a malformed escape and a missing field",
      [
        await status(probe, "/forms", "application/json", "{}"),
        await status(probe, "/forms", type, "name=%zz"),
        await status(probe, "/forms", type, "name=a"),
      ],
      [415, 400, 422],
    );
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
    probe.equal(
      "status and type",
      [response.status, response.header("content-type")?.split(";")[0]],
      [201, "application/json"],
    );
  }),
];
