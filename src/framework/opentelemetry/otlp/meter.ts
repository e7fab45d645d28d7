/**
 * Meter and instruments for the exporter, by the interfaces of `@opentelemetry/api`.
 *
 *   add, record ──▶ a series for each set of attributes ──┐
 *   callbacks of observable instruments ──────────────────┴──▶ collect() ──▶ metrics, cumulative since the start
 *
 * An instrument has 2,000 series at most. Others go into one with `otel.metric.overflow`.
 */
import type {
  Attributes,
  BatchObservableCallback,
  Context,
  Counter,
  Gauge,
  Histogram,
  Meter,
  MetricOptions,
  Observable,
  ObservableCallback,
  ObservableCounter,
  ObservableGauge,
  ObservableUpDownCounter,
  UpDownCounter,
} from "@opentelemetry/api";
import type { Faults } from "../../metrics/faults.ts";
import type { Message } from "./protobuf.ts";
import { attributesOf, nanosOf, now } from "./values.ts";

const MAX_SERIES = 2_000;
/** A message is never split, so it must be smaller than a request. */
const MAX_POINTS = 200;
const CUMULATIVE = 2;
const overflow: Attributes = { "otel.metric.overflow": true };
/** OpenTelemetry's, for histograms that name none. */
const defaultBounds = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1_000, 2_500, 5_000, 7_500, 10_000];

interface Series {
  readonly attributes: readonly Message[];
  value: number;
  count: number;
  min: number;
  max: number;
  readonly buckets: number[];
}

type Kind = "counter" | "updown" | "gauge" | "histogram";

/** The instrument behind all types. */
class Instrument implements Observable {
  readonly #name: string;
  readonly #options: MetricOptions;
  readonly #kind: Kind;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();
  readonly #startMs = now();
  readonly callbacks: Set<ObservableCallback> = new Set();

  constructor(name: string, options: MetricOptions = {}, kind: Kind) {
    this.#name = name;
    this.#options = options;
    this.#kind = kind;
    this.#bounds = kind === "histogram" ? [...(options.advice?.explicitBucketBoundaries ?? defaultBounds)] : [];
  }

