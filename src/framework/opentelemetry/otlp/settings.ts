/**
 * Settings of the exporter: options, then OpenTelemetry's environment variables, then its defaults.
 *
 *   OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318   ──▶ …/v1/traces, …/v1/metrics, …/v1/logs
 *   OTEL_EXPORTER_OTLP_LOGS_ENDPOINT=http://loki/otlp   ──▶ as it is, for logs
 *   OTEL_LOGS_EXPORTER=none                             ──▶ no logs
 *
 * A wrong option is an error. A wrong variable is a warning, as OpenTelemetry asks, and has no effect.
 */
import { checkOptionNames } from "../../internal/option-names.ts";
import { checkWholeNumbers } from "../../internal/option-values.ts";
import { usageError } from "../../internal/usage-errors.ts";

/** The three kinds of telemetry. */
export type OtlpSignal = "traces" | "metrics" | "logs";
/** The encoding of requests. */
export type OtlpProtocol = "http/json" | "http/protobuf";

/** Options of {@link OtlpExporter}. The variables in brackets are used where an option is missing. */
export interface OtlpOptions {
  /** The collector: `/v1/traces` and so on are added to it (`OTEL_EXPORTER_OTLP_ENDPOINT`). Default `http://localhost:4318`. */
  readonly url?: string | undefined;
  /** Headers of each request, such as `authorization` (`OTEL_EXPORTER_OTLP_HEADERS`). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default `http/protobuf` (`OTEL_EXPORTER_OTLP_PROTOCOL`). */
  readonly protocol?: OtlpProtocol | undefined;
  /** Default `none` (`OTEL_EXPORTER_OTLP_COMPRESSION`). */
  readonly compression?: "gzip" | "none" | undefined;
  /** The time limit of a request (`OTEL_EXPORTER_OTLP_TIMEOUT`). Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** The name of this service (`OTEL_SERVICE_NAME`). */
  readonly service?: string | undefined;
  /** More attributes of this service, such as `service.version` (`OTEL_RESOURCE_ATTRIBUTES`). */
  readonly resource?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** What is exported. Default all three, less those whose `OTEL_TRACES_EXPORTER` and so on is `none`. */
  readonly signals?: readonly OtlpSignal[] | undefined;
  /**
   * The share of new traces that are recorded, from 0 to 1 (`OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG`). Default 1. The
   * caller's sampled flag goes first.
   */
  readonly sample?: number | undefined;
  /** How often metrics are sent (`OTEL_METRIC_EXPORT_INTERVAL`). Default 60,000. */
  readonly metricsIntervalMs?: number | undefined;
  /** How long spans and log lines wait for others (`OTEL_BSP_SCHEDULE_DELAY`). Default 5,000. */
  readonly delayMs?: number | undefined;
  /** Spans, and log lines, that wait at most (`OTEL_BSP_MAX_QUEUE_SIZE`). Default 2,048. Others are dropped and counted. */
  readonly maxQueue?: number | undefined;
  /** How many of them a request has at most (`OTEL_BSP_MAX_EXPORT_BATCH_SIZE`). Default 512. */
  readonly maxBatch?: number | undefined;
  /** The size of a request before compression. Default 1 MiB. Eight times as much may wait. */
  readonly maxBatchBytes?: number | undefined;
  /** How long a request is retried. Default 60,000. */
  readonly retryForMs?: number | undefined;
  /** Gets a sentence when something is dropped, once a minute at most. Default `console.warn`. */
  readonly warn?: ((line: string) => void) | undefined;
}

/** Where a signal goes. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly protocol: OtlpProtocol;
  readonly isGzipped: boolean;
  readonly timeoutMs: number;
}

/** Decides about a trace, by the flag of its parent if there is one. */
export type Sampler = (traceId: string, isParentSampled: boolean | undefined) => boolean;

