/**
 * Stops the build when a type of the packages and its schema in spec/ no longer say the same.
 *
 * Nothing here runs: each line is a claim that only compiles while both sides fit each other.
 */
import type { BeanGraph, RouteInfo, Trace } from "@framework/devtools";
import type { AccessLogLine, FrameworkOptions, HealthResult, MetricsSnapshot } from "framework";
import type { Static } from "typebox";
import type * as config from "../spec/config.ts";
import type * as graph from "../spec/graph.ts";
import type * as health from "../spec/health.ts";
import type * as log from "../spec/log.ts";
import type * as metrics from "../spec/metrics.ts";
import type * as routes from "../spec/routes.ts";
import type * as trace from "../spec/trace.ts";

/** `T` with every member and item read-only and no `| undefined` on optional members, so that names and types compare. */
type Frozen<T> = T extends readonly (infer I)[]
  ? readonly Frozen<I>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<Exclude<T[K], undefined>> }
    : T;

type Fits<A, B> = [Frozen<A>] extends [Frozen<B>] ? true : false;

/** Do type and schema fit each other, member by member? */
type Same<A, B> = [
  Fits<A, B>,
  Fits<B, A>,
  keyof A extends keyof B ? true : false,
  keyof B extends keyof A ? true : false,
];

/** Does the type fit the schema, with the same member names? For shapes whose schema leaves JSON values open. */
type Within<A, B> = [Fits<A, B>, keyof A extends keyof B ? true : false, keyof B extends keyof A ? true : false];

export const held: {
  readonly config: Same<Omit<FrameworkOptions, "engine" | "logger">, Omit<Static<typeof config.Config>, "$schema">>;
  readonly graph: Same<BeanGraph, Static<typeof graph.BeanGraph>>;
  readonly routes: Same<RouteInfo, Static<typeof routes.RouteInfo>>;
  readonly trace: Within<Trace, Static<typeof trace.Trace>>;
  readonly health: Same<HealthResult, Static<typeof health.HealthResult>>;
  readonly log: Within<Static<typeof log.AccessLogLine>, AccessLogLine>;
  readonly metrics: Same<MetricsSnapshot, Static<typeof metrics.MetricsSnapshot>>;
} = {
  config: [true, true, true, true],
  graph: [true, true, true, true],
  routes: [true, true, true, true],
  trace: [true, true, true],
  health: [true, true, true, true],
  log: [true, true, true],
  metrics: [true, true, true, true],
};
