/**
 * Labels: the closed sets that keep log lines, metric series and span names bounded.
 *
 *   request method ──▶ one of ten known methods | "_OTHER"
 *   matched route  ──▶ its pattern              | "UNMATCHED"
 *
 * A client chooses its method and its path freely, but neither becomes a label unchecked, so no client can increase the number
 * of series.
 *
 * Spec: spec/metrics.md
 */

/** The label of a method outside {@link KNOWN_METHODS}. */
export const OTHER_METHOD = "_OTHER";
/** The route label of requests that matched no route. */
export const UNMATCHED = "UNMATCHED";
/** The route label of observations beyond the series cap. */
export const OVERFLOW = "OVERFLOW";

/** The methods with their own label: RFC 9110's, PATCH (RFC 5789) and QUERY (RFC 10008). */
export const KNOWN_METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "CONNECT",
  "QUERY",
]);

/**
 * The methods with their own label: the framework's own ten, or those of `OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS`, separated
 * by commas, as OpenTelemetry's HTTP conventions require for spans and metrics.
 */
export function knownMethods(): ReadonlySet<string> {
  const host: typeof globalThis.process | undefined = globalThis.process;
  const listed = host?.env?.["OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS"];
  if (listed === undefined || listed.trim() === "") return KNOWN_METHODS;
  return new Set(listed.split(",").map((method) => method.trim()));
}

/** The method itself when it is known (methods are case-sensitive), else `_OTHER`. */
export function methodLabel(method: string, known: ReadonlySet<string> = KNOWN_METHODS): string {
  return known.has(method) ? method : OTHER_METHOD;
}

/** The pattern itself, or `UNMATCHED`. Patterns start with `/`, so the two cannot collide. */
export function routeLabel(route: string | null): string {
  return route ?? UNMATCHED;
}
