/**
 * App panels: the application's own metrics and health, from its middleware. Nothing is measured or checked twice.
 *
 *   app.about.middlewareOf(MetricsMiddleware) ──▶ its collector ──▶ snapshot | null, and why
 *   app.about.middlewareOf(HealthMiddleware)  ──▶ report(5 s)   ──▶ results, the recent ones too | null, and why
 *
 * Spec: spec/history.md
 */
import { HealthMiddleware, InMemoryMetricsCollector, MetricsMiddleware, type HealthReport } from "framework";
import type { CheckOutcome, CheckView, HealthView, MetricsView } from "../run/shapes.ts";
import type { DevtoolsHost } from "../host.ts";

/** A check's result is shown up to this age, so that a page that asks each second does not start a check each second. */
const goodForMs = 5_000;
const maxRecent = 20;

const noMetrics = "no MetricsMiddleware is installed: app.use(new MetricsMiddleware(new InMemoryMetricsCollector()))";
const otherCollector = "the metrics go to a collector that cannot be read here: only an InMemoryMetricsCollector can";
const noHealth =
  "no HealthMiddleware is installed: app.use(new HealthMiddleware({ checks: { database: () => pool.ping() } }))";

/** The content of the application's collector. @param loopP99Us how late the event loop is, if that is known */
export function metricsOf(app: DevtoolsHost, loopP99Us?: number): MetricsView {
  const collectors = app.about.middlewareOf(MetricsMiddleware).map(({ collector }) => collector);
  const readable = collectors.find((collector) => collector instanceof InMemoryMetricsCollector);
  const loop = loopP99Us === undefined ? {} : { loopP99Us };
  if (readable !== undefined) return { metrics: readable.snapshot(), reason: null, ...loop };
  return { ...loop, metrics: null, reason: collectors.length === 0 ? noMetrics : otherCollector };
}

/** The health of one application, with recent results. */
export class HealthPanel {
  readonly #app: DevtoolsHost;
  readonly #shown: (text: string) => string;
  /** By the check's name, the number of the latest result, and those before it, the latest first. */
  readonly #recent = new Map<string, readonly [sequence: number, outcomes: readonly CheckOutcome[]]>();

  /** @param shown a text without its secrets */
  constructor(app: DevtoolsHost, shown: (text: string) => string) {
    this.#app = app;
    this.#shown = shown;
  }

  /** The checks of the first health middleware. */
  async view(): Promise<HealthView> {
    const [health] = this.#app.about.middlewareOf(HealthMiddleware);
    if (health === undefined) return { health: null, reason: noHealth, checks: [] };
    const report = await health.report(goodForMs);
    const checks = report.checks.map((check) => this.#viewOf(check));
    const statuses = Object.fromEntries(checks.map(({ name, status }) => [name, status]));
    return { health: { status: report.status, checks: statuses }, reason: null, checks };
  }

  #viewOf({ name, status, durationUs, checkedAt, sequence, error }: HealthReport["checks"][number]): CheckView {
    const [last, outcomes] = this.#recent.get(name) ?? noneYet;
    const recent = sequence === last ? outcomes : [{ status, durationUs, checkedAt }, ...outcomes].slice(0, maxRecent);
    this.#recent.set(name, [sequence, recent]);
    const reason = error === undefined ? {} : { error: this.#shown(error) };
    return { name, status, durationUs, checkedAt, ...reason, recent };
  }
}

const noneYet = [-1, []] as const;
