/**
 * The results of the tools of `framework-devtools mcp`, and the source positions of methods.
 */
import { Type } from "typebox";
import { commit, instance, path, runKey, utcTime } from "./forms.ts";
import { JobFigures, JobSchedule } from "./jobs.ts";
import { JsonObject } from "./values.ts";

const Count = Type.Integer({ minimum: 0 });
const Text = Type.String();
const Name = Type.String({ minLength: 1 });
const Key = Type.String({ pattern: runKey });
const Instance = Type.String({ pattern: instance });
const Commit = Type.String({ pattern: commit });
const Time = Type.String({ pattern: utcTime });
const NullableText = Type.Union([Type.String(), Type.Null()]);
const NullableCount = Type.Union([Count, Type.Null()]);

const result = {
  /** A sentence that says that recorded values are data, not instructions. */
  notice: Type.String({ minLength: 1 }),
};
const page = { ...result, next: NullableText };

/** The position of a method or of a line that threw: `src/orders.ts:12`, or null if it is not known. */
export const AgentPlace = Type.Union([Type.String(), Type.Null()]);

/** A call. */
export const AgentCall = Type.Object({
  /** Its id within the run, for `get_run`. */
  id: Count,
  /** `OrderRepository.find`. */
  name: Name,
  /** The position of the method that ran. */
  at: NullableText,
});
const NullableCall = Type.Union([AgentCall, Type.Null()]);

/** A run, in brief. */
export const AgentRun = Type.Object({
  /** `<instance>.<sequence>`, the id that other tools take. */
  id: Key,
  method: Name,
  path: Text,
  route: Type.Union([Type.String({ pattern: path }), Type.Null()]),
  status: Type.Integer({ minimum: 101, maximum: 599 }),
  /** ISO 8601. */
  startedAt: Time,
  durationUs: Count,
  /** `attempt 2 of 5: a dead letter`, only of an attempt at a job. */
  attempt: Type.Optional(Name),
});
const NullableRun = Type.Union([AgentRun, Type.Null()]);

/** A route. */
export const AgentRoute = Type.Object({
  method: Name,
  path: Type.String({ pattern: path }),
  /** The name of its version. Absent if it has none. */
  version: Type.Optional(Name),
  summary: NullableText,
  /** The beans where it enters the graph. Empty until its first request. */
  beans: Type.Array(Text),
  /** Its contract, if requested and declared. */
  contract: Type.Optional(JsonObject),
  /** A request that it accepts, if requested and declared. */
  example: Type.Optional(JsonObject),
});

/** The result of `list_routes`. */
export const AgentRoutes = Type.Object({ routes: Type.Array(AgentRoute), ...page }, { $id: "AgentRoutes" });

/** A bean. */
export const AgentBean = Type.Object({
  id: Name,
  stereotype: Name,
  implementation: Text,
  dependencies: Type.Array(Text),
  usedBy: Type.Array(Text),
  /** The methods with their positions, if one bean was requested. */
  methods: Type.Optional(Type.Array(Type.Object({ name: Name, at: Name }))),
});

/** The result of `get_graph`. */
export const AgentGraph = Type.Object(
  {
    beans: Type.Array(AgentBean),
    /** How many beans the application has. */
    total: Count,
    ...page,
  },
  { $id: "AgentGraph" },
);

/** The result of `send_request`. */
export const AgentSent = Type.Object(
  {
    status: Type.Integer({ minimum: 100, maximum: 599 }),
    contentType: Text,
    body: Text,
    /** Null if devtools did not record one in time. */
    run: NullableRun,
    /** `12 calls · 9 SQL 31 ms`, empty without a run. */
    did: Text,
    /** The error that it failed with, or null if it did not fail. */
    error: NullableText,
    ...result,
  },
  { $id: "AgentSent" },
);

/** The result of `list_jobs`. */
export const AgentJobs = Type.Object(
  {
    /** `pg-boss`, `bullmq` …, or null if the application has no jobs. */
    engine: NullableText,
    /** Why the engine could not be asked, or null. */
    reason: NullableText,
    jobs: Type.Array(JobFigures),
    schedules: Type.Array(JobSchedule),
    /** Dead letters. `run` is the latest kept attempt of one, for `get_run` and `replay_run`. */
    dead: Type.Array(Type.Object({ id: Name, job: Name, reason: Text, run: Type.Union([Key, Type.Null()]) })),
    ...page,
  },
  { $id: "AgentJobs" },
);

/** The result of `retry_job`. */
export const AgentRetried = Type.Object({ job: Name, id: Name, ...result }, { $id: "AgentRetried" });

