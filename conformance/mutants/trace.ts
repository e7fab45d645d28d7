/** Broken traces: of the wrong request, under the wrong name, with the wrong end. */
import { isAbout, spoilsList, spoilsTrace } from "../kit/spoil.ts";
import type { Trace } from "../kit/traces.ts";

const isOf = (path: string, { path: found }: Trace): boolean => found === path;

/** The mutants of what a trace is of. */
export const trace = [
  spoilsList("trace-comes-twice", ["TRACE-001"], ([first, ...rest]) =>
    first !== undefined && isAbout("once", first) ? [first, first, ...rest] : undefined,
  ),
  spoilsList("trace-only-of-routes", ["TRACE-001"], (list) =>
    list[0] !== undefined && isAbout("once", list[0]) ? list.filter(({ path }) => path !== "/health") : undefined,
  ),
  spoilsTrace("trace-id-of-its-own", ["TRACE-002", "TRACE-003"], "id", (found) => ({ ...found, id: "own" })),
  spoilsTrace("trace-id-always-the-same", ["TRACE-004"], "own-id", (found) => ({ ...found, id: "same" })),
  spoilsTrace("trace-takes-any-id", ["TRACE-004"], "own-id", (found) => ({
    ...found,
    id: found.sequence % 2 === 0 ? "two words" : found.id,
  })),
  spoilsTrace("trace-takes-two-correlations", ["TRACE-005"], "correlation", (found) => ({
    ...found,
    correlationId: (found.request.headers["x-framework-dev"]?.length ?? 0) > 1 ? "both" : found.correlationId,
  })),
  spoilsTrace("trace-cuts-a-long-correlation", ["TRACE-005"], "correlation", (found) => ({
    ...found,
    correlationId: found.correlationId?.slice(0, 127) ?? null,
  })),
  spoilsTrace("trace-numbered-by-arrival", ["TRACE-006"], "order", (found) => ({
    ...found,
    sequence: isOf("/slow/40", found) ? found.sequence - 1 : found.sequence + 1,
  })),
  spoilsTrace("trace-instance-of-each-request", ["TRACE-006"], "order", (found) => ({ ...found, instance: found.id })),
  spoilsTrace("trace-route-is-the-path", ["TRACE-007"], "route", (found) => ({ ...found, route: found.path })),
  spoilsTrace("trace-route-of-no-route", ["TRACE-007"], "route", (found) => ({
    ...found,
    route: found.route ?? "/UNMATCHED",
  })),
  spoilsTrace("trace-path-decoded", ["TRACE-008"], "path", (found) => ({
    ...found,
    path: decodeURIComponent(found.path),
  })),
  spoilsTrace("trace-path-with-its-query", ["TRACE-008"], "path", (found) => ({
    ...found,
    path: `${found.path}?about=path&x=%20`,
  })),
  spoilsTrace("trace-status-before-mapping", ["TRACE-009"], "status", (found) => ({
    ...found,
    status: found.error === null ? found.status : 200,
  })),
  spoilsTrace("trace-misses-are-404", ["TRACE-009"], "status", (found) => ({
    ...found,
    status: found.status === 405 ? 404 : found.status,
  })),
  spoilsList("trace-abort-is-200", ["TRACE-010"], ([first, ...rest]) =>
    first?.path === "/slow/9999" ? [{ ...first, status: 200 }, ...rest] : undefined,
  ),
  spoilsList("trace-abort-unmarked", ["TRACE-010"], ([first, ...rest]) =>
    first?.path === "/slow/9999" ? [{ ...first, aborted: false }, ...rest] : undefined,
  ),
  spoilsTrace("trace-error-is-hidden", ["TRACE-011"], "error", (found) => ({ ...found, error: null })),
  spoilsTrace("trace-error-of-the-router", ["TRACE-011"], "error", (found) => ({
    ...found,
    error: found.status === 404 ? { name: "NotFoundError", message: "Not Found" } : found.error,
  })),
  spoilsTrace("trace-error-without-stack", ["TRACE-047"], "stack", (found) => ({
    ...found,
    error: found.error === null ? null : { name: found.error.name, message: found.error.message },
  })),
  spoilsTrace("trace-frames-without-lines", ["TRACE-047"], "stack", (found) => ({
    ...found,
    error:
      found.error === null
        ? null
        : { ...found.error, stack: found.error.stack?.map((frame) => ({ ...frame, line: 0 })) ?? [] },
  })),
];
