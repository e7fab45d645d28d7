/** Traces that show the wrong request or the wrong response. */
import type { RequirementId } from "../../spec/requirements.ts";
import type { Mutant } from "../kit/mutant.ts";
import { spoilsTrace } from "../kit/spoil.ts";
import type { Trace } from "../kit/traces.ts";

function ofRequest(name: string, change: (request: Trace["request"]) => object): Mutant {
  return spoilsTrace(name, ["TRACE-012"], "request", (trace) => ({
    ...trace,
    request: { ...trace.request, ...change(trace.request) },
  }));
}

function ofResponse(
  name: string,
  kills: readonly RequirementId[],
  about: string,
  change: (body: unknown) => unknown,
): Mutant {
  return spoilsTrace(name, kills, about, (trace) => ({
    ...trace,
    response: { ...trace.response, body: change(trace.response.body) },
  }));
}

/** The mutants of bodies. */
export const traceBodies = [
  ofRequest("trace-parameters-encoded", ({ pathParams: { id = "", ...rest } }) => ({
    pathParams: id === "" ? rest : { id: encodeURIComponent(id), ...rest },
  })),
  ofRequest("trace-query-last-value", ({ query }) => ({
    query: Object.fromEntries(Object.entries(query).map(([name, values]) => [name, values.slice(-1)])),
  })),
  ofRequest("trace-without-headers", () => ({ headers: {} })),
  ofRequest("trace-body-as-text", ({ body }) => ({ body: JSON.stringify(body) })),
  spoilsTrace("trace-reads-the-body-itself", ["TRACE-013"], "unread", (trace) => ({
    ...trace,
    request: { ...trace.request, body: { unread: true } },
  })),
  ofResponse("trace-response-as-text", ["TRACE-014"], "response", (body) =>
    typeof body === "string" ? body : JSON.stringify(body),
  ),
  ofResponse("trace-text-as-bytes", ["TRACE-014"], "response", (body) =>
    typeof body === "string" ? { $bytes: body.length } : body,
  ),
  ofResponse("trace-counts-characters", ["TRACE-015"], "size", () => ({ $bytes: 200_011 })),
  ofResponse("trace-stream-is-empty", ["TRACE-046"], "pieces", () => null),
  ofResponse("trace-pieces-by-size", ["TRACE-046"], "pieces", () => ({ $bytes: 3 })),
  ofResponse("trace-head-has-a-body", ["TRACE-016"], "empty", () => ({ id: "7" })),
  ofResponse("trace-empty-text", ["TRACE-016"], "empty", () => ""),
];
