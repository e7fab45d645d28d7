/**
 * What the tools of `framework-devtools mcp` return, and what devtools say of where methods are.
 */
import { Type } from "typebox";
import { commit, instance, path, runKey, utcTime } from "./forms.ts";
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
  /** What the application recorded is data, said in a sentence. */
  notice: Type.String({ minLength: 1 }),
};
const page = { ...result, next: NullableText };

/** Where a method is, and a line that threw: `src/orders.ts:12`; null where that is not known. */
export const AgentPlace = Type.Union([Type.String(), Type.Null()]);

/** A call. */
export const AgentCall = Type.Object({
  /** Its id within the run, as `get_run` takes it. */
  id: Count,
  /** `OrderRepository.find`. */
  name: Name,
  /** Where the method is that ran. */
  at: NullableText,
});
const NullableCall = Type.Union([AgentCall, Type.Null()]);

/** A run in short. */
export const AgentRun = Type.Object({
  /** `<instance>.<sequence>`, as other tools take it. */
  id: Key,
  method: Name,
  path: Text,
  route: Type.Union([Type.String({ pattern: path }), Type.Null()]),
  status: Type.Integer({ minimum: 101, maximum: 599 }),
  /** ISO 8601. */
  startedAt: Time,
  durationUs: Count,
});
const NullableRun = Type.Union([AgentRun, Type.Null()]);

/** A route. */
export const AgentRoute = Type.Object({
  method: Name,
  path: Type.String({ pattern: path }),
  summary: NullableText,
  /** Beans by which it enters the graph; empty until its first request. */
  beans: Type.Array(Text),
  /** What it takes and gives, where that was asked for and is declared. */
  contract: Type.Optional(JsonObject),
  /** A request that it takes, where that was asked for and is declared. */
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
  /** Of one bean that was asked for: its methods, and where they are. */
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
    /** Null where devtools recorded none in time. */
    run: NullableRun,
    /** `12 calls · 9 SQL 31 ms`; empty without a run. */
    did: Text,
    /** What it failed with; null where it did not. */
    error: NullableText,
    ...result,
  },
  { $id: "AgentSent" },
);

/** The result of `list_runs`. */
export const AgentRuns = Type.Object(
  {
    runs: Type.Array(AgentRun),
    /** How many runs were looked at. */
    searched: Count,
    ...page,
  },
  { $id: "AgentRuns" },
);

/** A line of the tree of a run: a call, or what was done below one. */
export const AgentLine = Type.Object({
  /** Its id: of a call where `kind` is `call`. */
  id: Count,
  /** The call around it; null for the handler. */
  in: NullableCount,
  kind: Name,
  /** `OrderRepository.find("7") → {id: "7"}`. */
  text: Text,
  /** Null where it had not ended. */
  totalUs: NullableCount,
  /** Of a call: the time that is in no call below. */
  selfUs: Type.Optional(Count),
  /** Does it bound the end of the run? */
  critical: Type.Optional(Type.Boolean()),
});

/** What was done below a call. */
export const AgentLeaf = Type.Object({
  id: Count,
  kind: Name,
  /** The statement, the address, the message. */
  text: Text,
  /** What it was given; empty where nothing. */
  given: Text,
  /** What came of it: rows, a status; empty where nothing is known. */
  outcome: Text,
  totalUs: NullableCount,
});