/** The result of `profile_run`. */
export const AgentProfile = Type.Object(
  {
    run: AgentRun,
    /** Processor time of the run, and of other work in the meantime. */
    ownUs: Count,
    otherUs: Count,
    /** The most expensive first. */
    lines: Type.Array(
      Type.Object({
        /** Null for the request outside of calls. */
        call: Type.Union([AgentCall, Type.Null()]),
        /** `render at quote-pdf.ts:31`. */
        line: Name,
        us: Count,
        /** Of `ownUs`, from 0 to 1. */
        share: Type.Number({ minimum: 0 }),
      }),
    ),
    /** The lines that allocated most. */
    allocated: Type.Array(Type.Object({ line: Name, bytes: Count })),
    ...page,
  },
  { $id: "AgentProfile" },
);

/** The result of `list_runs`. */
export const AgentRuns = Type.Object(
  {
    runs: Type.Array(AgentRun),
    /** How many runs were searched. */
    searched: Count,
    ...page,
  },
  { $id: "AgentRuns" },
);

/** A line of a run's tree: a call, or an operation below one. */
export const AgentLine = Type.Object({
  /** The id of the call if `kind` is `call`, else of the leaf. */
  id: Count,
  /** The enclosing call, or null for the handler. */
  in: NullableCount,
  kind: Name,
  /** `OrderRepository.find("7") → {id: "7"}`. */
  text: Text,
  /** Null if it had not ended. */
  totalUs: NullableCount,
  /** For a call: its time without the calls below it. */
  selfUs: Type.Optional(Count),
  /** Is it on the path that determines the end of the run? */
  critical: Type.Optional(Type.Boolean()),
});

/** An operation below a call. */
export const AgentLeaf = Type.Object({
  id: Count,
  kind: Name,
  /** The statement, address or message. */
  text: Text,
  /** The parameters of a statement, empty if there are none. */
  given: Text,
  /** The error, the rows or the status, empty if it is not known. */
  outcome: Text,
  totalUs: NullableCount,
});

/** One call in full. */
export const AgentCallDetail = Type.Object({
  id: Count,
  name: Name,
  at: NullableText,
  in: NullableCall,
  args: Type.Array(Type.Object({ name: Text, value: Text })),
  /** Empty if it threw. */
  result: Text,
  /** `TypeError: x is not a function`, or null if it did not throw. */
  error: NullableText,
  /** The application's own frames of its stack. */
  stack: Type.Array(Text),
  /** The code around the line that threw, marked with `>`. */
  code: Type.Array(Text),
  startUs: Count,
  totalUs: NullableCount,
  selfUs: Count,
  /** The calls that it made. */
  calls: Type.Array(AgentCall),
  leaves: Type.Array(AgentLeaf),
  /** How many calls and leaves below it did not fit. The tree has them. */
  notShown: Count,
});

/** The request and the response of a run. */
export const AgentSummary = Type.Object({
  query: Text,
  params: Text,
  requestHeaders: Text,
  requestBody: Text,
  responseHeaders: Text,
  responseBody: Text,
  /** `12 calls · 9 SQL 31 ms`. */
  did: Text,
  error: NullableText,
  /** How the response breaks its contract. */
  contractIssues: Type.Array(Text),
});

/** The result of `get_run`, with the member that `view` requests. */
export const AgentRunView = Type.Object(
  {
    run: AgentRun,
    summary: Type.Optional(AgentSummary),
    tree: Type.Optional(Type.Array(AgentLine)),
    call: Type.Optional(AgentCallDetail),
    ...page,
  },
  { $id: "AgentRunView" },
);

/** A position in a run where a value occurs. */
export const AgentOccurrence = Type.Object({
  /** `request`, `argument`, `statement`, `rows`, `leaf`, `result`, `error` or `response`. */
  part: Name,
  call: NullableCall,
  leaf: NullableCount,
  /** A JSONPath into the part. */
  path: Text,
  value: Text,
  /** When it appeared, from the run's start. */
  us: Count,
});

/** The result of `find_value`. */
export const AgentOccurrences = Type.Object(
  {
    run: AgentRun,
    /** The earliest one, or null if the value is not found. */
    first: Type.Union([AgentOccurrence, Type.Null()]),
    /** The earliest first. */
    found: Type.Array(AgentOccurrence),
    /** How many there are. */
    total: Count,
    ...page,
  },
  { $id: "AgentOccurrences" },
);

const Sides = Type.Array(Type.Object({ path: Text, a: Text, b: Text }));

/** One difference between two runs. */
export const AgentDifference = Type.Object({
  /** `arguments`, `result`, `extra`, `missing`, `statement` or `rows`. */
  kind: Name,
  /** The call of B that caused it, or null for the handler. */
  by: NullableCall,
  /** The call where it is visible. */
  seenAt: Text,
  differences: Sides,
  /** Did the call get different arguments too? Then a different result is expected. */
  isExpected: Type.Boolean(),
});

