/**
 * The rows: every target of this project, and the source of its figure.
 *
 *   list "stack": bare, ours ──▶ cpu(bare) ÷ cpu(ours) ──▶ row "stack": ≥ 0.80 on Node 20, ≥ 0.84 on 24, ≥ 2.0 × Fastify
 */

/** A target by major version of Node: before 22, and from 22 on. */
export interface Target {
  readonly older: number;
  readonly newer: number;
}

/** µs of CPU of bare node:http for GET /hello on the machine for which targets in µs, ns and ms are set. */
export const yardstickUs: Target = { older: 11.5, newer: 10.4 };

/** The tables, each from a separate run: the core, the cost of contracts, and other features of a service. */
export const parts = ["core", "contracts", "essentials"] as const;
export type Part = (typeof parts)[number];

/** The lists other than those of the core. */
const listsOfPart: Readonly<Record<Exclude<Part, "core">, readonly string[]>> = {
  contracts: [
    "echo-zod",
    "echo-typebox",
    "query-zod",
    "query-typebox",
    "contract-zod",
    "contract-typebox",
    "shaped-1k",
    "shaped-20k",
    "shaped-1k-zod",
    "shaped-20k-zod",
  ],
  essentials: ["socket", "file", "large-file", "compressed", "compressed-3k", "known", "session", "limit", "upload"],
};

/** The part of a list, by its id. */
export function partOf(list: string): Part {
  const [id = ""] = list.split("#");
  return parts.find((part) => part !== "core" && listsOfPart[part].includes(id)) ?? "core";
}

/** One line of the table. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly unit: "×" | "µs" | "ns" | "ms" | "MB" | "KB";
  /**
   * ratio: CPU per request of `base` ÷ that of `of`; 1 is as fast as the base. growth: `of` ÷ `base`; 1 is no growth.
   * own: additional µs of a feature, in the lists `alone-*`. difference: `of` − `base`.
   */
  readonly kind: "ratio" | "growth" | "own" | "difference";
  readonly list: string;
  readonly of: string;
  readonly base: string;
  /** The target's direction: ratios are better when higher, everything else when lower. */
  readonly is: "atLeast" | "atMost";
  readonly target: Target;
  /** The target for ours ÷ Fastify's in the same run. */
  readonly ofFastify?: number;
}

type Asked = Pick<Row, "target" | "ofFastify">;
const both = (value: number): Target => ({ older: value, newer: value });
const asks = (older: number, newer: number, ofFastify?: number): Asked => ({
  target: { older, newer },
  ...(ofFastify === undefined ? {} : { ofFastify }),
});

const faster = (list: string, title: string, asked: Asked, of = "ours", base = "bare"): Row => ({
  id: of === "ours" ? list : `${list}-${of}`,
  title,
  unit: "×",
  kind: "ratio",
  list,
  of,
  base,
  is: "atLeast",
  ...asked,
});

const own = (of: string, title: string, us: number): Row => ({
  id: `own-${of}`,
  title: `own cost: ${title}`,
  unit: "µs",
  kind: "own",
  list: "alone-ours",
  of,
  base: "plain",
  is: "atMost",
  target: both(us),
});

const growth = (list: string, title: string, most = 1.1): Row => ({
  id: `growth-${list}`,
  title,
  unit: "×",
  kind: "growth",
  list,
  of: "many",
  base: "few",
  is: "atMost",
  target: both(most),
});

/** The 99th percentile of a list that is also measured for its cost. */
const tail = (list: string, title: string, asked: Asked): Row => ({
  id: `${list}-p99`,
  title,
  unit: "×",
  kind: "growth",
  list: `${list}-p99`,
  of: "ours",
  base: "bare",
  is: "atMost",
  ...asked,
});

/**
 * The additional cost: of a footprint's list over bare, of the list of bean calls over a direct one, of a contract over its
 * schema.
 */
const more = (list: string, title: string, unit: Row["unit"], most: number, of = "ours", base = "bare"): Row => ({
  id: of === "ours" ? list : of,
  title,
  unit,
  kind: "difference",
  list,
  of,
  base,
  is: "atMost",
  target: both(most),
});

/** Is its target scaled by the time that bare node:http takes? */
export const isScaled = ({ unit }: Row): boolean => unit === "µs" || unit === "ns" || unit === "ms";

