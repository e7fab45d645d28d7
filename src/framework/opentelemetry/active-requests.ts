/**
 * `http.server.active_requests`: the requests in flight by method and scheme. They are counted here and read by the SDK, which
 * costs a request less than two records.
 *
 * Spec: spec/metrics.md
 */
import type { Attributes, Meter } from "@opentelemetry/api";

/** The requests of one app. */
export class ActiveRequests {
  readonly #counts: Map<string, { readonly attributes: Attributes; count: number }> = new Map();

  constructor(meter: Meter) {
    meter
      .createObservableUpDownCounter("http.server.active_requests", {
        description: "Number of active HTTP server requests.",
        unit: "{request}",
      })
      .addCallback((result) => {
        for (const { attributes, count } of this.#counts.values()) result.observe(count, attributes);
      });
  }

  /** @param method a bounded label */
  add(method: string, scheme: string | undefined, difference: 1 | -1): void {
    const key = `${method} ${scheme}`;
    const known = this.#counts.get(key);
    if (known !== undefined) known.count = Math.max(0, known.count + difference);
    else if (difference > 0)
      this.#counts.set(key, {
        attributes: { "http.request.method": method, ...(scheme === undefined ? {} : { "url.scheme": scheme }) },
        count: 1,
      });
  }
}