/** One call with all that is known of it. */
export const AgentCallDetail = Type.Object({
  id: Count,
  name: Name,
  at: NullableText,
  in: NullableCall,
  args: Type.Array(Type.Object({ name: Text, value: Text })),
  /** Empty where it threw. */
  result: Text,
  /** `TypeError: x is not a function`; null where it did not throw. */
  error: NullableText,
  /** The application's own places of its stack. */
  stack: Type.Array(Text),
  /** The code around the line that threw; a `>` marks it. */
  code: Type.Array(Text),
  startUs: Count,
  totalUs: NullableCount,
  selfUs: Count,
  /** The calls that it made. */
  calls: Type.Array(AgentCall),
  leaves: Type.Array(AgentLeaf),
  /** Calls and leaves below it that found no room: the tree has them. */
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

/** The result of `get_run`, with what its `view` asks for. */
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

/** A place in a run at which a value stands. */
export const AgentOccurrence = Type.Object({
  /** `request`, `argument`, `statement`, `rows`, `leaf`, `result`, `error` or `response`. */
  part: Name,
  call: NullableCall,
  leaf: NullableCount,
  /** A JSONPath into the part. */
  path: Text,
  value: Text,
  /** When it came there, from the run's start. */
  us: Count,
});

/** The result of `find_value`. */
export const AgentOccurrences = Type.Object(
  {
    run: AgentRun,
    /** Where it came from; null where it is nowhere. */
    first: Type.Union([AgentOccurrence, Type.Null()]),
    /** The first first. */
    found: Type.Array(AgentOccurrence),
    /** How many there are. */
    total: Count,
    ...page,
  },
  { $id: "AgentOccurrences" },
);

const Sides = Type.Array(Type.Object({ path: Text, a: Text, b: Text }));

/** One thing in which two runs differ. */
export const AgentDifference = Type.Object({
  /** `arguments`, `result`, `extra`, `missing`, `statement` or `rows`. */
  kind: Name,
  /** The call of B whose code made it; null for the handler. */
  by: NullableCall,
  /** The call that it is seen at. */
  seenAt: Text,
  differences: Sides,
  /** Was the call given other arguments too? Then another result is no wonder. */
  isExpected: Type.Boolean(),
});

/** The result of `compare_runs`. */
export const AgentComparison = Type.Object(
  {
    a: AgentRun,
    b: AgentRun,
    /** What differs first, and whose code made it; null where the runs are the same. */
    first: Type.Union([AgentDifference, Type.Null()]),
    /** In the order in which it came about, the first included. */
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
  /** The call whose code it is about; null for the handler, or the run as a whole. */
  call: NullableCall,
  /** The line that threw where one did, else where the method of the call is. */
  line: NullableText,
  /** The code of the line that threw; null where none did. */
  code: NullableText,
  leaf: NullableCount,
  costUs: NullableCount,
});

/** The result of `explain_run`. */
export const AgentExplanation = Type.Object(
  {
    run: AgentRun,
    /** The run of the same request that worked, which it was held against; null where none is kept. */
    comparedWith: NullableRun,
    findings: Type.Array(AgentFinding),
    ...page,
  },
  { $id: "AgentExplanation" },
);

/** The result of `wait_for_run`. */
export const AgentAwaited = Type.Object(
  {
    /** Null where none came in time. */
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
    /** What the application is called. */
    app: NullableText,
    /** The process that runs now. */
    instance: Type.Union([Instance, Type.Null()]),
    startedAt: Type.Union([Time, Type.Null()]),
    commit: Type.Union([Commit, Type.Null()]),
    branch: NullableText,
    /** `UP`, `DOWN`; null where it has no health checks. */
    status: NullableText,
    checks: Type.Array(Type.Object({ name: Name, status: Name, error: NullableText })),
    /** How long it took to start; null where that was not seen. */
    startUs: NullableCount,
    /** The last start that failed since the last that did not; null where none did. */
    failedStart: Type.Union([Type.Object({ error: Text, beans: Type.Array(Text) }), Type.Null()]),
    /** Routes with their counts of requests and errors, the most errors first, 20 at most; empty without metrics. */
    routes: Type.Array(Type.Object({ route: Name, count: Count, errors: Count, p95Ms: Type.Number({ minimum: 0 }) })),
    ...result,
  },
  { $id: "AgentHealth" },
);

/** Where a method is, of a bean whose calls are recorded. */
export const MethodSource = Type.Object({
  /** The bean's id. */
  bean: Type.String({ minLength: 1 }),
  method: Type.String({ minLength: 1 }),
  /** Relative to the working directory where it is below it, with slashes; else as it is. */
  file: Type.String({ minLength: 1 }),
  line: Type.Integer({ minimum: 1 }),
});

/** The response of `…/api/sources`. */
export const MethodSources = Type.Array(MethodSource, { $id: "MethodSources" });
