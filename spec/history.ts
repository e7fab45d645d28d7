/**
 * History: runs kept on disk, aggregates of the kept runs, the application's start, and its metrics and health.
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

/** A process of the application with kept runs. */
export const Session = Type.Object({
  instance: Instance,
  startedAt: Count,
  /** The name of the application, or null if it had none. */
  app: Nullable(Id),
  /** The commit that was checked out at its start, or null outside a repository. It says nothing about uncommitted changes. */
  commit: Nullable(Type.String({ pattern: commit })),
  /** Null if no branch was checked out. */
  branch: Nullable(Id),
  /** Runs that can be read now. */
  runs: Count,
  /** Runs that were not written, because too many came at the same time. */
  skipped: Count,
  /** Is it the responding process? */
  current: Type.Boolean(),
});

/** The processes whose runs are kept, the latest first. */
export const SessionList = Type.Object(
  {
    sessions: Type.Array(Session, { minItems: 1 }),
    /** The configured file of the history, or null if runs are kept only in memory. */
    file: Nullable(Id),
  },
  { $id: "SessionList" },
);

/** Runs kept on disk, the newest first. */
export const HistoryPage = Type.Object(
  {
    runs: Type.Array(within(Trace), { maxItems: 100 }),
    /** The `cursor` for the runs before these, or null if there are none. */
    next: Nullable(Key),
  },
  { $id: "HistoryPage" },
);

const times = {
  /** Over the settled calls, or 0 if none settled. */
  p50Us: Count,
  p95Us: Count,
  maxUs: Count,
};
const runs = Type.Array(Key, { maxItems: 20, uniqueItems: true });

/** An aggregate of the kept runs of one route, or of background work with one name. */
export const RouteAggregate = Type.Object({
  kind: RunKind,
  method: Id,
  /** Null for requests that matched no route. For other work, its name. */
  route: Nullable(Type.String({ pattern: path })),
  count: Type.Integer({ minimum: 1 }),
  /** Runs that ended with 5xx. */
  errors: Count,
  aborted: Count,
  ...times,
  /** `{instance}.{sequence}` of the newest of them, 20 at most. */
  runs,
  /** `{instance}.{sequence}` of the slowest, the newest of equal ones. */
  slowest: Key,
});

/** An aggregate of the calls of one bean in the kept runs. */
export const BeanAggregate = Type.Object({
  bean: Id,
  calls: Type.Integer({ minimum: 1 }),
  /** Calls that threw. */
  errors: Count,
  ...times,
  /** How many runs called it. */
  count: Count,
  /** `{instance}.{sequence}` of the newest of them, 20 at most. */
  runs,
});

/** The kept runs by route and by bean. */
export const Aggregates = Type.Object(
  {
    /** The number of runs. */
    count: Count,
    /** When the oldest run began, or null without one. */
    since: Nullable(Count),
    routes: Type.Array(RouteAggregate),
    beans: Type.Array(BeanAggregate),
  },
  { $id: "Aggregates" },
);

/** The error of a start. */
export const StartError = Type.Object({ name: Type.String(), message: Type.String() });

/** How a bean was made. */
export const BeanStart = Type.Object({
  bean: Id,
  stereotype: Stereotype,
  /** The bean that requested it from its factory, or null if the container made it on its own. */
  parent: Nullable(Id),
  /** From the start of the first bean. */
  startUs: Count,
  /** Including the beans that it requested. Null while it is being made. */
  durationUs: Nullable(Count),
  /** Excluding those beans. Null while it is being made. */
  selfUs: Nullable(Count),
  error: Nullable(StartError),
});

/** How a listener of `app.onStart` ran. */
export const HookStart = Type.Object({
  /** The function's name, empty for an anonymous one. */
  name: Type.String(),
  startUs: Count,
  /** Null while it runs. */
  durationUs: Nullable(Count),
  error: Nullable(StartError),
});

/** How a process of the application started, or failed to. */
export const StartUp = Type.Object({
  instance: Instance,
  /** When its first bean, or its first listener, began. */
  startedAt: Count,
  /** Until the last listener had run, or until it failed. Null until then. */
  durationUs: Nullable(Count),
  /** In the order in which they began. */
  beans: Type.Array(BeanStart, { maxItems: 1_000 }),
  /** The number of beans over the bound. */
  droppedBeans: Count,
  hooks: Type.Array(HookStart),
  /** Ids of the beans that a failed start did not make. */
  notBuilt: Type.Array(Id),
  /** The beans on the path to the one that failed, the first requested first. */
  chain: Type.Array(Type.String()),
  error: Nullable(StartError),
});

/** The start of this process, and the last failed start before it. */
export const StartUpView = Type.Object(
  {
    /** Null if nothing of it was recorded: no recorded bean and no listener yet. */
    current: Nullable(StartUp),
    /** Read from the history on disk, or null if a later start succeeded or none failed. */
    failed: Nullable(StartUp),
  },
  { $id: "StartUpView" },
);

/** The snapshot of the application's own metrics collector. */
export const MetricsView = Type.Object(
  {
    metrics: Nullable(within(MetricsSnapshot)),
    /** Why there are no metrics, or null if there are. */
    reason: Nullable(Id),
    /** How late the event loop was at most in 99 % of the last minute. Absent while no page listens, and where it is not known. */
    loopP99Us: Type.Optional(Count),
  },
  { $id: "MetricsView" },
);

/** `UP`: usable. `DOWN`: not usable. */
export const CheckStatus = Type.Union([Type.Literal("UP"), Type.Literal("DOWN")]);

const outcome = { status: CheckStatus, durationUs: Count, checkedAt: Count };

/** One result of a health check. */
export const CheckOutcome = Type.Object(outcome);

/** A health check with its recent results. */
export const CheckView = Type.Object({
  name: Id,
  ...outcome,
  /** Why it is down. */
  error: Type.Optional(Type.String()),
  /** The results that devtools have seen, the latest first, 20 at most. */
  recent: Type.Array(CheckOutcome, { minItems: 1, maxItems: 20 }),
});

/** The response of `…/api/health`. */
export const HealthView = Type.Object(
  {
    health: Nullable(Type.Object({ status: CheckStatus, checks: recordOf(CheckStatus, { minLength: 1 }) })),
    /** Why there is no result, or null if there is one. */
    reason: Nullable(Id),
    /** In order of registration. */
    checks: Type.Array(CheckView),
  },
  { $id: "HealthView" },
);
