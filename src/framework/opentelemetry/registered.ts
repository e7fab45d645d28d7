/** The tracer of the globally registered provider. */
import * as api from "@opentelemetry/api";
import type { Tracer } from "@opentelemetry/api";

const { ProxyTracerProvider, trace } = api;

/** Its tracer for this framework. @throws Error naming the class when no provider is registered. */
export function registeredTracer(name: string): Tracer {
  const provider = trace.getTracerProvider();
  const tracer =
    provider instanceof ProxyTracerProvider ? provider.getDelegateTracer("framework") : provider.getTracer("framework");
  if (tracer !== undefined) return tracer;
  throw new Error(
    `${name}.fromServiceLoader(): no OpenTelemetry tracer provider is registered; ` +
      `call trace.setGlobalTracerProvider(provider) first, or pass a tracer to new ${name}(tracer)`,
  );
}

/** @throws TypeError naming the class when that is no tracer. */
export function checkTracer(name: string, tracer: Tracer): void {
  if (typeof tracer?.startSpan === "function") return;
  throw new TypeError(`${name} needs an OpenTelemetry tracer, e.g. provider.getTracer("app")`);
}
