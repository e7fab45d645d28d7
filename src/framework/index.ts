/**
 * framework: everything an application imports. No runtime dependency, and no static `node:` import behind it.
 */
export { Framework } from "./framework.ts";
export type { RouteInfo } from "./route-info.ts";
export type { FrameworkOptions, Limits, Logger, Timeouts } from "./config.ts";
export type { ForwardingHeader, ProxyAddresses, ProxyHops, TrustedProxies } from "./trust.ts";
export type { AttributeOf, Completion, CompletionListener, Context, ContextAttributes, StreamBody } from "./context.ts";
export type { Lifecycle, Middleware, MiddlewareFunction, MiddlewareLike, Next, Refused } from "./pipeline.ts";
export type { Group, Handler, HandlerMethod, HandlerOf, ParamsOf, RouteOptions } from "./routes.ts";
export type { BodyOf, BodyType, CompiledValidator, Parser, StandardSchema } from "./body.ts";
export { SseBatch, SseStream, type SseEvent } from "./sse.ts";
export {
  BadRequestError,
  ClientGoneError,
  ContentTooLargeError,
  errorCodes,
  HttpError,
  MethodNotAllowedError,
  NotFoundError,
  ServiceUnavailableError,
  UnprocessableContentError,
  UnsupportedMediaTypeError,
  type ErrorCode,
  type HttpErrorOptions,
  type Problem,
  type ProblemIssue,
} from "./errors.ts";
export { Beans } from "./beans/beans.ts";
export { BeanError, type BeanErrorCode } from "./beans/errors.ts";
export { Interface } from "./beans/interface.ts";
export type { AsyncBeansBuilder, BeansBuilder, BindOptions } from "./beans/builder.ts";
export type {
  BeanDecorator,
  BeanGraph,
  BeanInfo,
  BeanNode,
  BeanResolver,
  BeanType,
  Class,
  Stereotype,
} from "./beans/types.ts";
export { NodeHttpEngine } from "./engine/node-http.ts";
export { NodeHttp2Engine, type Http2Options, type TlsOptions } from "./engine/node-http2.ts";
export type {
  Delivery,
  EngineConfig,
  EngineHandler,
  Exchange,
  GoneListener,
  RefusedRequest,
  RunningEngine,
  ServerEngine,
  Sink,
} from "./engine/exchange.ts";
export { CorsMiddleware } from "./middleware/cors.ts";
export type { CorsBuilder, CorsOptions, OriginCheck } from "./middleware/cors-policy.ts";
export { HealthMiddleware, type HealthResult } from "./middleware/health.ts";
export type {
  HealthBuilder,
  HealthCheckEntry,
  HealthCheckOptions,
  HealthGroup,
  HealthOptions,
} from "./middleware/health-options.ts";
export type { HealthCheck, HealthStatus } from "./middleware/health-checks.ts";
export { MetricsMiddleware, type MetricsOptions } from "./middleware/metrics.ts";
export { RequestIdMiddleware, type RequestIdOptions } from "./middleware/request-id.ts";
export { RequestLoggingMiddleware, type RequestLoggingOptions } from "./middleware/request-logging.ts";
export type { MetricsCollector, Observation } from "./metrics/collector.ts";
export { EXPOSITION_CONTENT_TYPE } from "./metrics/exposition.ts";
export type { AccessLogLine } from "./middleware/log-line.ts";
export {
  InMemoryMetricsCollector,
  type InMemoryMetricsOptions,
  type MetricsSnapshot,
  type RouteMetrics,
} from "./metrics/in-memory.ts";
