/**
 * framework: everything an application imports. No runtime dependency, and no static `node:` import behind it.
 */
export { Framework } from "./app/framework.ts";
export type { RouteInfo } from "./app/route-info.ts";
export type { FrameworkOptions, Limits, Logger, Timeouts } from "./app/config.ts";
export type { ForwardingHeader, ProxyAddresses, ProxyHops, TrustedProxies } from "./http/trust.ts";
export type {
  AttributeOf,
  ChunkListener,
  Completion,
  CompletionListener,
  Context,
  ContextAttributes,
  ContextOf,
  RecordedResponse,
  Responded,
  ResponseHook,
  StreamBody,
} from "./http/context.ts";
export { type BeforeResult, CONTINUE, HookMiddleware } from "./middleware/hooks.ts";
export type { Lifecycle, Middleware, MiddlewareFunction, MiddlewareLike, Next } from "./middleware/types.ts";
export type { UpgradedConnection, UpgradeHandler } from "./http/upgrade.ts";
export type {
  Group,
  Handler,
  HandlerMethod,
  HandlerOf,
  ParamsOf,
  Returned,
  RouteOptions,
  Routes,
  SharedOptions,
} from "./dispatch/registration.ts";
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
  FormBody,
  Input,
  Reply,
  ReplyOf,
  ReturnOf,
  RouteDocs,
  RouteMeta,
  Sendable,
} from "./contract/contract.ts";
export type { CompileSchema } from "./contract/input.ts";
export type { ResponseChecks } from "./contract/response-checks.ts";
export { SseBatch, SseStream, type SseEvent } from "./http/sse.ts";
export {
  BadRequestError,
  ClientGoneError,
  ContentTooLargeError,
  HttpError,
  MethodNotAllowedError,
  NotFoundError,
  ServiceUnavailableError,
  UnprocessableContentError,
  UnsupportedMediaTypeError,
  type HttpErrorOptions,
  type Problem,
  type ProblemIssue,
  type RequestPart,
} from "./internal/errors.ts";
export { errorCodes, type ErrorCode } from "./internal/usage-errors.ts";
export { Beans } from "./beans/beans.ts";
export { BeanError, type BeanErrorCode } from "./beans/errors.ts";
export { Interface } from "./beans/interface.ts";
export type { AsyncBeansBuilder, BeansBuilder, BindOptions } from "./beans/builder.ts";
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
export { NodeHttpEngine } from "./engine/node-http/node-http.ts";
export { NodeHttp2Engine, type Http2Options, type TlsOptions } from "./engine/http2/node-http2.ts";
export type { NodeUpgradeListener } from "./engine/hosted/hosted-upgrade.ts";
export type { RejectedRequest } from "./http/exchange.ts";
export { CorsMiddleware } from "./middleware/cors/cors.ts";
export type { CorsBuilder, CorsOptions, OriginCheck } from "./middleware/cors/cors-policy.ts";
export { HealthMiddleware, type HealthResult } from "./middleware/health/health.ts";
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
export type { BackgroundWork, BackgroundWrap } from "./app/background.ts";
export { RequestIdMiddleware, type RequestIdOptions } from "./middleware/request-id/request-id.ts";
export { RequestLoggingMiddleware, type RequestLoggingOptions } from "./middleware/log/request-logging.ts";
export type { MetricsCollector, Observation } from "./metrics/collector.ts";
export { EXPOSITION_CONTENT_TYPE } from "./metrics/exposition.ts";
export type { AccessLogLine } from "./middleware/log/log-line.ts";
export {
  InMemoryMetricsCollector,
  type InMemoryMetricsOptions,
  type MetricsSnapshot,
  type RouteMetrics,
} from "./metrics/in-memory.ts";
