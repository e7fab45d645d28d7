/**
 * History: runs that are kept on disk, what the kept runs have in common, how the application came up and how it is.
 *
 * Spec: spec/history.md
 */
import { Type, type TSchema } from "typebox";
import { commit, instance, path, recordOf, runKey } from "./forms.ts";
import { Stereotype } from "./graph.ts";
import { MetricsSnapshot } from "./metrics.ts";
import { RunKind } from "./stream.ts";
import { Trace } from "./trace.ts";
import { within } from "./within.ts";

const Count = Type.Integer({ minimum: 0 });
const Id = Type.String({ minLength: 1 });
const Instance = Type.String({ pattern: instance });
const Key = Type.String({ pattern: runKey });
const Nullable = <T extends TSchema>(type: T) => Type.Union([type, Type.Null()]);

/** A process of the application whose runs are kept. */
export const Session = Type.Object({
  instance: Instance,
  startedAt: Count,
  app: Nullable(Id),
  commit: Nullable(Type.String({ pattern: commit })),
  branch: Nullable(Id),
  runs: Count,
  skipped: Count,
  current: Type.Boolean(),
});

/** The response of `…/api/sessions`. */
export const SessionList = Type.Object(
  { sessions: Type.Array(Session, { minItems: 1 }), file: Nullable(Id) },
  { $id: "SessionList" },
);

/** The response of `…/api/history`. */
export const HistoryPage = Type.Object(
  { runs: Type.Array(within(Trace), { maxItems: 100 }), next: Nullable(Key) },
  { $id: "HistoryPage" },
);

const times = { p50Us: Count, p95Us: Count, maxUs: Count };
const runs = Type.Array(Key, { maxItems: 20, uniqueItems: true });

/** What the kept runs of one route have in common. */
export const RouteAggregate = Type.Object({
  kind: RunKind,
  method: Id,
  route: Nullable(Type.String({ pattern: path })),
  count: Type.Integer({ minimum: 1 }),
  errors: Count,
  aborted: Count,
  ...times,
  runs,
});

/** What the calls of one bean have in common. */
export const BeanAggregate = Type.Object({
  bean: Id,
  calls: Type.Integer({ minimum: 1 }),
  errors: Count,
  ...times,
  count: Count,
  runs,
});

/** The response of `…/api/aggregates`. */
export const Aggregates = Type.Object(
  { count: Count, since: Nullable(Count), routes: Type.Array(RouteAggregate), beans: Type.Array(BeanAggregate) },
  { $id: "Aggregates" },
);

/** What went wrong at a start. */
export const StartError = Type.Object({ name: Type.String(), message: Type.String() });

/** How a bean was made. */
export const BeanStart = Type.Object({
  bean: Id,
  stereotype: Stereotype,
  parent: Nullable(Id),
  startUs: Count,
  durationUs: Nullable(Count),
  selfUs: Nullable(Count),
  error: Nullable(StartError),
});

/** How a listener of `app.onStart` ran. */
export const HookStart = Type.Object({
  name: Type.String(),
  startUs: Count,
  durationUs: Nullable(Count),
  error: Nullable(StartError),
});

/** How a process of the application came up, or did not. */
export const StartUp = Type.Object({
  instance: Instance,
  startedAt: Count,
  durationUs: Nullable(Count),
  beans: Type.Array(BeanStart, { maxItems: 1_000 }),
  droppedBeans: Count,
  hooks: Type.Array(HookStart),
  notBuilt: Type.Array(Id),
  chain: Type.Array(Type.String()),
  error: Nullable(StartError),
});

/** The response of `…/api/startup`. */
export const StartUpView = Type.Object(
  { current: Nullable(StartUp), failed: Nullable(StartUp) },
  { $id: "StartUpView" },
);

/** The response of `…/api/metrics`. */
export const MetricsView = Type.Object(
  { metrics: Nullable(within(MetricsSnapshot)), reason: Nullable(Id) },
  { $id: "MetricsView" },
);

/** `UP`: usable. `DOWN`: not. */
export const CheckStatus = Type.Union([Type.Literal("UP"), Type.Literal("DOWN")]);

const outcome = { status: CheckStatus, durationUs: Count, checkedAt: Count };

/** One result of a health check. */
export const CheckOutcome = Type.Object(outcome);

/** A health check, and how it went lately. */
export const CheckView = Type.Object({
  name: Id,
  ...outcome,
  error: Type.Optional(Type.String()),
  recent: Type.Array(CheckOutcome, { minItems: 1, maxItems: 20 }),
});

/** The response of `…/api/health`. */
export const HealthView = Type.Object(
  {
    health: Nullable(Type.Object({ status: CheckStatus, checks: recordOf(CheckStatus, { minLength: 1 }) })),
    reason: Nullable(Id),
    checks: Type.Array(CheckView),
  },
  { $id: "HealthView" },
);
