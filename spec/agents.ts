/**
 * What the tools of `framework-devtools mcp` return, and what devtools say of where methods are.
 *
 * Spec: agents.md (AGENT)
 */
import { Type, type TObject, type TProperties } from "typebox";
import { JsonObject } from "./values.ts";

const Count = Type.Integer({ minimum: 0 });
const Text = Type.String();
const NullableText = Type.Union([Type.String(), Type.Null()]);
const NullableCount = Type.Union([Count, Type.Null()]);

const closed = <T extends TProperties>(properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false });

const result = { notice: Type.String({ minLength: 1 }) };
const page = { ...result, next: NullableText };

/** Where a method is, or a line that threw. */
export const AgentPlace = Type.Union([Type.String(), Type.Null()]);

/** A call. */
export const AgentCall = closed({ id: Count, name: Text, at: NullableText });
const NullableCall = Type.Union([AgentCall, Type.Null()]);

/** A run in short. */
export const AgentRun = closed({
  id: Text,
  method: Text,
  path: Text,
  route: NullableText,
  status: Count,
  startedAt: Text,
  durationUs: Count,
});
const NullableRun = Type.Union([AgentRun, Type.Null()]);

/** A route. */
export const AgentRoute = closed({
  method: Text,
  path: Text,
  summary: NullableText,
  beans: Type.Array(Text),
  contract: Type.Optional(JsonObject),
  example: Type.Optional(JsonObject),
});

/** The result of `list_routes`. */
export const AgentRoutes = Type.Object(
  { routes: Type.Array(AgentRoute), ...page },
  { $id: "AgentRoutes", additionalProperties: false },
);

/** A bean. */
export const AgentBean = closed({
  id: Text,
  stereotype: Text,
  implementation: Text,
  dependencies: Type.Array(Text),
  usedBy: Type.Array(Text),
  methods: Type.Optional(Type.Array(closed({ name: Text, at: Text }))),
});

/** The result of `get_graph`. */
export const AgentGraph = Type.Object(
  { beans: Type.Array(AgentBean), total: Count, ...page },
  { $id: "AgentGraph", additionalProperties: false },
);

/** The result of `send_request`. */
export const AgentSent = Type.Object(
  {
    ...{ status: Count, contentType: Text, body: Text },
    ...{ run: NullableRun, did: Text, error: NullableText, ...result },
  },
  { $id: "AgentSent", additionalProperties: false },
);

/** The result of `list_runs`. */
export const AgentRuns = Type.Object(
  { runs: Type.Array(AgentRun), searched: Count, ...page },
  { $id: "AgentRuns", additionalProperties: false },
);

/** A line of the tree of a run. */
export const AgentLine = closed({
  id: Count,
  in: NullableCount,
  kind: Text,
  text: Text,
  totalUs: NullableCount,
  selfUs: Type.Optional(Count),
  critical: Type.Optional(Type.Boolean()),
});

/** What was done below a call. */
export const AgentLeaf = closed({
  id: Count,
  kind: Text,
  text: Text,
  given: Text,
  outcome: Text,
  totalUs: NullableCount,
});

/** One call with all that is known of it. */
export const AgentCallDetail = closed({
  ...{ id: Count, name: Text, at: NullableText, in: NullableCall },
  args: Type.Array(closed({ name: Text, value: Text })),
  ...{ result: Text, error: NullableText, stack: Type.Array(Text), code: Type.Array(Text) },
  ...{ startUs: Count, totalUs: NullableCount, selfUs: Count },
  calls: Type.Array(AgentCall),
  leaves: Type.Array(AgentLeaf),
  notShown: Count,
});

/** The request and the response of a run. */
export const AgentSummary = closed({
  ...{ query: Text, params: Text, requestHeaders: Text, requestBody: Text },
  ...{ responseHeaders: Text, responseBody: Text, did: Text, error: NullableText },
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
  { $id: "AgentRunView", additionalProperties: false },
);

/** A place in a run at which a value stands. */
export const AgentOccurrence = closed({
  part: Text,
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
  { $id: "AgentOccurrences", additionalProperties: false },
);

const Sides = Type.Array(closed({ path: Text, a: Text, b: Text }));

/** One thing in which two runs differ. */
export const AgentDifference = closed({
  kind: Text,
  by: NullableCall,
  seenAt: Text,
  differences: Sides,
  isExpected: Type.Boolean(),
});

/** The result of `compare_runs`. */
export const AgentComparison = Type.Object(
  {
    ...{ a: AgentRun, b: AgentRun, first: Type.Union([AgentDifference, Type.Null()]) },
    ...{ differences: Type.Array(AgentDifference), response: Sides, ...page },
  },
  { $id: "AgentComparison", additionalProperties: false },
);

/** A fact of a run. */
export const AgentFinding = closed({
  ...{ kind: Text, message: Text, call: NullableCall, line: NullableText },
  ...{ code: NullableText, leaf: NullableCount, costUs: NullableCount },
});

/** The result of `explain_run`. */
export const AgentExplanation = Type.Object(
  { run: AgentRun, comparedWith: NullableRun, findings: Type.Array(AgentFinding), ...page },
  { $id: "AgentExplanation", additionalProperties: false },
);

/** The result of `wait_for_run`. */
export const AgentAwaited = Type.Object(
  { run: NullableRun, waitedMs: Count, ...result },
  { $id: "AgentAwaited", additionalProperties: false },
);

/** The result of `get_health`. */
export const AgentHealth = Type.Object(
  {
    ...{ url: Text, app: NullableText, instance: NullableText, startedAt: NullableText },
    ...{ commit: NullableText, branch: NullableText, status: NullableText },
    checks: Type.Array(closed({ name: Text, status: Text, error: NullableText })),
    startUs: NullableCount,
    failedStart: Type.Union([closed({ error: Text, beans: Type.Array(Text) }), Type.Null()]),
    routes: Type.Array(closed({ route: Text, count: Count, errors: Count, p95Ms: Type.Number({ minimum: 0 }) })),
    ...result,
  },
  { $id: "AgentHealth", additionalProperties: false },
);

/** Where a method is, of a bean whose calls are recorded. */
export const MethodSource = closed({
  bean: Type.String({ minLength: 1 }),
  method: Type.String({ minLength: 1 }),
  file: Type.String({ minLength: 1 }),
  line: Type.Integer({ minimum: 1 }),
});

/** The response of `…/api/sources`. */
export const MethodSources = Type.Array(MethodSource, { $id: "MethodSources" });
