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

const result = { notice: Type.String({ minLength: 1 }) };
const page = { ...result, next: NullableText };

/** Where a method is, or a line that threw. */
export const AgentPlace = Type.Union([Type.String(), Type.Null()]);

/** A call. */
export const AgentCall = Type.Object({ id: Count, name: Name, at: NullableText });
const NullableCall = Type.Union([AgentCall, Type.Null()]);

/** A run in short. */
export const AgentRun = Type.Object({
  id: Key,
  method: Name,
  path: Text,
  route: Type.Union([Type.String({ pattern: path }), Type.Null()]),
  status: Type.Integer({ minimum: 101, maximum: 599 }),
  startedAt: Time,
  durationUs: Count,
});
const NullableRun = Type.Union([AgentRun, Type.Null()]);

/** A route. */
export const AgentRoute = Type.Object({
  method: Name,
  path: Type.String({ pattern: path }),
  summary: NullableText,
  beans: Type.Array(Text),
  contract: Type.Optional(JsonObject),
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
  methods: Type.Optional(Type.Array(Type.Object({ name: Name, at: Name }))),
});

/** The result of `get_graph`. */
export const AgentGraph = Type.Object({ beans: Type.Array(AgentBean), total: Count, ...page }, { $id: "AgentGraph" });

/** The result of `send_request`. */
export const AgentSent = Type.Object(
  {
    status: Type.Integer({ minimum: 100, maximum: 599 }),
    contentType: Text,
    body: Text,
    run: NullableRun,
    did: Text,
    error: NullableText,
    ...result,
  },
  { $id: "AgentSent" },
);

/** The result of `list_runs`. */
export const AgentRuns = Type.Object({ runs: Type.Array(AgentRun), searched: Count, ...page }, { $id: "AgentRuns" });

/** A line of the tree of a run. */
export const AgentLine = Type.Object({
  id: Count,
  in: NullableCount,
  kind: Name,
  text: Text,
  totalUs: NullableCount,
  selfUs: Type.Optional(Count),
  critical: Type.Optional(Type.Boolean()),
});

/** What was done below a call. */
export const AgentLeaf = Type.Object({
  id: Count,
  kind: Name,
  text: Text,
  given: Text,
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
  result: Text,
  error: NullableText,
  stack: Type.Array(Text),
  code: Type.Array(Text),
  startUs: Count,
  totalUs: NullableCount,
  selfUs: Count,
  calls: Type.Array(AgentCall),
  leaves: Type.Array(AgentLeaf),
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
  did: Text,
  error: NullableText,
  contractIssues: Type.Array(Text),
});

/** The result of `get_run`. */
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
  part: Name,
  call: NullableCall,
  leaf: NullableCount,
  path: Text,
  value: Text,
  us: Count,
});

/** The result of `find_value`. */
export const AgentOccurrences = Type.Object(
  {
    run: AgentRun,
    first: Type.Union([AgentOccurrence, Type.Null()]),
    found: Type.Array(AgentOccurrence),
    total: Count,
    ...page,
  },
  { $id: "AgentOccurrences" },
);

const Sides = Type.Array(Type.Object({ path: Text, a: Text, b: Text }));

/** One thing in which two runs differ. */
export const AgentDifference = Type.Object({
  kind: Name,
  by: NullableCall,
  seenAt: Text,
  differences: Sides,
  isExpected: Type.Boolean(),
});

/** The result of `compare_runs`. */
export const AgentComparison = Type.Object(
  {
    a: AgentRun,
    b: AgentRun,
    first: Type.Union([AgentDifference, Type.Null()]),
    differences: Type.Array(AgentDifference),
    response: Sides,
    ...page,
  },
  { $id: "AgentComparison" },
);

/** A fact of a run. */
export const AgentFinding = Type.Object({
  kind: Name,
  message: Text,
  call: NullableCall,
  line: NullableText,
  code: NullableText,
  leaf: NullableCount,
  costUs: NullableCount,
});

/** The result of `explain_run`. */
export const AgentExplanation = Type.Object(
  { run: AgentRun, comparedWith: NullableRun, findings: Type.Array(AgentFinding), ...page },
  { $id: "AgentExplanation" },
);

/** The result of `wait_for_run`. */
export const AgentAwaited = Type.Object({ run: NullableRun, waitedMs: Count, ...result }, { $id: "AgentAwaited" });

/** The result of `get_health`. */
export const AgentHealth = Type.Object(
  {
    url: Name,
    app: NullableText,
    instance: Type.Union([Instance, Type.Null()]),
    startedAt: Type.Union([Time, Type.Null()]),
    commit: Type.Union([Commit, Type.Null()]),
    branch: NullableText,
    status: NullableText,
    checks: Type.Array(Type.Object({ name: Name, status: Name, error: NullableText })),
    startUs: NullableCount,
    failedStart: Type.Union([Type.Object({ error: Text, beans: Type.Array(Text) }), Type.Null()]),
    routes: Type.Array(Type.Object({ route: Name, count: Count, errors: Count, p95Ms: Type.Number({ minimum: 0 }) })),
    ...result,
  },
  { $id: "AgentHealth" },
);

/** Where a method is, of a bean whose calls are recorded. */
export const MethodSource = Type.Object({
  bean: Type.String({ minLength: 1 }),
  method: Type.String({ minLength: 1 }),
  file: Type.String({ minLength: 1 }),
  line: Type.Integer({ minimum: 1 }),
});

/** The response of `…/api/sources`. */
export const MethodSources = Type.Array(MethodSource, { $id: "MethodSources" });
