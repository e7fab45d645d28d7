/** framework: everything an application imports. No runtime dependency, and no static `node:` import anywhere in it. */
export { Framework } from "./app/framework.ts";
export type { StopOptions } from "./app/boot.ts";
export type { AppAbout, AppObserver, StartWrap } from "./app/observe.ts";
export type { Phase, PhaseListener } from "./http/phases.ts";
export { fetchHandler, type FetchHandler, type FetchPlatform } from "./engine/fetch/fetch.ts";
export type { NativeHandshake, NativeSocket, NativeUpgrade, SocketPeer } from "./http/native-socket.ts";
export type { RouteInfo } from "./app/route-info.ts";
export {
  definePlugin,
  type AppPanel,
  type PanelGraph,
  type PanelKind,
  type Plugin,
  type PluginArguments,
  type PluginDefinition,
  type PluginPanel,
  type PluginScope,
  type PluginSettings,
} from "./app/plugins.ts";
export type { FrameworkOptions, Limits, Timeouts } from "./app/config.ts";
export { consoleLogger, pinoLogger } from "./internal/logger.ts";
export type {
  ConsoleLoggerOptions,
  Log,
  LogEntry,
  LogFields,
  Logger,
  LogLevel,
  PinoLike,
  SafeLogger,
} from "./internal/logger.ts";
export type { LogListener } from "./http/request-log.ts";
export type { ForwardingHeader, ProxyAddresses, ProxyHops, TrustedProxies } from "./http/trust.ts";
export type { AnnotationListener } from "./http/annotations.ts";
export type {
  Annotations,
  AttributeOf,
  ChunkListener,
  Completion,
  CompletionListener,
  Context,
  ContextAttributes,
  ContextOf,
  ContextPlatform,
  ContextPlatforms,
  RecordedResponse,
  Responded,
  ResponseHook,
  StreamBody,
  WebSocketContext,
} from "./http/context.ts";
export { Attribute } from "./http/attributes.ts";
export type { CookieOptions, CookiePlace } from "./http/cookies.ts";
export { signedCookies, type SignedCookies } from "./http/signed-cookies.ts";
export { HookMiddleware } from "./middleware/hooks.ts";
export type { Lifecycle, Middleware, MiddlewareFunction, MiddlewareLike, Next, SendWrap } from "./middleware/types.ts";
export type { WorkOrigin } from "./http/services.ts";
export type {
  ConnectionEvent,
  ConnectionMessages,
  ReadMessage,
  UpgradedConnection,
  UpgradeHandler,
} from "./http/upgrade.ts";
export type {
  Handler,
  HandlerMethod,
  HandlerOf,
  MemberName,
  MethodName,
  ParamsOf,
  Returned,
  YieldingHandler,
} from "./dispatch/handler-types.ts";
export type { AnyVerb, Group, Routes, Verb, WebSocketVerb } from "./dispatch/registration.ts";
export { apiVersions, type ApiVersion, type VersionedBy, type VersionSelector } from "./dispatch/versions.ts";
export type { MessageOptions, RouteOptions, SharedOptions, YieldingOptions } from "./dispatch/route-options.ts";
export type {
  ContractBody,
  ContractFile,
  ContractMessages,
  ContractPart,
  ContractResponse,
  RouteContract,
} from "./dispatch/route-contract.ts";
export type { ExampleRequest, RouteExample } from "./dispatch/route-example.ts";
export type {
  BodyOf,
  BodyType,
  CompiledValidator,
  JsonSchema,
  Parser,
  Schema,
  SchemaTypes,
  StandardSchema,
} from "./contract/schema.ts";
export { contract, form } from "./contract/contract.ts";
export type {
  Contract,
  DeclaredRoute,
  DeclaredVersion,
  Deprecation,
  Input,
  Reply,
  ReplyOf,
  ReturnOf,
  RouteDocs,
  RouteMeta,
  ToolDocs,
} from "./contract/contract.ts";
export type { BodySource, FormBody, FormParts, MultipartBody, MultipartReader } from "./contract/form-body.ts";
export type { CompileSchema } from "./contract/input.ts";
export type { CompileSerializer } from "./contract/shape.ts";
export type { JsonSchemaOf } from "./contract/json-schema.ts";
export type { ResponseChecks } from "./http/declared-responses.ts";
export { bytes, empty, events, redirect, stream, text } from "./contract/declared-body.ts";
export type { AcceptedBy, DeclaredEvent, ResponseBody, ResponseBodyKind, Sendable } from "./contract/declared-body.ts";
export { LazyResponse } from "./http/lazy-response.ts";
export { SseBatch, SseStream, type SseEvent } from "./http/sse.ts";
export {
  BadRequestError,
  ClientGoneError,
  ConflictError,
  ContentTooLargeError,
  ForbiddenError,
  GoneError,
  HttpError,
  MethodNotAllowedError,
  NotFoundError,
  PreconditionRequiredError,
  ServiceUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  UnprocessableContentError,
  UnsupportedMediaTypeError,
  type HttpErrorOptions,
  type Problem,
  type ProblemIssue,
  type RequestPart,
  type TooManyRequestsOptions,
  type UnauthorizedOptions,
} from "./internal/errors.ts";
export { errorCodes, type ErrorCode } from "./internal/usage-errors.ts";
export { Beans } from "./beans/beans.ts";
export { observeCalls, type CallObserver, type MethodCall } from "./beans/calls.ts";
export { BeanError, type BeanErrorCode } from "./beans/errors.ts";
export { Interface } from "./beans/interface.ts";
export type { AsyncBeansBuilder, BeanBinder, BeansBuilder, BindOptions } from "./beans/builder.ts";
export type {
  BeanDecorator,
  BeanGraph,
  BeanInfo,
  BeanNode,
  UntracedReason,
  BeanResolver,
  BeanType,
  Class,
  Stereotype,
} from "./beans/types.ts";
export {
  NodeHttp2Engine,
  NodeHttpEngine,
  type Http2Options,
  type NodeUpgradeListener,
  type TlsOptions,
} from "./engine/node.ts";
export type { RejectedRequest } from "./http/exchange.ts";
export { CorsMiddleware } from "./middleware/cors/cors.ts";
export type { CorsBuilder, CorsOptions, OriginCheck } from "./middleware/cors/cors-policy.ts";
export { CrossOriginProtectionMiddleware } from "./middleware/cross-origin/cross-origin.ts";
export type { CrossOriginOptions } from "./middleware/cross-origin/cross-origin-check.ts";
export { CompressionMiddleware, type CompressionOptions } from "./middleware/compression/compression.ts";
export type { CodingName, Levels as CompressionLevels } from "./middleware/compression/coders.ts";
export { EtagMiddleware, type EtagOptions } from "./middleware/etag/etag.ts";
export {
  evaluatePreconditions,
  type ConditionalRequest,
  type Validators,
  type PreconditionVerdict,
} from "./internal/preconditions.ts";
export {
  HealthMiddleware,
  type HealthReport,
  type HealthReportCheck,
  type HealthResult,
} from "./middleware/health/health.ts";
export type {
  HealthBuilder,
  HealthCheckEntry,
  HealthCheckOptions,
  HealthChecks,
  HealthGroup,
  HealthOptions,
} from "./middleware/health/health-options.ts";
export type { HealthCheck, HealthStatus } from "./middleware/health/health-checks.ts";
export { MetricsMiddleware, type MetricsOptions } from "./middleware/metrics/metrics.ts";
export { ServerTimingMiddleware, type ServerTimingOptions } from "./middleware/server-timing/server-timing.ts";
export { OverloadMiddleware, type OverloadOptions } from "./middleware/overload/overload.ts";
export type { BackgroundWork, BackgroundWrap } from "./app/background.ts";
export type {
  AppJobs,
  DeadLetter,
  Job,
  JobBackoff,
  JobFunction,
  JobHandler,
  JobInput,
  JobMethodName,
  JobRun,
  JobTrial,
  ScheduleFacts,
  ScheduleOptions,
  TrialResult,
  WorkEngine,
} from "./app/work.ts";
export type { JobOrigin, JobSending } from "./http/job-origin.ts";
export { RequestIdMiddleware, type RequestIdOptions } from "./middleware/request-id/request-id.ts";
export { currentLog, LogScopeMiddleware } from "./middleware/log/log-scope.ts";
export { RequestLoggingMiddleware, type RequestLoggingOptions } from "./middleware/log/request-logging.ts";
export {
  SecurityHeadersMiddleware,
  type SecurityHeadersOptions,
  type TransportSecurityOptions,
} from "./middleware/security-headers/security-headers.ts";
export type { PolicyDirectives, PolicyOptions } from "./middleware/security-headers/content-policy.ts";
export type { DeprecatedCall, JobCounts, MetricsCollector, Observation, StartedRequest } from "./metrics/collector.ts";
export type {
  EventLoopDelay,
  GarbageCollections,
  GarbageKind,
  HeapSpace,
  RuntimeMetrics,
  RuntimeSource,
} from "./metrics/runtime/runtime-metrics.ts";
export { type DeprecatedMetrics, EXPOSITION_CONTENT_TYPE } from "./metrics/exposition.ts";
export type { AccessLogLine } from "./middleware/log/log-line.ts";
export {
  InMemoryMetricsCollector,
  type InMemoryMetricsOptions,
  type MetricsSnapshot,
  type RouteMetrics,
} from "./metrics/in-memory.ts";
