/**
 * Stops the build when a type of the packages and its schema in spec/ no longer say the same.
 *
 *   schema exported from spec/ ──▶ its entry in Types ──▶ the same as the schema's static type? ──▶ true, or no build
 *
 * `Types` names the type of the packages for each schema. A schema without an entry, an entry without a schema, and a
 * type that differs from its schema do not compile; wire-types.test.ts sees modules and wire types left out here.
 */
import type * as wire from "@framework/devtools";
import type { AccessLogLine, FrameworkOptions, HealthResult, MetricsSnapshot, Problem, ProblemIssue } from "framework";
import type { Static, TSchema } from "typebox";
import type * as agents from "../spec/agents.ts";
import type * as config from "../spec/config.ts";
import type * as errors from "../spec/errors.ts";
import type * as graph from "../spec/graph.ts";
import type * as health from "../spec/health.ts";
import type * as leaves from "../spec/leaves.ts";
import type * as history from "../spec/history.ts";
import type * as log from "../spec/log.ts";
import type * as metrics from "../spec/metrics.ts";
import type * as plugins from "../spec/plugins.ts";
import type * as replay from "../spec/replay.ts";
import type * as routes from "../spec/routes.ts";
import type * as services from "../spec/services.ts";
import type * as search from "../spec/search.ts";
import type * as stream from "../spec/stream.ts";
import type * as trace from "../spec/trace.ts";
import type * as values from "../spec/values.ts";

type Modules = typeof agents &
  typeof config &
  typeof errors &
  typeof graph &
  typeof health &
  typeof leaves &
  typeof history &
  typeof log &
  typeof metrics &
  typeof plugins &
  typeof replay &
  typeof routes &
  typeof services &
  typeof search &
  typeof stream &
  typeof trace &
  typeof values;

/** A schema that no type of the packages has to fit: the variables of an environment are read one by one, as text. */
type Untyped = "Environment";

/** The schemas by the name under which they are exported. */
type Schemas = {
  [K in keyof Modules as Modules[K] extends TSchema ? Exclude<K, Untyped> : never]: Modules[K] extends TSchema
    ? Static<Modules[K]>
    : never;
};

/** The type of the packages for each schema. */
interface Types {
  readonly AccessLogLine: AccessLogLine;
  readonly AgentAwaited: wire.AgentAwaited;
  readonly AgentBean: wire.AgentBean;
  readonly AgentCall: wire.AgentCall;
  readonly AgentCallDetail: wire.AgentCallDetail;
  readonly AgentComparison: wire.AgentComparison;
  readonly AgentDifference: wire.AgentDifference;
  readonly AgentExplanation: wire.AgentExplanation;
  readonly AgentFinding: wire.AgentFinding;
  readonly AgentGraph: wire.AgentGraph;
  readonly AgentHealth: wire.AgentHealth;
  readonly AgentLeaf: wire.AgentLeaf;
  readonly AgentLine: wire.AgentLine;
  readonly AgentOccurrence: wire.AgentOccurrence;
  readonly AgentOccurrences: wire.AgentOccurrences;
  readonly AgentPlace: wire.AgentPlace;
  readonly AgentRoute: wire.AgentRoute;
  readonly AgentRoutes: wire.AgentRoutes;
  readonly AgentRun: wire.AgentRun;
  readonly AgentRunView: wire.AgentRunView;
  readonly AgentRuns: wire.AgentRuns;
  readonly AgentSent: wire.AgentSent;
  readonly AgentSummary: wire.AgentSummary;
  readonly Aggregates: wire.Aggregates;
  readonly Annotation: wire.Annotation;
  readonly BeanAggregate: wire.BeanAggregate;
  readonly BeanEdge: wire.BeanEdge;
  readonly BeanGraph: wire.BeanGraph;
  readonly BeanNode: wire.BeanNode;
  readonly BeanStart: wire.BeanStart;
  readonly CacheDetail: wire.CacheDetail;
  readonly Call: wire.Call;
  readonly CheckOutcome: wire.CheckOutcome;
  readonly CheckStatus: wire.CheckStatus;
  readonly CheckView: wire.CheckView;
  readonly Config: Omit<FrameworkOptions, "engine" | "logger" | "compileSchema" | "jsonSchemaOf"> & {
    readonly $schema?: string;
  };
  readonly ContractBody: wire.ContractBody;
  readonly ContractFile: wire.ContractFile;
  readonly ContractIssue: wire.ContractIssue;
  readonly ContractPart: wire.ContractPart;
  readonly ErrorCause: wire.ErrorCause;
  readonly ErrorInfo: wire.ErrorInfo;
  readonly Excerpt: wire.Excerpt;
  readonly Gap: wire.Gap;
  readonly HealthResult: HealthResult;
  readonly HealthView: wire.HealthView;
  readonly HistoryPage: wire.HistoryPage;
  readonly HookStart: wire.HookStart;
  readonly HttpDetail: wire.HttpDetail;
  readonly Json: wire.Json;
  readonly JsonObject: wire.JsonObject;
  readonly Leaf: wire.Leaf;
  readonly LeafError: wire.LeafError;
  readonly LeafKind: wire.LeafKind;
  readonly LogDetail: wire.LogDetail;
  readonly MessageDetail: wire.MessageDetail;
  readonly MethodSource: wire.MethodSource;
  readonly MethodSources: readonly wire.MethodSource[];
  readonly MetricsSnapshot: MetricsSnapshot;
  readonly MetricsView: wire.MetricsView;
  readonly Panel: wire.Panel;
  readonly PanelInfo: wire.PanelInfo;
  readonly PanelKind: wire.PanelKind;
  readonly PanelList: readonly wire.PanelInfo[];
  readonly PendingCall: wire.PendingCall;
  readonly Problem: Problem;
  readonly ProblemIssue: ProblemIssue;
  readonly ReplayBean: wire.ReplayBean;
  readonly ReplayEnd: wire.ReplayEnd;
  readonly ReplayOf: wire.ReplayOf;
  readonly ReplayPlan: wire.ReplayPlan;
  readonly ReplayProblem: wire.ReplayProblem;
  readonly RouteAggregate: wire.RouteAggregate;
  readonly RouteContract: wire.RouteContract;
  readonly RouteExample: wire.RouteExample;
  readonly RouteInfo: wire.RouteInfo;
  readonly RouteList: readonly wire.RouteInfo[];
  readonly RunKind: wire.RunKind;
  readonly RunReference: wire.RunReference;
  readonly SearchHit: wire.SearchHit;
  readonly SearchIssue: wire.SearchIssue;
  readonly SearchPage: wire.SearchPage;
  readonly SearchPart: wire.SearchPart;
  readonly SearchProblem: wire.SearchProblem;
  readonly ServiceRun: wire.ServiceRun;
  readonly Session: wire.Session;
  readonly SessionList: wire.SessionList;
  readonly SetCookie: wire.SetCookie;
  readonly SpanDetail: wire.SpanDetail;
  readonly SqlDetail: wire.SqlDetail;
  readonly StackFrame: wire.StackFrame;
  readonly StartError: wire.StartError;
  readonly StartUp: wire.StartUp;
  readonly StartUpView: wire.StartUpView;
  readonly Started: wire.Started;
  readonly Stereotype: wire.Stereotype;
  readonly TaggedValue: wire.TaggedValue;
  readonly Trace: wire.Trace;
  readonly TraceList: readonly wire.Trace[];
  readonly TraceRequest: wire.TraceRequest;
  readonly TraceResponse: wire.TraceResponse;
  readonly UntracedReason: wire.UntracedReason;
}

