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
  /** What the application was called; null where it had no name. */
  app: Nullable(Id),
  /** The commit that was checked out when it started; null outside of a repository. What was not committed is not known. */
  commit: Nullable(Type.String({ pattern: commit })),
  /** Null where no branch was checked out. */
  branch: Nullable(Id),
  /** Runs that can be read now. */
  runs: Count,
  /** Runs that were too many at once to be written. */
  skipped: Count,
  /** Is it the process that says this? */
  current: Type.Boolean(),
});

/** The processes whose runs are kept, the latest first. */
export const SessionList = Type.Object(
  {
    sessions: Type.Array(Session, { minItems: 1 }),
    /** The file in which runs are kept, as it was configured; null where they are kept in memory alone. */
    file: Nullable(Id),
  },
  { $id: "SessionList" },
);

/** Runs that were kept on disk, the newest first. */
export const HistoryPage = Type.Object(
  {
    runs: Type.Array(within(Trace), { maxItems: 100 }),
    /** What `cursor` has to be for the runs before these; null where there are none. */
    next: Nullable(Key),
  },
  { $id: "HistoryPage" },
);

const times = {
  /** Over the calls that settled; 0 where none did. */
  p50Us: Count,
  p95Us: Count,
  maxUs: Count,
};
const runs = Type.Array(Key, { maxItems: 20, uniqueItems: true });

/** What the kept runs of one route, or of work of one name, have in common. */
export const RouteAggregate = Type.Object({
  kind: RunKind,
  method: Id,
  /** Null for requests that no route took; of other work its name. */
  route: Nullable(Type.String({ pattern: path })),
  count: Type.Integer({ minimum: 1 }),
  /** Runs that ended with 5xx. */
  errors: Count,
  aborted: Count,
  ...times,
  /** `{instance}.{sequence}` of the newest of them, 20 at most. */
  runs,
});

/** What the calls of one bean in the kept runs have in common. */
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
    /** How many runs they are of. */
    count: Count,
    /** When the oldest of them began; null without one. */
    since: Nullable(Count),
    routes: Type.Array(RouteAggregate),
    beans: Type.Array(BeanAggregate),
  },
  { $id: "Aggregates" },
);

/** What went wrong at a start. */
export const StartError = Type.Object({ name: Type.String(), message: Type.String() });

/** How a bean was made. */
export const BeanStart = Type.Object({
  bean: Id,
  stereotype: Stereotype,
  /** The bean whose factory asked for it; null for one that the container made by itself. */
  parent: Nullable(Id),
  /** From the start of the first. */
  startUs: Count,
  /** With the beans that it asked for; null while it is made. */
  durationUs: Nullable(Count),
  /** Without them; null while it is made. */
  selfUs: Nullable(Count),
  error: Nullable(StartError),
});

/** How a listener of `app.onStart` ran. */
export const HookStart = Type.Object({
  /** The function's name; empty for one without. */
  name: Type.String(),
  startUs: Count,
  /** Null while it runs. */
  durationUs: Nullable(Count),
  error: Nullable(StartError),
});

/** How a process of the application came up, or did not. */
export const StartUp = Type.Object({
  instance: Instance,
  /** When its first bean, or its first listener, began. */
  startedAt: Count,
  /** Until the last listener had run, or until it failed; null before. */
  durationUs: Nullable(Count),
  /** In the order in which they began. */
  beans: Type.Array(BeanStart, { maxItems: 1_000 }),
  /** Beans over the bound. */
  droppedBeans: Count,
  hooks: Type.Array(HookStart),
  /** Ids of the beans that a failed start left unmade. */
  notBuilt: Type.Array(Id),
  /** The beans on the way to the one that failed, the first one asked for first. */
  chain: Type.Array(Type.String()),
  error: Nullable(StartError),
});

/** How this process came up, and the last one before it that did not. */
export const StartUpView = Type.Object(
  {
    /** Null where nothing of it was seen: no bean with the recorder, no listener yet. */
    current: Nullable(StartUp),
    /** Read from the history on disk; null where no start failed since the last that did not. */
    failed: Nullable(StartUp),
  },
  { $id: "StartUpView" },
);

/** The application's own metrics, as its collector has them. */
export const MetricsView = Type.Object(
  {
    metrics: Nullable(within(MetricsSnapshot)),
    /** Why there are none; null where there are. */
    reason: Nullable(Id),
  },
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
  /** Why it is down. */
  error: Type.Optional(Type.String()),
  /** The results that devtools have seen, the latest first, 20 at most. */
  recent: Type.Array(CheckOutcome, { minItems: 1, maxItems: 20 }),
});

/** The response of `…/api/health`. */
export const HealthView = Type.Object(
  {
    health: Nullable(Type.Object({ status: CheckStatus, checks: recordOf(CheckStatus, { minLength: 1 }) })),
    /** Why there is none; null where there is. */
    reason: Nullable(Id),
    /** In the order of their registration. */
    checks: Type.Array(CheckView),
  },
  { $id: "HealthView" },
);
