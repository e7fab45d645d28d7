/**
 * Fails the build if a type that `framework` exports differs from its schema in spec/. The types of devtools are generated
 * from their schemas (scripts/shapes.mjs) and need no such check.
 */
import type { AccessLogLine, FrameworkOptions, HealthResult, MetricsSnapshot, Problem, ProblemIssue } from "framework";
import type { Static } from "typebox";
import type * as config from "../spec/config.ts";
import type * as errors from "../spec/errors.ts";
import type * as health from "../spec/health.ts";
import type * as log from "../spec/log.ts";
import type * as metrics from "../spec/metrics.ts";

/** `T` with every member and item read-only and no `| undefined` on optional members, so that only the rest is compared. */
type Frozen<T> = T extends readonly (infer I)[]
  ? readonly Frozen<I>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<Exclude<T[K], undefined>> }
    : T;

/** Are both the same type? Stricter than mutual assignability, which does not detect a lost optional member or form. */
type Same<A, B> = (<T>() => T extends Frozen<A> ? 1 : 2) extends <T>() => T extends Frozen<B> ? 1 : 2 ? true : false;

/** The content of a configuration file: the options that are not code. */
type Config = Omit<FrameworkOptions, "engine" | "logger" | "compileSchema" | "compileSerializer" | "jsonSchemaOf"> & {
  readonly $schema?: string;
};

/** Each type, with the proof that its schema is the same. */
export const wireTypes: {
  readonly AccessLogLine: Same<AccessLogLine, Static<typeof log.AccessLogLine>>;
  readonly Config: Same<Config, Static<typeof config.Config>>;
  readonly HealthResult: Same<HealthResult, Static<typeof health.HealthResult>>;
  readonly MetricsSnapshot: Same<MetricsSnapshot, Static<typeof metrics.MetricsSnapshot>>;
  readonly Problem: Same<Problem, Static<typeof errors.Problem>>;
  readonly ProblemIssue: Same<ProblemIssue, Static<typeof errors.ProblemIssue>>;
} = { AccessLogLine: true, Config: true, HealthResult: true, MetricsSnapshot: true, Problem: true, ProblemIssue: true };