  add(value: number, attributes: Attributes = {}): void {
    if (!Number.isFinite(value) || (this.#kind === "counter" && value < 0)) return;
    this.#of(attributes).value += value;
  }

  record(value: number, attributes: Attributes = {}): void {
    if (!Number.isFinite(value)) return;
    const series = this.#of(attributes);
    if (this.#kind === "gauge") return void (series.value = value);
    series.value += value;
    series.count += 1;
    series.min = Math.min(series.min, value);
    series.max = Math.max(series.max, value);
    const at = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = at === -1 ? this.#bounds.length : at;
    series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1;
  }

  /** The value of an observable instrument. */
  observe(value: number, attributes: Attributes = {}): void {
    if (Number.isFinite(value)) this.#of(attributes).value = value;
  }

  addCallback(callback: ObservableCallback): void {
    this.callbacks.add(callback);
  }

  removeCallback(callback: ObservableCallback): void {
    this.callbacks.delete(callback);
  }

  /** Observed series are those of the last callbacks. */
  forget(): void {
    this.#series.clear();
  }

  /** The metric, in as many messages as its series need. */
  messages(): readonly Message[] {
    const times = { startTimeUnixNano: nanosOf(this.#startMs), timeUnixNano: nanosOf(now()) };
    const points = Array.from(this.#series.values(), (series) => this.#point(series, times));
    const parts = Array.from({ length: Math.ceil(points.length / MAX_POINTS) }, (_, at) => MAX_POINTS * at);
    return parts.map((from) => this.#message(points.slice(from, from + MAX_POINTS)));
  }

  #message(dataPoints: readonly Message[]): Message {
    const { description = "", unit = "" } = this.#options;
    const named = { name: this.#name, description, unit };
    const cumulative = { dataPoints, aggregationTemporality: CUMULATIVE };
    if (this.#kind === "gauge") return { ...named, gauge: { dataPoints } };
    if (this.#kind === "histogram") return { ...named, histogram: cumulative };
    return { ...named, sum: { ...cumulative, isMonotonic: this.#kind === "counter" } };
  }

  #point({ attributes, value, count, min, max, buckets }: Series, times: Message): Message {
    if (this.#kind !== "histogram")
      return { attributes, ...times, ...(Number.isSafeInteger(value) ? { asInt: `${value}` } : { asDouble: value }) };
    return {
      attributes,
      ...times,
      count: `${count}`,
      sum: value,
      min,
      max,
      bucketCounts: buckets.map((bucket) => `${bucket}`),
      explicitBounds: this.#bounds,
    };
  }

  #of(attributes: Attributes): Series {
    const key = keyOf(attributes);
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    if (this.#series.size >= MAX_SERIES && attributes !== overflow) return this.#of(overflow);
    const buckets = this.#kind === "histogram" ? Array.from({ length: this.#bounds.length + 1 }, () => 0) : [];
    const made = { attributes: attributesOf(attributes), value: 0, count: 0, min: Infinity, max: -Infinity, buckets };
    this.#series.set(key, made);
    return made;
  }
}

/** The same for the same attributes in any order. */
function keyOf(attributes: Attributes): string {
  const keys = Object.keys(attributes);
  if (keys.length > 1) keys.sort();
  let key = "";
  for (const name of keys) key += `${JSON.stringify(name)}:${JSON.stringify(attributes[name])},`;
  return key;
}

/** The API has a type for each kind, whose methods are among those of {@link Instrument}. */
type Synchronous = Counter & UpDownCounter & Gauge & Histogram;
type Observed = ObservableCounter & ObservableUpDownCounter & ObservableGauge;
type Options = MetricOptions | undefined;

/** Makes instruments and collects them. */
export class OtlpMeter implements Meter {
  readonly #instruments = new Map<string, Instrument>();
  readonly #batches = new Map<BatchObservableCallback, ReadonlySet<Instrument>>();
  readonly #faults: Faults;

  constructor(faults: Faults) {
    this.#faults = faults;
  }

  createCounter = (name: string, options: Options): Synchronous => this.#made(name, options, "counter");
  createUpDownCounter = (name: string, options: Options): Synchronous => this.#made(name, options, "updown");
  createGauge = (name: string, options: Options): Synchronous => this.#made(name, options, "gauge");
  createHistogram = (name: string, options: Options): Synchronous => this.#made(name, options, "histogram");
  createObservableCounter = (name: string, options: Options): Observed =>
    this.#made(name, options, "counter", "observed");
  createObservableUpDownCounter = (name: string, options: Options): Observed =>
    this.#made(name, options, "updown", "observed");
  createObservableGauge = (name: string, options: Options): Observed => this.#made(name, options, "gauge", "observed");

  addBatchObservableCallback(callback: BatchObservableCallback, observables: Observable[]): void {
    this.#batches.set(callback, new Set(observables.filter((one) => one instanceof Instrument)));
  }

  removeBatchObservableCallback(callback: BatchObservableCallback): void {
    this.#batches.delete(callback);
  }

  /** The metrics that have values. A callback that fails has no effect on others. */
  async collect(): Promise<readonly Message[]> {
    const instruments = [...this.#instruments.values()];
    const isObserved = (one: Instrument): boolean =>
      one.callbacks.size > 0 || [...this.#batches.values()].some((observables) => observables.has(one));
    for (const instrument of instruments) if (isObserved(instrument)) instrument.forget();
    const calls = [
      ...instruments.flatMap((one) => Array.from(one.callbacks, (callback) => () => callback(one))),
      ...Array.from(
        this.#batches,
        ([callback, observables]) =>
          () =>
            callback({
              observe: (observable, value, attributes) => {
                if (observable instanceof Instrument && observables.has(observable))
                  observable.observe(value, attributes);
              },
            }),
      ),
    ];
    for (const call of calls) {
      try {
        await call();
      } catch (error) {
        this.#faults.note(error);
      }
    }
    return instruments.flatMap((one) => one.messages());
  }

  /** One for each name. Another kind under a used name is another instrument, as the specification says. */
  #made(name: string, options: Options, kind: Kind, mode = ""): Synchronous & Observed & ((context?: Context) => void) {
    const key = `${name.toLowerCase()} ${kind} ${mode}`;
    const known = this.#instruments.get(key) ?? new Instrument(name, options, kind);
    this.#instruments.set(key, known);
    return known as never;
  }
}