/** All settings. */
export interface Settings {
  readonly targets: Partial<Record<OtlpSignal, Target>>;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly sampler: Sampler;
  readonly metricsIntervalMs: number;
  readonly delayMs: number;
  readonly maxQueue: number;
  readonly maxBatch: number;
  readonly maxBatchBytes: number;
  readonly retryForMs: number;
  readonly warn: (line: string) => void;
}

const signals: readonly OtlpSignal[] = ["traces", "metrics", "logs"];
const numbers = [
  "timeoutMs",
  "metricsIntervalMs",
  "delayMs",
  "maxQueue",
  "maxBatch",
  "maxBatchBytes",
  "retryForMs",
] as const;
const names = ["url", "headers", "protocol", "compression", "service", "resource", "signals", "sample", "warn"];
const protocols: readonly OtlpProtocol[] = ["http/protobuf", "http/json"];

/** @throws TypeError for a wrong option. */
export function settingsOf(options: OtlpOptions, env: Readonly<Record<string, string | undefined>>): Settings {
  checkOptionNames("OtlpExporter", options, [...names, ...numbers]);
  checkWholeNumbers("OtlpExporter", options, numbers, "CONFIG_INVALID");
  const { warn = (line) => globalThis.console.warn(line), sample, signals: asked = signals } = options;
  if (sample !== undefined && !(sample >= 0 && sample <= 1))
    throw usageError("CONFIG_INVALID", `OtlpExporter: sample is ${String(sample)}: a number from 0 to 1 is allowed`);
  const read = new Environment(env, warn);
  const isOff = read.text("OTEL_SDK_DISABLED")?.toLowerCase() === "true";
  const isSent = (signal: OtlpSignal): boolean =>
    !isOff && asked.includes(signal) && read.text(`OTEL_${signal.toUpperCase()}_EXPORTER`) !== "none";
  const targets = signals.filter(isSent).map((signal) => [signal, targetOf(signal, options, read)] as const);
  return {
    targets: Object.fromEntries(targets),
    resource: resourceOf(options, read),
    sampler: samplerOf(sample, read),
    metricsIntervalMs: options.metricsIntervalMs ?? read.number("OTEL_METRIC_EXPORT_INTERVAL") ?? 60_000,
    delayMs: options.delayMs ?? read.number("OTEL_BSP_SCHEDULE_DELAY") ?? 5_000,
    maxQueue: options.maxQueue ?? read.number("OTEL_BSP_MAX_QUEUE_SIZE") ?? 2_048,
    maxBatch: options.maxBatch ?? read.number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE") ?? 512,
    maxBatchBytes: options.maxBatchBytes ?? 1_048_576,
    retryForMs: options.retryForMs ?? 60_000,
    warn,
  };
}

function targetOf(signal: OtlpSignal, options: OtlpOptions, read: Environment): Target {
  const own = (name: string): string => `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_${name}`;
  const first = (name: string): string =>
    read.text(own(name)) === undefined ? `OTEL_EXPORTER_OTLP_${name}` : own(name);
  const below = (base: string): string => `${base.replace(/\/$/, "")}/v1/${signal}`;
  const common = read.url("OTEL_EXPORTER_OTLP_ENDPOINT") ?? "http://localhost:4318";
  const url = options.url === undefined ? (read.url(own("ENDPOINT")) ?? below(common)) : below(options.url);
  if (!isUrl(url))
    throw usageError("CONFIG_INVALID", `OtlpExporter: url is ${JSON.stringify(options.url)}: http://… is allowed`);
  const protocol = options.protocol ?? read.oneOf(first("PROTOCOL"), protocols) ?? "http/protobuf";
  if (!protocols.includes(protocol))
    throw usageError(
      "CONFIG_INVALID",
      `OtlpExporter: protocol is ${JSON.stringify(protocol)}: ${protocols.join(" and ")} are allowed`,
    );
  const compression = options.compression ?? read.oneOf(first("COMPRESSION"), ["gzip", "none"] as const);
  return {
    url,
    headers: { ...read.pairs(first("HEADERS")), ...options.headers },
    protocol,
    isGzipped: compression === "gzip",
    timeoutMs: options.timeoutMs ?? read.number(first("TIMEOUT")) ?? 10_000,
  };
}

