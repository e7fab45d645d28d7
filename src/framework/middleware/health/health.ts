/**
 * Health middleware: responds on one path with the outcome of every registered check.
 *
 *   GET | HEAD <path>      ──▶ all checks, concurrently     ──▶ 200 UP | 503 DOWN
 *   GET | HEAD <liveness>  ──▶ the checks of that group     ──▶ 200 | 503
 *   GET | HEAD <readiness> ──▶ the checks of that group     ──▶ 200 | 503, always 503 while draining
 *   anything else          ──▶ goes on                          a slash at the end counts as for routes
 *
 * It responds within the overall timeout for any check, and reveals only UP or DOWN unless details are on.
 *
 * Spec: spec/health.md, shape HealthResult
 */
import type { Context } from "../../http/context.ts";
import { HookMiddleware } from "../hooks.ts";
import type { Lifecycle } from "../types.ts";
import { CheckRunner, type CheckResult, type HealthStatus } from "./health-checks.ts";
import { addHealthPath } from "./health-paths.ts";
import { HealthBuilder, healthPlan, type HealthGroup, type HealthOptions } from "./health-options.ts";

/** The body of a health response. */
export interface HealthResult {
  readonly status: HealthStatus;
  /** Every check that ran, in registration order. */
  readonly checks: { readonly [name: string]: HealthStatus };
  /** Only with `.details(true)`. */
  readonly details?:
    | { readonly [name: string]: { readonly durationUs: number; readonly error?: string | undefined } }
    | undefined;
}

/** A check in a {@link HealthReport}. */
export interface HealthReportCheck {
  readonly name: string;
  readonly status: HealthStatus;
  readonly durationUs: number;
  /** Why it is down. */
  readonly error?: string | undefined;
  /** Time of that result in epoch milliseconds. */
  readonly checkedAt: number;
  /** The number of that result for its check, from 1. The same number means the same result. */
  readonly sequence: number;
}

/** The value of {@link HealthMiddleware.report}. */
export interface HealthReport {
  readonly status: HealthStatus;
  /** Every check, in registration order. */
  readonly checks: readonly HealthReportCheck[];
}

interface NamedCheck {
  /** The name as a JSON string. */
  readonly key: string;
  readonly runner: CheckRunner;
  readonly groups: readonly HealthGroup[];
}

interface Probe {
  readonly checks: readonly NamedCheck[];
  readonly isReadiness: boolean;
}

/**
 * Tells probes and load balancers whether the app is healthy.
 *
 * @example
 * ```ts
 * app.use(new HealthMiddleware({ checks: { database: () => pool.ping() } }));
 * ```
 */
export class HealthMiddleware extends HookMiddleware {
  readonly #probes: Map<string, Probe>;
  readonly #details: boolean;
  readonly #checks: readonly NamedCheck[];
  #app: Lifecycle | undefined;

  /** @throws TypeError on a duplicate check name, a bad path or a bad time. */
  constructor(options: HealthOptions = {}) {
    super();
    const plan = healthPlan(options);
    const checks = plan.checks.map(({ name, check, timeoutMs, groups }) => {
      return { key: JSON.stringify(name), runner: new CheckRunner(check, timeoutMs, plan.cacheMs), groups };
    });
    const probes = new Map<string, Probe>([[plan.path, { checks, isReadiness: false }]]);
    for (const group of ["liveness", "readiness"] as const) {
      const path = plan[group];
      const members = checks.filter((one) => one.groups.includes(group));
      if (path !== undefined) probes.set(path, { checks: members, isReadiness: group === "readiness" });
    }
    this.#probes = probes;
    this.#checks = checks;
    this.#details = plan.details;
  }

  /** Starts from the defaults: `/health`, no checks, 1,000 ms. */
  static builder(): HealthBuilder<HealthMiddleware> {
    return new HealthBuilder((options) => new HealthMiddleware(options));
  }

  /** `/health` without checks: UP as long as the process responds. */
  static defaults(): HealthMiddleware {
    return new HealthMiddleware();
  }

  /**
   * The outcome of every check, for observers. A result of any probe with at most that age is reused, and a running check is
   * awaited, so that frequent reads start no frequent runs. It shows why a check is down, so do not use it on the open
   * internet.
   */
  async report(maxAgeMs: number): Promise<HealthReport> {
    // oxlint-disable-next-line typescript/await-thenable -- some results are promises, some are not
    const results = await Promise.all(this.#checks.map(({ runner }) => runner.resultWithin(maxAgeMs)));
    const checks = this.#checks.map(({ key, runner }, at): HealthReportCheck => {
      const { status = "DOWN", durationUs = 0, error } = results[at] ?? {};
      const checkedAt = Math.round(Date.now() - runner.ageMs);
      return {
        name: JSON.parse(key) as string,
        status,
        durationUs,
        checkedAt,
        sequence: runner.results,
        ...(error === undefined ? {} : { error }),
      };
    });
    return { status: checks.every(({ status }) => status === "UP") ? "UP" : "DOWN", checks };
  }

  installed(app: Lifecycle): void {
    this.#app = app;
    for (const [path, probe] of Array.from(this.#probes)) {
      const compared = app.comparedPath(path);
      if (!this.#probes.has(compared)) this.#probes.set(compared, probe);
      addHealthPath(app, compared);
    }
  }

  before(ctx: Context): void | Promise<void> {
    const path = this.#probes.has(ctx.path) ? ctx.path : (this.#app?.comparedPath(ctx.path) ?? ctx.path);
    const probe = this.#probes.get(path);
    if (probe === undefined || (ctx.method !== "GET" && ctx.method !== "HEAD")) return undefined;
    ctx.setRoute(path);
    const results = probe.checks.map((one) => one.runner.result());
    if (results.every(isSettled)) return this.#respond(ctx, probe, results);
    // oxlint-disable-next-line typescript/await-thenable -- some results are promises, some are not
    return Promise.all(results).then((settled) => this.#respond(ctx, probe, settled));
  }

  #respond(ctx: Context, probe: Probe, results: readonly CheckResult[]): void {
    const draining = probe.isReadiness && this.#app?.draining === true;
    const up = !draining && results.every((result) => result.status === "UP");
    ctx.status(up ? 200 : 503);
    ctx.setHeader("Cache-Control", "no-store");
    ctx.setHeader("Content-Type", "application/json; charset=utf-8");
    ctx.text(healthJson(up ? "UP" : "DOWN", probe.checks, results, this.#details));
  }
}

function isSettled(result: CheckResult | Promise<CheckResult>): result is CheckResult {
  return !(result instanceof Promise);
}

/**
 * A {@link HealthResult} as text. Written member by member, because an object would reorder names such as `1` and lose one
 * called `__proto__`.
 */
export function healthJson(
  status: HealthStatus,
  checks: readonly { readonly key: string }[],
  results: readonly CheckResult[],
  withDetails: boolean,
): string {
  const members = (text: (result: CheckResult) => string): string =>
    results.map((result, index) => `${checks[index]?.key}:${text(result)}`).join(",");
  const outcomes = members((result) => `"${result.status}"`);
  const details = withDetails
    ? `,"details":{${members(({ durationUs, error }) => JSON.stringify({ durationUs, error }))}}`
    : "";
  return `{"status":"${status}","checks":{${outcomes}}${details}}`;
}
