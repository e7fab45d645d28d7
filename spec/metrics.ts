/** Shapes of spec/metrics.md. */
import { Type } from "typebox";

const Count = Type.Integer({ minimum: 0 });
const Seconds = Type.Number({ minimum: 0 });

const Bucket = Type.Object(
  { le: Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()]), count: Count },
  { additionalProperties: false },
);

const DurationSummary = Type.Object(
  {
    sum: Seconds,
    min: Seconds,
    max: Seconds,
    mean: Seconds,
    p50: Seconds,
    p90: Seconds,
    p95: Seconds,
    p99: Seconds,
    buckets: Type.Array(Bucket, { minItems: 15, maxItems: 15 }),
  },
  { additionalProperties: false },
);

const RouteMetrics = Type.Object(
  {
    method: Type.String({ pattern: "^[A-Z]+$|^_OTHER$" }),
    route: Type.String({ pattern: "^/|^UNMATCHED$|^OVERFLOW$" }),
    count: Type.Integer({ minimum: 1 }),
    errors: Count,
    aborted: Count,
    statuses: Type.Record(Type.String({ pattern: "^[1-9][0-9]{2}$" }), Type.Integer({ minimum: 1 })),
    durationSeconds: DurationSummary,
  },
  { additionalProperties: false },
);

/** What `InMemoryMetricsCollector.snapshot()` returns. */
export const MetricsSnapshot = Type.Object(
  { since: Count, activeRequests: Count, routes: Type.Array(RouteMetrics) },
  { $id: "MetricsSnapshot", additionalProperties: false },
);