/** The result of `compare_runs`. */
export const AgentComparison = Type.Object(
  {
    a: AgentRun,
    b: AgentRun,
    /** The first difference, with its cause, or null if the runs are the same. */
    first: Type.Union([AgentDifference, Type.Null()]),
    /** In the order in which they occurred, including the first. */
    differences: Type.Array(AgentDifference),
    /** How the responses differ. */
    response: Sides,
    ...page,
  },
  { $id: "AgentComparison" },
);

/** A fact of a run. */
export const AgentFinding = Type.Object({
  kind: Name,
  message: Text,
  /** The call that it is about, or null for the handler or the run as a whole. */
  call: NullableCall,
  /** The line that threw; else the position of the call's method. */
  line: NullableText,
  /** The code of the line that threw, or null if none did. */
  code: NullableText,
  leaf: NullableCount,
  costUs: NullableCount,
});

/** A part of a run's time. */
export const AgentTime = Type.Object({
  /** `HTTP`, `SQL`, `beans`, or a step outside of beans such as `middleware Auth`. */
  part: Name,
  us: Count,
});

/** The result of `explain_run`. */
export const AgentExplanation = Type.Object(
  {
    run: AgentRun,
    /** The successful run of the same request that it was compared with, or null if none is kept. */
    comparedWith: NullableRun,
    /** The time of the run along its critical path. The parts add up to its `durationUs`. */
    time: Type.Array(AgentTime),
    /** The steps of the part `outside beans`, the longest first. */
    outside: Type.Array(AgentTime),
    findings: Type.Array(AgentFinding),
    ...page,
  },
  { $id: "AgentExplanation" },
);

/** Facts that always come together, and that set runs apart from others. */
export const AgentSharedFacts = Type.Object({
  /** Sentences, causes before effects: `region of Rates.of is FR`. */
  facts: Type.Array(Text),
  /** In how many of the selected runs. */
  inSet: Count,
  /** In how many of the others. */
  inRest: Count,
  /** How many times as frequent it is in the selected runs, or null if no other run has it. */
  lift: Type.Union([Type.Number({ minimum: 0 }), Type.Null()]),
  /** How probable a difference as large is by chance. Several tests are corrected for. */
  p: Type.Number({ minimum: 0, maximum: 1 }),
  /** A few of the selected runs that have the facts, or that lack them if these are rare there. */
  runs: Type.Array(Key),
});

/** The result of `explain_set`. */
export const AgentSetExplanation = Type.Object(
  {
    /** How many runs were selected. */
    ofSet: Count,
    /** How many they were compared with. */
    ofRest: Count,
    /** How many facts were looked at. */
    looked: Count,
    /** Facts of all runs on both sides, which explain nothing. */
    same: Type.Array(Text),
    /** What the selected runs have more often, the surest first, then what they have less often. */
    differences: Type.Array(AgentSharedFacts),
    ...page,
  },
  { $id: "AgentSetExplanation" },
);

/** The result of `wait_for_run`. */
export const AgentAwaited = Type.Object(
  {
    /** Null if none came in time. */
    run: NullableRun,
    waitedMs: Count,
    ...result,
  },
  { $id: "AgentAwaited" },
);

/** The result of `get_health`. */
export const AgentHealth = Type.Object(
  {
    url: Name,
    /** The name of the application. */
    app: NullableText,
    /** The current process. */
    instance: Type.Union([Instance, Type.Null()]),
    startedAt: Type.Union([Time, Type.Null()]),
    commit: Type.Union([Commit, Type.Null()]),
    branch: NullableText,
    /** `UP` or `DOWN`, or null if it has no health checks. */
    status: NullableText,
    checks: Type.Array(Type.Object({ name: Name, status: Name, error: NullableText })),
    /** How long it took to start, or null if devtools did not see it. */
    startUs: NullableCount,
    /** The last start that failed, if none has succeeded since; else null. */
    failedStart: Type.Union([Type.Object({ error: Text, beans: Type.Array(Text) }), Type.Null()]),
    /** Routes with their numbers of requests and errors, the most errors first, 20 at most, empty without metrics. */
    routes: Type.Array(Type.Object({ route: Name, count: Count, errors: Count, p95Ms: Type.Number({ minimum: 0 }) })),
    ...result,
  },
  { $id: "AgentHealth" },
);

/** The position of a method of a bean with recorded calls. */
export const MethodSource = Type.Object({
  /** The bean's id. */
  bean: Type.String({ minLength: 1 }),
  method: Type.String({ minLength: 1 }),
  /** Relative to the working directory if it is inside it, with slashes; else unchanged. */
  file: Type.String({ minLength: 1 }),
  line: Type.Integer({ minimum: 1 }),
});

/** The response of `…/api/sources`. */
export const MethodSources = Type.Array(MethodSource, { $id: "MethodSources" });
