/**
 * Compile: what was registered becomes what serves requests.
 *
 *   routes, middleware, beans, listeners ──▶ CompiledRoutes ──┐
 *   config, logger, background … ──▶ DispatchServices ────────┴──▶ Dispatcher
 *
 * Runs once, when the app starts or its first request comes. @throws where what was registered does not fit together.
 *
 * Spec: spec/routing.md
 */
import type { Beans } from "../beans/beans.ts";
import { observedBeans } from "../beans/observed.ts";
import type { ResponseChecks } from "../contract/response-checks.ts";
import { Dispatcher, type DispatchServices } from "../dispatch/dispatcher.ts";
import type { ErrorMapper } from "../dispatch/error-mapper.ts";
import type { Installed } from "../dispatch/installed.ts";
import type { RouteDefinition, Scope } from "../dispatch/registration.ts";
import { CompiledRoutes } from "../dispatch/route-table.ts";
import type { MiddlewareLike } from "../middleware/types.ts";
import type { Background } from "./background.ts";
import type { Config } from "./config.ts";
import type { Listeners } from "./listeners.ts";
import { declaredRoutes } from "./route-info.ts";
import type { RouteWarnings } from "./route-warnings.ts";

/** What an app is made of by then. */
export interface AppParts {
  readonly config: Config;
  /** What is done with responses that break their contracts. */
  readonly checks: ResponseChecks;
  readonly routes: readonly RouteDefinition[];
  readonly groups: readonly (readonly Scope[])[];
  /** Middleware of the app, the outermost first. */
  readonly outer: readonly Installed[];
  readonly beans: Beans | undefined;
  readonly errors: ErrorMapper;
  readonly listeners: Listeners;
  readonly background: Background;
  readonly warnings: RouteWarnings;
  readonly streams: Set<() => void>;
  install(middleware: MiddlewareLike): Installed;
  isStopping(): boolean;
}

/** Compiles an app. */
export function compile(parts: AppParts): Dispatcher {
  const { config, routes, errors, listeners } = parts;
  const { contextPath } = config;
  const compiled = compiledRoutes(parts);
  listeners.tellRoutes(() => declaredRoutes(routes, contextPath, listeners.jsonSchemaOf));
  const services = servicesOf(parts);
  return new Dispatcher(services, compiled, errors);
}

function compiledRoutes({ config, checks, warnings, ...parts }: AppParts): CompiledRoutes {
  const { contextPath, strictSlash, maxBodyBytes, compileSchema, timeouts } = config;
  return new CompiledRoutes({
    routes: parts.routes,
    groups: parts.groups,
    outer: parts.outer,
    install: parts.install,
    beans: parts.beans,
    contextPath,
    strictSlash,
    maxBodyBytes,
    compileSchema,
    requestMs: timeouts.requestMs,
    handlerMs: timeouts.handlerMs,
    responseHooks: parts.listeners.response,
    jsonSchemaOf: parts.listeners.jsonSchemaOf,
    broken: checks === "off" ? undefined : (ctx, issues) => warnings.broken(ctx, issues, checks),
    reject: (ctx, rejection) => parts.errors.reject(ctx, rejection),
  });
}

function servicesOf({
  config,
  beans,
  listeners,
  background,
  warnings,
  streams,
  isStopping,
}: AppParts): DispatchServices {
  const { contextPath, limits, trustProxy, logger } = config;
  return {
    contextPath,
    limits,
    trustProxy,
    logger,
    streams,
    isStopping,
    jsonDepth: limits.jsonDepth,
    queryPairs: limits.queryPairs,
    beans: beans === undefined ? undefined : observedBeans(beans, listeners.resolve),
    onLog: listeners.log,
    onAnnotation: listeners.annotation,
    onSent: listeners.sent,
    around: (name, work, event, ctx) => background.around(name, work, event, ctx),
    report: (what, error) => logger.error(what, error),
    warnSilent: (ctx) => warnings.silent(ctx),
    warnLost: (ctx, value) => warnings.lost(ctx, value),
    rejected: (request) => listeners.tellRejected(request),
  };
}
