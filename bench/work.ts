/**
 * Work: the task of a server of the bench, and the expected response.
 *
 *   "stack + tracing" ──▶ Work ──▶ every server does it its own way
 *                           └────▶ Probe: the request that is sent, the response that everyone must give
 *
 * A comparison is worthless if one side does less. So each server gets the probe before it is measured, and its response is
 * compared with the expected bytes.
 */
import { catalogue, listed, order, user } from "./values.ts";

/** The work of a server around its handler. */
export type Feature = "id" | "cors" | "log" | "metrics" | "tracing" | "limit";

/** The kinds of handlers. */
export type Kind =
  | ("hello" | "params" | "echo" | "query" | "missing" | "health" | "beans" | "upload" | "socket")
  | ("file" | "large-file" | "compressed" | "compressed-3k" | "known" | "session" | "shaped-1k" | "shaped-20k")
  | "contracts";

/** One job for a server. Plain data, since it is sent to another process as JSON. */
export interface Work {
  readonly kind: Kind;
  readonly use: readonly Feature[];
  /** The number of routed resources: `/resource<n>/{id}/items/{item}`. With `contracts` each has a GET and a PUT. */
  readonly resources: number;
  /** Metric series that exist before the first request. */
  readonly series: number;
  /** Devtools: installed, installed but disabled by the environment, or not imported. */
  readonly devtools: "on" | "off" | "absent";
  /** Does a request with beans also run 3 statements and write 2 lines of its log? */
  readonly leaves: boolean;
  /** Do devtools keep runs on disk? */
  readonly history: boolean;
  /** Does the sampler keep traces? */
  readonly sampled: boolean;
  /** Do the calls of beans have spans? */
  readonly spans: boolean;
  /** The number of traces that devtools keep. */
  readonly traces: number;
  /** Pages that listen to devtools' stream during the run. */
  readonly streams: number;
  readonly engine: "node-http" | "node-https" | "node-http2";
  /** The serving framework, if one module serves as several. */
  readonly server: string;
  /** The folder of the served files. */
  readonly files: string;
  /** Response schemas, for servers that can use them. */
  readonly schema: boolean;
  /** The library that validates a body: by the server's own means, or by the handler itself. */
  readonly validate: "zod" | "typebox" | undefined;
  readonly validatesIn: "contract" | "handler";
  /** Microseconds of busy waiting in every request: the slowdown of `bench-compare SLOWED=`. */
  readonly wasteUs: number;
}

/** A request and the expected response. */
export interface Probe {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly status: number;
  /** Media type without parameters, or undefined without content. */
  readonly contentType: string | undefined;
  readonly response: string;
  /** A server-specific value, requested first: a path, the response field with it, and the request field to send it in. */
  readonly first?: readonly [path: string, from: "etag" | "set-cookie", to: "if-none-match" | "cookie"];
}

/** A job, as its differences from a plain hello. */
export const work = (differs: Partial<Work> = {}): Work => ({
  kind: "hello",
  use: [],
  resources: 1,
  series: 0,
  devtools: "absent",
  leaves: false,
  history: false,
  sampled: true,
  spans: false,
  traces: 100,
  streams: 0,
  engine: "node-http",
  server: "",
  files: "",
  schema: false,
  validate: undefined,
  validatesIn: "contract",
  wasteUs: 0,
  ...differs,
});

/** The origin of a server with that work. */
export const originOf = ({ engine }: Pick<Work, "engine">, port: number): string =>
  `${engine === "node-https" ? "https" : "http"}://127.0.0.1:${port}`;

/** Request id, CORS, JSON access log and metrics. */
export const stack: readonly Feature[] = ["id", "cors", "log", "metrics"];

/** The features of the stack with tracing, in the order in which the stack installs them. */
export const features: readonly Feature[] = [...stack, "tracing"];

/** The job of all servers, by the row's title. */
export const jobs: Readonly<Record<string, Work>> = {
  "GET /hello, JSON": work(),
  "GET with 2 parameters among 200 routes": work({ kind: "params", resources: 200 }),
  "POST, 1 KB of JSON echoed": work({ kind: "echo" }),
  "QUERY, JSON": work({ kind: "query" }),
  "404 among 200 routes": work({ kind: "missing", resources: 200 }),
  "request id + CORS + JSON log + metrics": work({ use: stack }),
};

/** The served files, by name. */
export const files: Readonly<Record<"small.txt" | "large.txt", string>> = {
  "small.txt": "a line of a small file, as pages have\n".repeat(27),
  "large.txt": "a line of a large file, as downloads are\n".repeat(25_575),
};

const json = { "content-type": "application/json" };
const get = { method: "GET", headers: {}, body: undefined, status: 200, contentType: "application/json" };
const list = { ...get, path: "/catalogue" };
const gzip = { headers: { "accept-encoding": "gzip" } };
const routed = { ...get, path: "/resource0/42/items/seven", response: '{"id":"42","item":"seven"}' };
const sought = '{"text":"lamp","limit":10}';
const notFound = '{"type":"about:blank","title":"Not Found","status":404,"detail":"nothing is registered at /missing"}';

const uploadBytes = 20 * 1_048_576;
const uploadHead = '--bench\r\nContent-Disposition: form-data; name="file"; filename="file.bin"\r\n\r\n';

/** The probe of each kind of work. */
export const probes: Readonly<Record<Kind, Probe>> = {
  hello: { ...get, path: "/hello", response: '{"hello":"world"}' },
  params: routed,
  contracts: routed,
  echo: {
    ...get,
    method: "POST",
    path: "/echo",
    headers: json,
    body: JSON.stringify(order),
    response: JSON.stringify(order),
  },
  query: {
    ...get,
    method: "QUERY",
    path: "/search",
    headers: json,
    body: sought,
    response: '{"text":"lamp","limit":10,"hits":["lamp 1","lamp 2"]}',
  },
  missing: { ...get, path: "/missing", status: 404, contentType: "application/problem+json", response: notFound },
  health: { ...get, path: "/health", response: '{"status":"UP","checks":{"database":"UP"}}' },
  file: { ...get, path: "/files/small.txt", contentType: "text/plain", response: files["small.txt"] },
  "large-file": { ...get, path: "/files/large.txt", contentType: "text/plain", response: files["large.txt"] },
  compressed: { ...list, ...gzip, response: JSON.stringify(listed.compressed) },
  "compressed-3k": { ...list, ...gzip, response: JSON.stringify(listed["compressed-3k"]) },
  "shaped-1k": { ...get, path: "/shaped", response: JSON.stringify(order) },
  "shaped-20k": { ...get, path: "/shaped", response: JSON.stringify(catalogue) },
  known: { ...list, response: "", status: 304, contentType: undefined, first: ["/catalogue", "etag", "if-none-match"] },
  session: { ...get, path: "/session", response: JSON.stringify(user), first: ["/login", "set-cookie", "cookie"] },
  /** A form with one file of 20 MB. */
  upload: {
    ...get,
    method: "POST",
    path: "/upload",
    headers: { "content-type": "multipart/form-data; boundary=bench" },
    body: `${uploadHead}${"x".repeat(uploadBytes)}\r\n--bench--\r\n`,
    response: `{"bytes":${uploadBytes}}`,
  },
  /** A message and its echo. */
  socket: { ...get, path: "/socket", body: sought, status: 101, contentType: "", response: sought },
  beans: { ...get, path: "/hello", response: '{"id":7,"name":"lamp","price":12.5,"stock":3}' },
};
