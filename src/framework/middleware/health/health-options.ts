/**
 * Health options: the configuration of HealthMiddleware, by builder or by object, checked once.
 *
 *   builder().check("db", ping).build() ──▶ HealthOptions ──healthPlan()──▶ HealthPlan
 *
 * Spec: spec/health.md
 */
import { checkOptionNames } from "../../internal/option-names.ts";
import { shown } from "../../internal/usage-errors.ts";
import type { HealthCheck } from "./health-checks.ts";

/** Which probes run a check. The health path itself always runs all. */
export type HealthGroup = "liveness" | "readiness";

/** Options of one check. */
export interface HealthCheckOptions {
  /** At most the overall timeout, which is also the default. */
  readonly timeoutMs?: number | undefined;
  /** Default `["readiness"]`, because a dependency that is down must not restart the process. */
  readonly groups?: readonly HealthGroup[] | undefined;
}

/** One registered check. */
export interface HealthCheckEntry extends HealthCheckOptions {
  readonly name: string;
  readonly check: HealthCheck;
}

/** Checks by their names. */
export type HealthChecks = Readonly<Record<string, HealthCheck | Omit<HealthCheckEntry, "name">>>;

/** Options of HealthMiddleware. */
export interface HealthOptions {
  /** The path that runs every check. Default `/health`. */
  readonly path?: string | undefined;
  /** By name: a function, or one with its own timeout and groups. Reported in this order. */
  readonly checks?: HealthChecks | readonly HealthCheckEntry[] | undefined;
  /** Bound of a check and of the whole response. Default 1,000 ms. */
  readonly timeoutMs?: number | undefined;
  /** How long a result is reused. Default 0 (never). */
  readonly cacheMs?: number | undefined;
  /** Path of the liveness probe. Default none. */
  readonly liveness?: string | undefined;
  /** Path of the readiness probe, which is 503 while the app drains. Default none. */
  readonly readiness?: string | undefined;
  /** Also shows how long each check took and why it is down. Default false. */
  readonly details?: boolean | undefined;
}

/** A checked configuration. */
export interface HealthPlan {
  readonly path: string;
  readonly liveness: string | undefined;
  readonly readiness: string | undefined;
  readonly cacheMs: number;
  readonly details: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly check: HealthCheck;
    readonly timeoutMs: number;
    readonly groups: readonly HealthGroup[];
  }[];
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Collects {@link HealthOptions}. */
export class HealthBuilder<T> {
  readonly #create: (options: HealthOptions) => T;
  readonly #checks: HealthCheckEntry[] = [];
  #options: HealthOptions = {};

  constructor(create: (options: HealthOptions) => T) {
    this.#create = create;
  }

  /** The path that runs every check. */
  path(path: string): this {
    return this.#with({ path });
  }

  /** Adds a check. `false`, a throw, a rejection and the timeout are DOWN. `true` and no value are UP. */
  check(name: string, check: HealthCheck, options: HealthCheckOptions = {}): this {
    this.#checks.push({ ...options, name, check });
    return this;
  }

  /** Bound of each check and of the whole response, in milliseconds. */
  timeout(ms: number): this {
    return this.#with({ timeoutMs: ms });
  }

  /** Reuses a result for that many milliseconds. */
  cache(ms: number): this {
    return this.#with({ cacheMs: ms });
  }

  /** A path that runs only the checks of group `liveness`. */
  liveness(path: string): this {
    return this.#with({ liveness: path });
  }

  /** A path that runs the checks of group `readiness`, and is 503 while the app drains. */
  readiness(path: string): this {
    return this.#with({ readiness: path });
  }

  /** Also shows how long each check took and why it is down. It shows error messages, so do not use it on the open internet. */
  details(show: boolean): this {
    return this.#with({ details: show });
  }

  /** @throws TypeError on a duplicate name, a bad path or a bad time. */
  build(): T {
    return this.#create({ ...this.#options, checks: this.#checks.slice() });
  }

  #with(more: HealthOptions): this {
    this.#options = { ...this.#options, ...more };
    return this;
  }
}

/** Checks a configuration. @throws TypeError naming the setting, its value and the allowed values. */
export function healthPlan(options: HealthOptions): HealthPlan {
  checkOptionNames("HealthMiddleware", options, [
    "path",
    "checks",
    "timeoutMs",
    "cacheMs",
    "liveness",
    "readiness",
    "details",
  ]);
  const timeoutMs = milliseconds("timeout", options.timeoutMs ?? 1000, 1, MAX_TIMER_MS);
  const path = literalPath("path", options.path ?? "/health");
  const liveness = options.liveness === undefined ? undefined : literalPath("liveness", options.liveness);
  const readiness = options.readiness === undefined ? undefined : literalPath("readiness", options.readiness);
  const paths = [path, liveness, readiness].filter((one) => one !== undefined);
  if (new Set(paths).size < paths.length)
    fail(`two of its paths are the same (${paths.join(", ")}); each needs its own`);
  return {
    path,
    liveness,
    readiness,
    cacheMs: milliseconds("cache", options.cacheMs ?? 0, 0, MAX_TIMER_MS),
    details: flag("details", options.details ?? false),
    checks: plannedChecks(entriesOf(options.checks ?? {}), timeoutMs),
  };
}

function entriesOf(checks: HealthChecks | readonly HealthCheckEntry[]): readonly HealthCheckEntry[] {
  if (isList(checks)) return checks;
  return Object.entries(checks).map(([name, one]) =>
    typeof one === "function" ? { name, check: one } : { ...one, name },
  );
}

const isList = (checks: HealthChecks | readonly HealthCheckEntry[]): checks is readonly HealthCheckEntry[] =>
  Array.isArray(checks);

function plannedChecks(entries: readonly HealthCheckEntry[], overallMs: number): HealthPlan["checks"] {
  const names = new Set<string>();
  return entries.map((entry) => {
    const { name, check, timeoutMs, groups = ["readiness"] } = entry;
    const label = `check ${JSON.stringify(name)}`;
    checkOptionNames(`HealthMiddleware: ${label}`, entry, ["name", "check", "timeoutMs", "groups"]);
    if (typeof name !== "string" || name === "") fail("a check needs a name that is not empty");
    if (names.has(name)) fail(`${label} is registered twice; names must differ`);
    names.add(name);
    if (typeof check !== "function") fail(`${label} is ${typeof check}; a function is allowed`);
    for (const group of groups) {
      if (group !== "liveness" && group !== "readiness")
        fail(`${label} is in group ${JSON.stringify(group)}; liveness and readiness are allowed`);
    }
    return {
      name,
      check,
      groups,
      timeoutMs: milliseconds(`timeoutMs of ${label}`, timeoutMs ?? overallMs, 1, overallMs),
    };
  });
}

/** Any text would count as true. */
function flag(setting: string, value: unknown): boolean {
  if (typeof value === "boolean") return value;
  return fail(`${setting} is ${shown(value)}; true or false is allowed`);
}

function milliseconds(setting: string, value: number, least: number, most: number): number {
  if (Number.isFinite(value) && value >= least && value <= most) return value;
  return fail(`${setting} is ${shown(value)}; ${least} to ${most} milliseconds are allowed`);
}

function literalPath(setting: string, path: string): string {
  if (typeof path === "string" && /^\/[^{}*?#]*$/.test(path)) return path;
  return fail(`${setting} is ${shown(path)}; a literal path that starts with / is allowed`);
}

function fail(sentence: string): never {
  throw new TypeError(`HealthMiddleware: ${sentence}`);
}
