/**
 * How a request to a service that exports spans is named: by the span that sent it. Pure.
 *
 *   traceparent: 00-<trace>-<span>-01 ──▶ { origin, id: "<trace>-<span>.<n>" }      n: 1, 2 … for requests with the same span
 *
 * The service's own span of the request has that span as its parent. It has the form of a reference to a run of an application
 * with devtools, so that everything that draws other services draws it too.
 */

/** A trace, a span in it, and which of the requests with that span. */
export interface SpanReference {
  readonly traceId: string;
  readonly spanId: string;
  readonly n: number;
}

/** The text of a reference. */
export const spanReference = ({ traceId, spanId, n }: SpanReference): string => `${traceId}-${spanId}.${n}`;

/** The reference in an id, or undefined if it is that of a run. */
export function readReference(id: string): SpanReference | undefined {
  const [, traceId, spanId, n] = /^([0-9a-f]{32})-([0-9a-f]{16})\.([1-9]\d{0,8})$/.exec(id) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId, n: Number(n) };
}

/** The trace and the span in a `traceparent` header. */
export function readTraceparent(header: string): Omit<SpanReference, "n"> | undefined {
  const [, traceId, spanId] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/.exec(header.trim()) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}