/** The table, top to bottom. */
export const rows: readonly Row[] = [
  faster("hello", "GET /hello, JSON", asks(0.97, 1, 1.04)),
  faster("params", "GET with 2 parameters among 200 routes", asks(0.97, 1, 1.1)),
  faster("echo", "POST, 1 KB of JSON echoed", asks(0.98, 0.98, 1.03)),
  faster("query", "QUERY, JSON", asks(0.96, 0.96, 1.03)),
  faster("echo-zod", "validated POST, 1 KB, Zod", asks(0.4, 0.4, 1.03)),
  faster("echo-typebox", "validated POST, 1 KB, TypeBox", asks(0.8, 0.8, 1.03)),
  faster("query-zod", "validated QUERY, Zod", asks(0.8, 0.8, 1.03)),
  faster("query-typebox", "validated QUERY, TypeBox", asks(0.9, 0.9, 1.03)),
  more("contract-zod", "contract's own share, POST, Zod", "µs", 0.5, "ours", "handler"),
  more("contract-typebox", "contract's own share, POST, TypeBox", "µs", 0.5, "ours", "handler"),
  faster("shaped-1k", "response of 1 KB with a schema, TypeBox, fast-json-stringify", asks(0.8, 0.8, 1)),
  faster("shaped-20k", "response of 20 KB with a schema, TypeBox, fast-json-stringify", asks(0.9, 0.9, 1)),
  faster("shaped-1k-zod", "response of 1 KB with a schema, Zod", asks(0.8, 0.8, 1)),
  faster("shaped-20k-zod", "response of 20 KB with a schema, Zod", asks(0.8, 0.8, 1)),
  faster("short", "GET /hello, 10 requests on each connection", asks(0.95, 0.95, 1)),
  faster("tls", "GET /hello over TLS, of bare node:https", asks(0.97, 0.97, 1)),
  faster("paced", "GET /hello, 2,000 requests a second", asks(0.97, 1, 1)),
  faster("http2", "GET /hello over HTTP/2, of bare node:http2", asks(0.9, 0.9, 1)),
  tail("http2", "p99 of the same", asks(1.2, 1.2, 1)),
  faster("socket", "WebSocket echo, of bare ws", asks(0.9, 0.9, 0.93)),
  faster("missing", "404 among 200 routes", asks(0.98, 0.98, 1.2)),
  faster("file", "static file of 1 KB", asks(0.85, 0.85, 1)),
  faster("large-file", "static file of 1 MB", asks(0.6, 0.6, 1.2)),
  faster("compressed", "20 KB of JSON, gzip", asks(0.9, 0.9, 0.85)),
  faster("compressed-3k", "3 KB of JSON, gzip", asks(1, 1, 1)),
  faster("known", "20 KB of JSON that the client has: ETag, 304", asks(0.8, 0.8, 0.8)),
  faster("session", "session read from a sealed cookie", asks(0.6, 0.6, 1)),
  faster("stack", "request id + CORS + JSON log + metrics", asks(0.8, 0.84, 2)),
  faster("traced", "the same + OpenTelemetry SDK tracing", asks(0.5, 0.58, 2.3)),
  own("id", "request id", 1.2),
  own("cors", "CORS", 0.5),
  own("log", "JSON access log", 1.5),
  own("metrics", "metrics", 0.6),
  own("tracing", "tracing with the SDK", 10),
  faster("health", "health check responding (one cached check)", asks(0.9, 0.9)),
  faster("limit", "rate limit, in memory", asks(0.85, 0.85, 1.2)),
  faster("upload", "multipart upload of 20 MB, of bare, which drains it", asks(0.3, 0.3, 0.75)),
  tail("traced", "p99 under full load, stack with tracing", asks(2.2, 2.2, 0.5)),
  faster("devtools", "devtools installed, dashboard closed, 4 recorded calls a request", asks(0.45, 0.45), "on"),
  faster("devtools", "the same, with 3 statements and 2 lines of the log below the calls", asks(0.45, 0.45), "leaves"),
  faster("devtools", "devtools off, of an app that never imported it", asks(1, 1), "off", "absent"),
  more("calls", "bean call, not recording, over a direct one", "ns", 15, "idle", "direct"),
  more("requests", "bean call, recorded with a snapshot of 170 bytes", "ns", 2_500, "recorded", "direct"),
  more("tools", "a tool call, over the request that it stands for", "ns", 60_000, "call", "request"),
  { ...more("startMs", "process start to first response, over bare", "ms", 10), ofFastify: 0.5 },
  more("routesMs", "process start to first response, 500 routes and contracts, over bare", "ms", 60),
  more("rssMb", "memory when listening, over bare", "MB", 2),
  more("loadedMb", "memory after 20,000 requests, over bare", "MB", 6),
  more("connectionKb", "memory per idle connection, over bare", "KB", 0.3),
  growth("spans", "TracingDecorator, 4 bean calls of a request that is not sampled, instead of none", 1.02),
  growth("routes", "10,000 routes instead of 10"),
  growth("traces", "100 traces kept instead of 1"),
  growth("history", "those runs, statements and lines kept on disk too", 1.05),
  growth("streams", "16 pages listening to the traces instead of none"),
  growth("series", "10,000 metric series instead of 1"),
];
