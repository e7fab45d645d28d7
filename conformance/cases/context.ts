/** What a handler knows of a request. Spec: context.md (CTX). */
import { isIP } from "node:net";
import { SubjectId } from "../../spec/subject.ts";
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";

/** A response's status, its type without parameters, and its text without blanks. */
async function read(probe: Probe, target: string) {
  const response = await probe.send("GET", target);
  const type = response.type;
  return { status: response.status, type, text: response.text.replaceAll(/\s/g, "") };
}

/** The cases of this chapter. */
export const context = [
  proves("CTX-005", "sends text, JSON, bytes, a stream and a Response as what they are", async (probe) => {
    const seen: Record<string, unknown> = {};
    for (const kind of ["text", "json", "bytes", "stream", "response"]) {
      const { status, type, text } = await read(probe, `/returns/${kind}`);
      seen[kind] = [status, type, text];
    }
    probe.equal("status, type and body", seen, {
      text: [200, "text/plain", "text"],
      json: [200, "application/json", '{"kind":"json"}'],
      bytes: [200, "application/octet-stream", "bytes"],
      stream: [200, "application/octet-stream", "stream"],
      response: [202, "text/csv", "a,b"],
    });
  }),

  proves("CTX-090", "sends what a handler returns with 200", async (probe) => {
    const seen: Record<string, number> = {};
    const targets = [
      "/big/5",
      "/reset/1",
      "/vary/text",
      "/slow/0",
      "/cookies",
      "/files/a",
      "/match/a/x",
      "/metrics",
      "/parallel",
    ];
    for (const target of targets) seen[target] = (await probe.send("GET", target)).status;
    const text = { headers: { "content-type": "text/plain" }, body: "x" };
    seen["/lookup"] = (await probe.send("QUERY", "/lookup", text)).status;
    const order = await probe.send("POST", "/orders", { json: { item: "tea", total: 1 } });
    const { id } = probe.json(SubjectId, order);
    seen["/orders"] = (await probe.send("GET", `/orders/${id}`)).status;
    const expected = [...targets, "/lookup", "/orders"].map((target) => [target, 200]);
    probe.equal("the statuses", seen, Object.fromEntries(expected));
    const nothing = await probe.send("GET", "/returns/nothing");
    probe.equal("the status of nothing, and one that a handler has set", [nothing.status, order.status], [204, 201]);
  }),

  proves("CTX-011", "ignores proxy headers", async (probe) => {
    const path = `/users/${probe.token()}`;
    const forged = "203.0.113.9";
    await probe.send("GET", path);
    await probe.send("GET", path, { headers: { "x-forwarded-for": forged, forwarded: `for=${forged}` } });
    const lines = await probe.eventually("two log lines", async () => {
      const found = await probe.logs((line) => line.path === path);
      return found.length === 2 ? found : undefined;
    });
    const [plain, proxied] = lines.map(({ remoteAddress }) => remoteAddress);
    probe.equal("the address with proxy headers", proxied, plain);
  }),

  proves("CTX-024", "writes the address of an IPv4 client as IPv4", async (probe) => {
    const path = `/users/${probe.token()}`;
    await probe.send("GET", path);
    const line = await probe.logOf((found) => found.path === path);
    const address = line.remoteAddress ?? "";
    const isMapped = /^(?:::|(?:0+:){5})ffff:/i.test(address);
    probe.equal("whether there is an address, and one within IPv6", [isIP(address) > 0, isMapped], [true, false]);
  }),
];