function resourceOf({ service, resource }: OtlpOptions, read: Environment): Readonly<Record<string, unknown>> {
  const pairs = read.pairs("OTEL_RESOURCE_ATTRIBUTES");
  const name = service ?? read.text("OTEL_SERVICE_NAME");
  return {
    "service.name": "unknown_service:node",
    "service.instance.id": globalThis.crypto.randomUUID(),
    "telemetry.sdk.language": "nodejs",
    "telemetry.sdk.name": "framework",
    ...pairs,
    ...resource,
    ...(name === undefined ? {} : { "service.name": name }),
  };
}

function samplerOf(sample: number | undefined, read: Environment): Sampler {
  const name = sample === undefined ? (read.text("OTEL_TRACES_SAMPLER") ?? "parentbased_always_on") : "option";
  const kind = name.replace(/^parentbased_/, "");
  const ratios: Record<string, () => number> = {
    option: () => sample ?? 1,
    always_on: () => 1,
    always_off: () => 0,
    traceidratio: () => read.ratio("OTEL_TRACES_SAMPLER_ARG") ?? 1,
  };
  const ratioOf = Object.hasOwn(ratios, kind) ? ratios[kind] : undefined;
  if (ratioOf === undefined)
    read.wrong("OTEL_TRACES_SAMPLER", `${Object.keys(ratios).slice(1).join(", ")}, with and without parentbased_`);
  const ratio = ratioOf?.() ?? 1;
  const byId = (traceId: string): boolean => ratio === 1 || Number.parseInt(traceId.slice(-13), 16) < ratio * 16 ** 13;
  if (kind !== name || ratioOf === undefined || name === "option")
    return (traceId, isParentSampled) => isParentSampled ?? byId(traceId);
  return (traceId) => byId(traceId);
}

const isUrl = (text: string): boolean => URL.canParse(text) && /^https?:/i.test(text);

/** Environment variables. An empty one is not set. */
class Environment {
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #warn: (line: string) => void;
  readonly #told = new Set<string>();

  constructor(env: Readonly<Record<string, string | undefined>>, warn: (line: string) => void) {
    this.#env = env;
    this.#warn = warn;
  }

  text(name: string): string | undefined {
    const text = this.#env[name]?.trim();
    return text === "" ? undefined : text;
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined || /^[1-9]\d{0,8}$/.test(text)) return text === undefined ? undefined : Number(text);
    return this.wrong(name, "a whole number from 1");
  }

  ratio(name: string): number | undefined {
    const ratio = Number(this.text(name) ?? 1);
    return ratio >= 0 && ratio <= 1 ? ratio : this.wrong(name, "a number from 0 to 1");
  }

  url(name: string): string | undefined {
    const text = this.text(name);
    return text === undefined || isUrl(text) ? text : this.wrong(name, "http://…");
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const text = this.text(name);
    const known = allowed.find((one) => one === text);
    return text === undefined || known !== undefined ? known : this.wrong(name, allowed.join(", "));
  }

  /** `a=1,b=2`, with percent-encoded values. */
  pairs(name: string): Record<string, string> {
    const pairs = (this.text(name) ?? "").split(",").filter((pair) => pair.trim() !== "");
    try {
      return Object.fromEntries(
        pairs.map((pair) => {
          const [key = "", ...value] = pair.split("=").map((part) => part.trim());
          if (!/^\S+$/.test(key) || value.length === 0) throw new Error("no pair");
          return [key, decodeURIComponent(value.join("="))];
        }),
      );
    } catch {
      this.wrong(name, "name=value,name=value, percent-encoded,");
      return {};
    }
  }

  /** The value is not shown, since headers are secret. */
  wrong(name: string, allowed: string): undefined {
    if (!this.#told.has(name)) this.#warn(`${name} is ignored: ${allowed} is allowed`);
    this.#told.add(name);
  }
}
