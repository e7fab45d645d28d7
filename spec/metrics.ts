/** Shapes of spec/metrics.md. */
import { Type } from "typebox";
import { recordOf } from "./forms.ts";

const Count = Type.Integer({ minimum: 0 });
/** A method of the deployment's list (METRIC-021), or `_OTHER`. */
const token = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$";
const Seconds = Type.Number({ minimum: 0 });

const Bucket = Type.Object({ le: Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()]), count: Count });

const DurationSummary = Type.Object({
  sum: Seconds,
  min: Seconds,
  max: Seconds,
  mean: Seconds,
  p50: Seconds,
  p90: Seconds,
  p95: Seconds,
  p99: Seconds,
  buckets: Type.Array(Bucket, { minItems: 15, maxItems: 15 }),
});

const RouteMetrics = Type.Object({
  method: Type.String({ pattern: token }),
  route: Type.String({ pattern: "^/|^UNMATCHED$|^OVERFLOW$" }),
  count: Type.Integer({ minimum: 1 }),
  errors: Count,
  aborted: Count,
  statuses: recordOf(Type.Integer({ minimum: 1 }), { pattern: "^[1-5][0-9]{2}$" }),
  durationSeconds: DurationSummary,
});

const DeprecatedMetrics = Type.Object({
  method: Type.String({ pattern: token }),
  route: Type.String({ pattern: "^/" }),
  caller: Type.String(),
  count: Type.Integer({ minimum: 1 }),
});

/** What `InMemoryMetricsCollector.snapshot()` returns. */
export const MetricsSnapshot = Type.Object(
  {
    since: Count,
    activeRequests: Count,
    routes: Type.Array(RouteMetrics),
    deprecated: Type.Optional(Type.Array(DeprecatedMetrics, { minItems: 1 })),
  },
  { $id: "MetricsSnapshot" },
);
