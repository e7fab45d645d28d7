/** What becomes of what a handler returns, as data. Spec: context.md (CTX). */
import { jsonBody, shows, step, type BodyExpectation, type Step } from "./vector.ts";

const returned = (kind: string, status: number, mediaType: string, body: BodyExpectation): Step =>
  step("GET", `/returns/${kind}`, { status, headers: { "content-type": { mediaType } }, body });

const targets = ["/big/5", "/reset/1", "/vary/text", "/slow/0", "/cookies", "/files/a", "/match/a/x", "/parallel"];

/** The vectors of this chapter. */
export const context = [
  shows("CTX-005", "text, JSON, bytes, a stream and a Response are sent as what they are", [
    returned("text", 200, "text/plain", { is: "text" }),
    returned("json", 200, "application/json", { json: { kind: "json" } }),
    returned("bytes", 200, "application/octet-stream", { is: "bytes" }),
    returned("stream", 200, "application/octet-stream", { is: "stream" }),
    returned("response", 202, "text/csv", { is: "a,b" }),
  ]),
  shows("CTX-090", "what a handler returns is sent with 200", [
    ...targets.map((target) => step("GET", target, { status: 200 })),
    step("QUERY", "/lookup", { status: 200 }, { headers: { "content-type": "text/plain" }, body: "x" }),
    step("POST", "/orders", { status: 201 }, jsonBody({ item: "tea", total: 1 }), { save: { id: { at: "/id" } } }),
    step("GET", "/orders/{{id}}", { status: 200 }),
    step("GET", "/returns/nothing", { status: 204 }),
  ]),
  shows(
    "CTX-090",
    "a snapshot of the metrics that a handler returns is sent with 200",
    [step("GET", "/metrics", { status: 200, body: { at: { "/routes": { present: true } } } })],
    { features: ["metrics"] },
  ),
];
