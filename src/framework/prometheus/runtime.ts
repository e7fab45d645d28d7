/**
 * The figures of the process in a prom-client registry. Each is read when the registry is.
 *
 * Spec: spec/metrics.md
 */
import * as prometheus from "prom-client";
import type { Registry } from "prom-client";
import { DURATION_BOUNDARIES } from "../metrics/histogram.ts";
import { GC_DURATION, runtimeFamilies } from "../metrics/runtime/runtime-families.ts";
import type { RuntimeMetrics, RuntimeSource } from "../metrics/runtime/runtime-metrics.ts";

/** Registers them all. @throws Error when the registry has one of them. */
export function registerRuntime(registry: Registry, source: RuntimeSource): void {
  const registers = [registry];
  const read = readOnce(source);
  for (const { name, help, type, value } of runtimeFamilies) {
    if (type === "gauge") {
      const collect = function (this: prometheus.Gauge): void {
        const figure = value(read());
        if (figure === undefined) this.remove();
        else this.set(figure);
      };
      void new prometheus.Gauge({ name, help, registers, collect });
    } else {
      const collect = function (this: prometheus.Counter): void {
        this.reset();
        this.inc(value(read()) ?? 0);
      };
      void new prometheus.Counter({ name, help, registers, collect });
    }
  }
  const pauses = new prometheus.Histogram({
    ...GC_DURATION,
    labelNames: ["kind"],
    buckets: [...DURATION_BOUNDARIES],
    registers,
  });
  source.onGarbageCollection((kind, seconds) => pauses.labels(kind).observe(seconds));
}

/** One reading for all metrics of a scrape, which collects them in one turn of the event loop. */
function readOnce(source: RuntimeSource): () => RuntimeMetrics {
  let last: RuntimeMetrics | undefined;
  return () => {
    if (last === undefined) queueMicrotask(() => (last = undefined));
    return (last ??= source.read());
  };
}
