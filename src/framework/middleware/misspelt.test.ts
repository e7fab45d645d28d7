/** Unknown options: an error of each middleware, since otherwise the intended option would be silently ignored. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { trace } from "@opentelemetry/api";
import {
  CorsMiddleware,
  HealthMiddleware,
  InMemoryMetricsCollector,
  MetricsMiddleware,
  RequestIdMiddleware,
  RequestLoggingMiddleware,
} from "../index.ts";
import { TracingMiddleware } from "../opentelemetry/index.ts";
import { RateLimitMiddleware } from "../rate-limit/index.ts";

const collector = new InMemoryMetricsCollector();
const tracer = trace.getTracer("x");

/** Each with an unknown option, and the beginning of the message. */
const wrong: Readonly<Record<string, (options: object) => unknown>> = {
  "CorsMiddleware has no option origin: allowOrigins,": (options) => new CorsMiddleware(options),
  "HealthMiddleware has no option origin: path,": (options) => new HealthMiddleware(options),
  'HealthMiddleware: check "db" has no option origin: name, check,': (options) =>
    new HealthMiddleware({ checks: { db: { check: () => true, ...options } } }),
  "RequestIdMiddleware has no option origin: header,": (options) => new RequestIdMiddleware(options),
  "RequestLoggingMiddleware has no option origin: write,": (options) => RequestLoggingMiddleware.json(options),
  "MetricsMiddleware has no option origin: skip,": (options) => new MetricsMiddleware(collector, options),
  "TracingMiddleware has no option origin: skip ": (options) => new TracingMiddleware(tracer, options),
  "RateLimitMiddleware has no option origin: limit,": (options) =>
    new RateLimitMiddleware({ limit: 1, windowMs: 1_000, ...options }),
};

describe("an unknown option", () => {
  for (const [sentence, make] of Object.entries(wrong))
    test(`${sentence}…`, () => {
      make({});
      assert.throws(
        () => make({ origin: "https://app.example" }),
        (error) => error instanceof TypeError && error.message.startsWith(sentence),
      );
    });
});