/** `T` with every member and item read-only and no `| undefined` on optional members, so that only the rest compares. */
type Frozen<T> = T extends readonly (infer I)[]
  ? readonly Frozen<I>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<Exclude<T[K], undefined>> }
    : T;

/** Are both the same type? Stricter than assignable both ways, which does not see a lost optional member or form. */
type Same<A, B> = (<T>() => T extends Frozen<A> ? 1 : 2) extends <T>() => T extends Frozen<B> ? 1 : 2 ? true : false;

/** Every schema, and that its type is the same. */
export const wireTypes: {
  readonly [K in keyof Schemas | keyof Types]: K extends keyof Schemas & keyof Types
    ? Same<Types[K], Schemas[K]>
    : "only in spec/, or only in Types";
} = {
  AccessLogLine: true,
  AgentAwaited: true,
  AgentBean: true,
  AgentCall: true,
  AgentCallDetail: true,
  AgentComparison: true,
  AgentDifference: true,
  AgentExplanation: true,
  AgentFinding: true,
  AgentGraph: true,
  AgentHealth: true,
  AgentLeaf: true,
  AgentLine: true,
  AgentOccurrence: true,
  AgentOccurrences: true,
  AgentPlace: true,
  AgentRoute: true,
  AgentRoutes: true,
  AgentRun: true,
  AgentRunView: true,
  AgentRuns: true,
  AgentSent: true,
  AgentSummary: true,
  Aggregates: true,
  Annotation: true,
  BeanAggregate: true,
  BeanEdge: true,
  BeanGraph: true,
  BeanNode: true,
  BeanStart: true,
  CacheDetail: true,
  Call: true,
  CheckOutcome: true,
  CheckStatus: true,
  CheckView: true,
  Config: true,
  ContractBody: true,
  ContractFile: true,
  ContractIssue: true,
  ContractPart: true,
  ErrorCause: true,
  ErrorInfo: true,
  Excerpt: true,
  Gap: true,
  HealthResult: true,
  HealthView: true,
  HistoryPage: true,
  HookStart: true,
  HttpDetail: true,
  Json: true,
  JsonObject: true,
  Leaf: true,
  LeafError: true,
  LeafKind: true,
  LogDetail: true,
  MessageDetail: true,
  MethodSource: true,
  MethodSources: true,
  MetricsSnapshot: true,
  MetricsView: true,
  Panel: true,
  PanelInfo: true,
  PanelKind: true,
  PanelList: true,
  PendingCall: true,
  Problem: true,
  ProblemIssue: true,
  ReplayBean: true,
  ReplayEnd: true,
  ReplayOf: true,
  ReplayPlan: true,
  ReplayProblem: true,
  RouteAggregate: true,
  RouteContract: true,
  RouteExample: true,
  RouteInfo: true,
  RouteList: true,
  RunKind: true,
  RunReference: true,
  SearchHit: true,
  SearchIssue: true,
  SearchPage: true,
  SearchPart: true,
  SearchProblem: true,
  ServiceRun: true,
  Session: true,
  SessionList: true,
  SetCookie: true,
  SpanDetail: true,
  SqlDetail: true,
  StackFrame: true,
  StartError: true,
  StartUp: true,
  StartUpView: true,
  Started: true,
  Stereotype: true,
  TaggedValue: true,
  Trace: true,
  TraceList: true,
  TraceRequest: true,
  TraceResponse: true,
  UntracedReason: true,
};
