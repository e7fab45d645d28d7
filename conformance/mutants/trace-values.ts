/** Traces that show secrets, hide what is none, or cut in silence. */
import type { RequirementId } from "../../spec/requirements.ts";
import type { Mutant } from "../kit/mutant.ts";
import { spoilsTrace } from "../kit/spoil.ts";
import type { Trace } from "../kit/traces.ts";

const hidden = "[redacted]";

function ofRequest(
  name: string,
  id: RequirementId,
  mark: string,
  change: (request: Trace["request"], path: string) => object,
): Mutant {
  return spoilsTrace(name, [id], mark, (trace) => ({
    ...trace,
    request: { ...trace.request, ...change(trace.request, trace.path) },
  }));
}

/** The value, texts in it replaced. */
function replaced(value: unknown, from: string, to: string): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(from, to)) as unknown;
}

/** The mutants of values. */
export const traceValues = [
  ofRequest("values-show-the-query", "TRACE-030", "names", ({ query }) => ({ query: { ...query, api_key: ["k1"] } })),
  ofRequest("values-show-authorization", "TRACE-030", "names", ({ headers }) => ({
    headers: { ...headers, authorization: ["Basic YTpi"] },
  })),
  ofRequest("values-show-what-is-nested", "TRACE-030", "names", ({ body }) => ({
    body: replaced(body, `"accessToken":"${hidden}"`, '"accessToken":"t2"'),
  })),
  spoilsTrace("values-show-the-response", ["TRACE-030"], "names", (trace) => ({
    ...trace,
    response: { ...trace.response, body: replaced(trace.response.body, hidden, "p2") },
  })),
  ofRequest("values-show-bearers", "TRACE-031", "texts", ({ body }) => ({
    body: { ...(body as object), bearer: "sent Bearer abcdefghijkl to it" },
  })),
  ofRequest("values-show-passwords-of-urls", "TRACE-031", "texts", ({ body }) => ({
    body: replaced(body, `https://${hidden}@`, "https://ada:pw@"),
  })),
  ofRequest("values-hide-without-a-mark", "TRACE-031", "texts", () => ({ body: {} })),
  spoilsTrace("values-show-the-path", ["TRACE-032"], "parameter", (trace) => ({
    ...trace,
    path: "/users/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
  })),
  ofRequest("values-show-the-parameter", "TRACE-032", "parameter", () => ({ pathParams: { id: "eyJ" } })),
  ofRequest("values-hide-passengers", "TRACE-033", "open", ({ body }) => ({ body: replaced(body, "Ada", hidden) })),
  ofRequest("values-hide-page-tokens", "TRACE-033", "open", ({ body }) => ({ body: replaced(body, "n2", hidden) })),
  spoilsTrace("values-show-a-secret-elsewhere", ["TRACE-041"], "everywhere", (trace) => ({
    ...trace,
    request: { ...trace.request, query: { ...trace.request.query, note: ["s3cr3t"] } },
  })),
  ofRequest("values-show-known-secrets-in-texts", "TRACE-041", "everywhere", ({ body }) => ({
    body: replaced(body, `it was ${hidden}`, "it was s3cr3t"),
  })),
  ofRequest("values-show-basic-credentials", "TRACE-042", "assigned", ({ body }) => ({
    body: replaced(body, `sent ${hidden} to`, "sent Basic YWRhOnNlY3JldDE= to"),
  })),
  ofRequest("values-show-parameters-of-texts", "TRACE-042", "assigned", ({ body }) => ({
    body: replaced(body, `access_token=${hidden}`, "access_token=secret2"),
  })),
  ofRequest("values-show-json-within-texts", "TRACE-042", "assigned", ({ body }) => ({
    body: replaced(body, `clientSecret\\":\\"${hidden}`, 'clientSecret\\":\\"secret5'),
  })),
  spoilsTrace("values-show-the-path-of-options", ["TRACE-043"], "reset", (trace) =>
    trace.method === "OPTIONS" ? { ...trace, path: "/reset/t0k3n" } : trace,
  ),
  spoilsTrace("values-show-the-path-of-405", ["TRACE-043"], "reset", (trace) =>
    trace.status === 405 ? { ...trace, path: "/reset/t0k3n" } : trace,
  ),
  ofRequest("values-cut-texts-in-silence", "TRACE-034", "cut", ({ body }) => ({
    body: JSON.stringify(body).includes("$string") ? { text: "x".repeat(16_384) } : body,
  })),
  ofRequest("values-cut-lists-in-silence", "TRACE-034", "cut", ({ body }) => ({
    body: Array.isArray(body) ? body.slice(0, 100) : body,
  })),
  ofRequest("values-cut-too-early", "TRACE-034", "cut", ({ body }) => ({
    body: replaced(body, '["the innermost"]', '{"$truncated":1}'),
  })),
  ofRequest("values-never-cut-depth", "TRACE-034", "cut", ({ body }) => ({
    body: replaced(body, '{"$truncated":1}', '["the innermost"]'),
  })),
];
