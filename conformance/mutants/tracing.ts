/** Tracers that lose the thread. */
import { breaks } from "../kit/mutant.ts";
import { editLogs, editPart, editSpans } from "../kit/evidence.ts";
import type { Span } from "../kit/probe.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const parentId = "b7ad6b7169203331";
const other = "4bf92f3577b34da6a3ce929d0e0e4736";

const path = ({ attributes }: Span): string => String(attributes["url.path"]);

/** The span with these attributes; undefined takes one away. */
function attribute(span: Span, change: Readonly<Record<string, string | number | undefined>>): Span {
  const kept = Object.entries({ ...span.attributes, ...change }).filter(([, value]) => value !== undefined);
  return { ...span, attributes: Object.fromEntries(kept) as Span["attributes"] };
}

const isLateAbort = (span: Span): boolean => path(span) === "/events/1000000";
const isEarlyAbort = (span: Span): boolean => path(span) === "/slow/5000";

/** The mutants of this chapter. */
export const tracing = [
  breaks("streams-have-two-spans", ["SPAN-001"], (exchange) =>
    editPart(exchange, "spans", (spans) =>
      (spans as readonly Span[]).flatMap((span) => (path(span) === "/events/2" ? [span, span] : [span])),
    ),
  ),
  breaks("health-has-no-span", ["SPAN-001"], (exchange) =>
    editPart(exchange, "spans", (spans) => (spans as readonly Span[]).filter((span) => path(span) !== "/health")),
  ),
  breaks("spans-share-an-id", ["SPAN-001"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/health" || path(span) === "/events/2" ? { ...span, spanId: parentId } : span,
    ),
  ),
  breaks("spans-are-named-by-path", ["SPAN-002"], (exchange) =>
    editSpans(exchange, (span) => (path(span) === "/users/42" ? { ...span, name: "GET /users/42" } : span)),
  ),
  breaks("spans-forget-the-group", ["SPAN-002"], (exchange) =>
    editSpans(exchange, (span) => (path(span) === "/api/search" ? { ...span, name: "QUERY /search" } : span)),
  ),
  breaks("spans-of-nothing-are-named-by-path", ["SPAN-002"], (exchange) =>
    editSpans(exchange, (span) =>
      /^\/[0-9a-f]{16}$/.test(path(span)) && span.name === "GET" ? { ...span, name: `GET ${path(span)}` } : span,
    ),
  ),
  breaks("spans-have-no-route", ["SPAN-003"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/users/a%20b" ? attribute(span, { "http.route": undefined }) : span,
    ),
  ),
  breaks("spans-of-nothing-have-a-route", ["SPAN-003"], (exchange) =>
    editSpans(exchange, (span) => (path(span) === "/nowhere" ? attribute(span, { "http.route": "/nowhere" }) : span)),
  ),
  breaks("spans-decode-the-path", ["SPAN-003"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/users/a%20b" ? attribute(span, { "url.path": "/users/a b" }) : span,
    ),
  ),
  breaks("spans-have-no-port", ["SPAN-004"], (exchange) =>
    editSpans(exchange, (span) => attribute(span, { "server.port": undefined })),
  ),
  breaks("spans-say-https", ["SPAN-004"], (exchange) =>
    editSpans(exchange, (span) => attribute(span, { "url.scheme": "https" })),
  ),
  breaks("spans-carry-any-method", ["SPAN-005"], (exchange) =>
    editSpans(exchange, (span) =>
      span.attributes["http.request.method"] === "_OTHER"
        ? attribute(span, { "http.request.method": "PROPFIND" })
        : span,
    ),
  ),
  breaks("spans-forget-the-original-method", ["SPAN-005"], (exchange) =>
    editSpans(exchange, (span) => attribute(span, { "http.request.method_original": undefined })),
  ),
  breaks("spans-do-not-know-query", ["SPAN-005"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/lookup"
        ? attribute(span, { "http.request.method": "_OTHER", "http.request.method_original": "QUERY" })
        : span,
    ),
  ),
  breaks("spans-carry-the-query", ["SPAN-006"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/echo" ? attribute(span, { "url.query": "key=a-secret-of-the-client" }) : span,
    ),
  ),
  breaks("traces-are-never-joined-after-errors", ["SPAN-007"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/boom" && span.traceId === traceId ? { ...span, traceId: other } : span,
    ),
  ),
  breaks("spans-are-siblings-of-their-parent", ["SPAN-007"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/boom" && span.parentSpanId === parentId ? { ...span, parentSpanId: null } : span,
    ),
  ),
  breaks("late-aborts-have-no-status", ["SPAN-015"], (exchange) =>
    editSpans(exchange, (span) =>
      isLateAbort(span) ? attribute(span, { "http.response.status_code": undefined }) : span,
    ),
  ),
  breaks("early-aborts-have-a-status", ["SPAN-015"], (exchange) =>
    editSpans(exchange, (span) => (isEarlyAbort(span) ? attribute(span, { "http.response.status_code": 499 }) : span)),
  ),
  breaks("aborts-are-no-errors", ["SPAN-015"], (exchange) =>
    editSpans(exchange, (span) => (isLateAbort(span) || isEarlyAbort(span) ? { ...span, status: "UNSET" } : span)),
  ),
  breaks("exceptions-are-not-recorded", ["SPAN-013"], (exchange) =>
    editSpans(exchange, (span) => (path(span) === "/boom" ? { ...span, exceptions: [] } : span)),
  ),
  breaks("5xx-are-no-errors", ["SPAN-013"], (exchange) =>
    editSpans(exchange, (span) => (path(span) === "/fail/503" ? { ...span, status: "UNSET" } : span)),
  ),
  breaks("4xx-are-errors-of-the-span", ["SPAN-014"], (exchange) =>
    editSpans(exchange, (span) => (path(span) === "/fail/404" ? { ...span, status: "ERROR" } : span)),
  ),
  breaks("mapped-exceptions-are-recorded", ["SPAN-014"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/fail/404" ? { ...span, exceptions: [{ type: "HttpError", message: "failed" }] } : span,
    ),
  ),
  breaks("all-zero-trace-ids-are-joined", ["SPAN-008"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/users/version-00-3" ? { ...span, traceId, parentSpanId: parentId } : span,
    ),
  ),
  breaks("valid-traceparents-begin-new-traces", ["SPAN-008"], (exchange) =>
    editSpans(exchange, (span) => (path(span) === "/users/version-00-7" ? { ...span, traceId: other } : span)),
  ),
  breaks("later-versions-are-rejected", ["SPAN-009"], (exchange) =>
    editSpans(exchange, (span) => (path(span) === "/users/later-version-1" ? { ...span, traceId: other } : span)),
  ),
  breaks("version-ff-is-joined", ["SPAN-009"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/users/later-version-3" ? { ...span, traceId, parentSpanId: parentId } : span,
    ),
  ),
  breaks("tracestate-outlives-a-malformed-traceparent", ["SPAN-010"], (exchange) =>
    editSpans(exchange, (span) => (path(span) === "/users/malformed" ? { ...span, traceState: "a=1" } : span)),
  ),
  breaks("the-first-of-two-traceparents-is-joined", ["SPAN-010"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/users/repeated" ? { ...span, traceId, parentSpanId: parentId } : span,
    ),
  ),
  breaks("tracestate-is-always-dropped", ["SPAN-010", "SPAN-012"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/users/sound" || path(span) === "/users/short" ? { ...span, traceState: null } : span,
    ),
  ),
  breaks("malformed-members-are-dropped-alone", ["SPAN-011"], (exchange) =>
    editSpans(exchange, (span) => (path(span) === "/users/tracestate-0" ? { ...span, traceState: "a=1" } : span)),
  ),
  breaks("a-malformed-tracestate-drops-the-traceparent", ["SPAN-011"], (exchange) =>
    editSpans(exchange, (span) => (path(span) === "/users/tracestate-3" ? { ...span, traceId: other } : span)),
  ),
  breaks("a-repeated-member-drops-the-tracestate", ["SPAN-022"], (exchange) =>
    editSpans(exchange, (span) => (path(span) === "/users/twice" ? { ...span, traceState: null } : span)),
  ),
  breaks("members-are-cut-in-the-middle", ["SPAN-012"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/users/wide" && span.traceState !== null
        ? { ...span, traceState: `${span.traceState},w9=y` }
        : span,
    ),
  ),
  breaks("long-members-stay", ["SPAN-012"], (exchange) =>
    editSpans(exchange, (span) =>
      path(span) === "/users/long" ? { ...span, traceState: `long=${"x".repeat(200)}` } : span,
    ),
  ),
  breaks("the-log-has-another-trace", ["SPAN-017", "LOG-008"], (exchange) =>
    editLogs(exchange, (line) => (line.traceId === undefined ? line : { ...line, traceId: other })),
  ),
];
