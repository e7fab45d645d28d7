/**
 * The rows: every target of this project, and where its figure comes from.
 *
 *   list "stack" ──▶ cpu(bare) ÷ cpu(ours) ──▶ row "stack": ≥ 0.80 on Node 20, ≥ 0.84 on 24, ≥ 2.0 × Fastify
 */

/** A target by major version of Node: before 22, and from 22 on. */
export interface Target {
  readonly older: number;
  readonly newer: number;
}

/** µs of CPU that bare node:http takes for GET /hello on the machine for which targets in µs, ns and ms are set. */
export const yardstickUs: Target = { older: 11.5, newer: 10.4 };

/** What a row shows. */
export type Source =
  /** CPU per request of `base` ÷ that of `of`: 1 is as fast as the base. */
  | { readonly kind: "ratio"; readonly list: string; readonly of: string; readonly base: string }
  /** CPU per request of `of` ÷ that of `base`: 1 is no growth. */
  | { readonly kind: "growth"; readonly list: string; readonly of: string; readonly base: string }
  /** 99th percentile of `of` ÷ that of `base`. */
  | { readonly kind: "p99"; readonly list: string; readonly of: string; readonly base: string }
  /** µs of CPU per request of a feature above the same server without it; in the lists `alone-*`. */
  | { readonly kind: "own"; readonly feature: string }
  /** ns per operation over another; `control` is that other's twin. */
  | { readonly kind: "micro"; readonly id: string; readonly control: string }
  /** Process start, memory: ours less bare. */
  | { readonly kind: "footprint"; readonly id: "startMs" | "rssMb" | "connectionKb" };

/** One line of the table. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly unit: "×" | "µs" | "ns" | "ms" | "MB" | "KB";
  readonly source: Source;
  readonly is: "atLeast" | "atMost";
  readonly target: Target;
  /** What is asked of ours ÷ Fastify's in the same run. */
  readonly fastify?: { readonly is: "atLeast" | "atMost"; readonly target: number } | undefined;
}

const both = (value: number): Target => ({ older: value, newer: value });
const ratio = (list: string, of = "ours"): Source => ({ kind: "ratio", list, of, base: "bare" });
const atLeast = (target: number): Row["fastify"] => ({ is: "atLeast", target });

function faster(id: string, title: string, older: number, newer: number, thanFastify?: number): Row {
  const fastify = thanFastify === undefined ? undefined : atLeast(thanFastify);
  return { id, title, unit: "×", source: ratio(id), is: "atLeast", target: { older, newer }, fastify };
}

function own(feature: string, title: string, us: number): Row {
  const fastify = { is: "atMost" as const, target: 1 };
  return {
    id: `own-${feature}`,
    title: `own cost: ${title}`,
    unit: "µs",
    source: { kind: "own", feature },
    is: "atMost",
    target: both(us),
    fastify,
  };
}

function growth(id: string, title: string): Row {
  const source: Source = { kind: "growth", list: id, of: "many", base: "few" };
  return { id: `growth-${id}`, title, unit: "×", source, is: "atMost", target: both(1.1) };
}

function footprint(id: "startMs" | "rssMb" | "connectionKb", title: string, unit: Row["unit"], more: number): Row {
  const fastify = id === "startMs" ? { is: "atMost" as const, target: 0.5 } : undefined;
  return { id, title, unit, source: { kind: "footprint", id }, is: "atMost", target: both(more), fastify };
}

/** The table, top to bottom. */
export const rows: readonly Row[] = [
  faster("hello", "GET /hello, JSON", 0.97, 1, 1.04),
  faster("params", "GET with 2 parameters among 200 routes", 0.97, 1, 1.1),
  faster("echo", "POST, 1 KB of JSON echoed", 0.98, 0.98, 1.03),
  faster("query", "QUERY, JSON", 0.96, 0.96, 1.03),
  faster("http2", "GET /hello over HTTP/2, of bare node:http2", 0.9, 0.9, 1),
  faster("missing", "404 among 200 routes", 0.98, 0.98, 1.2),
  faster("stack", "request id + CORS + JSON log + metrics", 0.8, 0.84, 2),
  faster("traced", "the same + OpenTelemetry SDK tracing", 0.5, 0.58, 2.3),
  own("id", "request id", 1.2),
  own("cors", "CORS", 0.5),
  own("log", "JSON access log", 1.5),
  own("metrics", "metrics", 0.6),
  own("tracing", "tracing with the SDK", 10),
  faster("health", "health check answering (one cached check)", 0.9, 0.9),
  {
    id: "p99",
    title: "p99 under full load, stack with tracing",
    unit: "×",
    source: { kind: "p99", list: "traced", of: "ours", base: "bare" },
    is: "atMost",
    target: both(2.2),
    fastify: { is: "atMost", target: 0.5 },
  },
  {
    id: "devtools-on",
    title: "devtools installed, dashboard closed, 4 recorded calls a request",
    unit: "×",
    source: ratio("devtools", "on"),
    is: "atLeast",
    target: both(0.45),
  },
  {
    id: "devtools-off",
    title: "devtools off, of an app that never imported it",
    unit: "×",
    source: { kind: "ratio", list: "devtools", of: "off", base: "absent" },
    is: "atLeast",
    target: both(1),
  },
  {
    id: "bean-idle",
    title: "bean call, not recording, over a direct one",
    unit: "ns",
    source: { kind: "micro", id: "bean-idle", control: "bean-twin" },
    is: "atMost",
    target: both(15),
  },
  {
    id: "bean-recorded",
    title: "bean call, recorded with a snapshot of 170 bytes",
    unit: "ns",
    source: { kind: "micro", id: "bean-recorded", control: "bean-recorded-twin" },
    is: "atMost",
    target: both(2_500),
  },
  footprint("startMs", "process start to first connection, over bare", "ms", 10),
  footprint("rssMb", "memory when listening, over bare", "MB", 2),
  footprint("connectionKb", "memory per idle connection, over bare", "KB", 0.3),
  growth("routes", "10,000 routes instead of 10"),
  growth("traces", "100 traces kept instead of 1"),
  growth("streams", "16 pages listening to the traces instead of none"),
  growth("series", "10,000 metric series instead of 1"),
];
