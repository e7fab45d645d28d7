/**
 * The lists: the servers that are measured against each other, and their work. Add an entry here and a row in rows.ts for a new
 * engine, middleware or peer.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { maxAlive, type ListShape } from "./method/list.ts";
import type { Contender } from "./method/process.ts";
import { root } from "../test/environment.ts";
import { features, files, stack, work, type Work } from "./work.ts";

/** A named list. */
export interface List {
  readonly id: string;
  readonly contenders: readonly Contender[];
  /** Its measuring parameters, if requests are not short. */
  readonly shape?: Partial<ListShape> | undefined;
}

const own = (module: string, name: string, job: Work): Contender => ({
  name,
  work: job,
  module: new URL(`./servers/${module}.js`, import.meta.url).href,
});
const ours = (job: Work, name = "ours"): Contender => own("ours", name, job);
const hand = (job: Work): Contender => own(job.use.length === 0 ? "hand-body" : "hand", "hand", job);

/** A peer by name. With `+schema` it has the schema of its responses. */
const peer = (job: Work, name: string): Contender => ({
  name,
  module: pathToFileURL(join(root, "bench", "peers", `${name.replace("+schema", "")}.mjs`)).href,
  work: { ...job, schema: name.endsWith("+schema") },
});

/** A server and its identical twin, the control. */
const twins = (server: Contender): Contender[] => [server, { ...server, name: `${server.name}-twin` }];

/** Bare node:http, or node:http2, and the control. Neither does more than respond. */
const bare = (job: Work): Contender[] => twins(own("bare", "bare", { ...job, use: [], devtools: "absent" }));

/** Peers of an ordinary run, and of `PEERS=all`. */
const usual = ["fastify", "hono"];
const others = ["fastify+schema", "express", "koa", "h3", "polka", "restana", "find-my-way"];

/** One kind of work for all servers, in as many lists as needed for at most four peers and eight processes each. */
function versus(id: string, job: Work, peers: readonly string[], baseline: readonly Contender[] = []): List[] {
  const always = [...bare(job), ours(job), ...baseline];
  const room = Math.min(4, maxAlive - always.length);
  return Array.from({ length: Math.max(1, Math.ceil(peers.length / room)) }, (_, part) => ({
    id: part === 0 ? id : `${id}#${part + 1}`,
    contenders: [...always, ...peers.slice(part * room, (part + 1) * room).map((name) => peer(job, name))],
  }));
}

/** The cost of each feature alone, compared with the same server without it. */
const alone = (who: string, server: Contender): List => {
  const plain = { ...server, name: "plain" };
  const featured = features.map((name) => ({ ...server, name, work: work({ use: [name] }) }));
  return { id: `alone-${who}`, contenders: [...twins(plain), ...featured] };
};

/** Ours with a schema in the handler, its twin, and in the contract. The difference is the framework's own share. */
const share = (validate: "zod" | "typebox"): List => {
  const job = work({ kind: "echo", validate });
  return {
    id: `contract-${validate}`,
    contenders: [...twins(ours({ ...job, validatesIn: "handler" }, "handler")), ours(job)],
  };
};

/** The same server with few of something, its twin, and with many. */
const growth = (id: string, few: Work, many: Work): List => ({
  id,
  contenders: [...twins(ours(few, "few")), ours(many, "many")],
});

/** A folder with only these files, for servers to serve or to write into. */
function folderOf(name: string, texts: Readonly<Record<string, string>> = {}): string {
  const folder = join(root, ".build", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, text] of Object.entries(texts)) writeFileSync(join(folder, file), text);
  return folder;
}

/**
 * The deferred work of devtools falls into the same slice, except for the last runs, which no later run pushes out of the ring.
 * Their traces are made after the slice.
 */
const lasting = (measuredMs: number): List["shape"] => ({ warmMs: 12, measuredMs, connections: 64 });
/** Opening a WebSocket costs as much as some dozen echoes, so all are open before a slice is measured. */
const opened = { warmMs: 120, measuredMs: 50, connections: 64 };
/** Opening a connection over TLS costs as much, and its client is slower than the server: few connections, long slices. */
const handshaken: List["shape"] = {
  warming: { measuredMs: 100, rounds: 8 },
  rounds: 8,
  warmMs: 80,
  measuredMs: 100,
  connections: 8,
};
/** Connections that close after ten requests. Their ends are spread over the slice. */
const short = { rounds: 8, warmMs: 12, measuredMs: 50, connections: 64, perConnection: 10 };
/** A load far below the capacity of a core: 300 requests in a slice. */
const paced = { rounds: 8, warmMs: 20, measuredMs: 150, connections: 16, rate: 2_000 };
/**
 * For responses of 1 MB: on a small machine 64 of them take longer than a usual slice. For HTTP/2: its client is slower than the
 * server, so a usual slice has 200 responses, and one garbage collection changes its cost by a factor of five.
 */
const long = { warmMs: 50, measuredMs: 100, connections: 64 };
/**
 * For requests of 20 MB. The memory layout makes a process cheap or expensive for its whole life, so there are many short runs.
 */
const large: List["shape"] = {
  runs: 10,
  warming: { measuredMs: 300, rounds: 8 },
  rounds: 4,
  warmMs: 200,
  measuredMs: 500,
  connections: 2,
};

const shaped =
  (shape: List["shape"]) =>
  (list: List): List => ({ ...list, shape });

/** Every list of a run. */
export function listsOf(asked: "usual" | "all"): readonly List[] {
  const peers = asked === "all" ? [...usual, ...others] : usual;
  const only = (...names: readonly string[]): string[] => peers.filter((name) => names.includes(name));
  const without = (...names: readonly string[]): string[] => peers.filter((name) => !names.includes(name));
  const [echo, query] = [work({ kind: "echo" }), work({ kind: "query" })];
  const [full, traced] = [work({ use: stack }), work({ use: features })];
  const [beans, metrics] = [work({ kind: "beans" }), work({ use: ["metrics"] })];
  const recorded: Work = { ...beans, devtools: "on" };
  const leafy: Work = { ...recorded, leaves: true };
  const unsampled: Work = { ...beans, use: ["tracing"], sampled: false };
  const devtools = [ours({ ...beans, devtools: "off" }, "off"), ours(recorded, "on"), ours(leafy, "leaves")];
  const folder = folderOf("bench-files", files);
  const sent = (["file", "large-file", "compressed", "known"] as const).flatMap((kind) =>
    versus(kind, work({ kind, files: folder }), only("fastify")).map(shaped(kind === "large-file" ? long : undefined)),
  );
  const libraries = ["zod", "typebox"] as const;
  const validated = (["echo", "query"] as const).flatMap((kind) => libraries.map((one) => [kind, one] as const));
  const routed = (resources: number): Work => work({ kind: "params", resources });
  return [
    ...versus("hello", work(), peers),
    ...versus("params", routed(200), peers),
    ...versus("echo", echo, without("fastify+schema"), [hand(echo)]),
    ...versus("query", query, without("fastify+schema", "restana"), [hand(query)]),
    ...validated.flatMap(([kind, validate]) =>
      versus(`${kind}-${validate}`, work({ kind, validate }), only("fastify", "hono")),
    ),
    ...libraries.map(share),
    ...(["shaped-1k", "shaped-20k"] as const).flatMap((kind) => [
      ...versus(kind, work({ kind, validate: "typebox" }), only("fastify")),
      ...versus(`${kind}-zod`, work({ kind, validate: "zod" }), only("fastify")),
    ]),
    ...versus("short", work(), only("fastify", "hono")).map(shaped(short)),
    ...versus("tls", work({ engine: "node-https" }), only("fastify", "hono")).map(shaped(handshaken)),
    ...versus("paced", work(), only("fastify", "hono")).map(shaped(paced)),
    ...versus("http2", work({ engine: "node-http2" }), only("fastify")).map(shaped(long)),
    ...versus("socket", work({ kind: "socket" }), only("fastify")).map(shaped(opened)),
    ...versus("compressed-3k", work({ kind: "compressed-3k" }), only("fastify", "hono")),
    ...versus("session", work({ kind: "session" }), only("fastify")),
    ...versus("missing", work({ kind: "missing", resources: 200 }), without("fastify+schema")),
    ...sent,
    ...versus("stack", full, only("fastify", "hono", "express"), [hand(full)]),
    ...versus("traced", traced, only("fastify", "hono", "express"), [hand(traced)]),
    alone("ours", ours(work())),
    alone("fastify", peer(work(), "fastify")),
    ...versus("health", work({ kind: "health" }), []),
    ...versus("limit", work({ use: ["limit"] }), only("fastify")),
    ...versus("upload", work({ kind: "upload" }), only("fastify")).map(shaped(large)),
    { id: "devtools", contenders: [...bare(beans), ...twins(ours(beans, "absent")), ...devtools], shape: lasting(125) },
    growth("spans", unsampled, { ...unsampled, spans: true }),
    growth("routes", routed(10), routed(10_000)),
    growth("traces", { ...recorded, traces: 1 }, recorded),
    { ...growth("history", leafy, { ...leafy, history: true, files: folderOf("bench-history") }), shape: lasting(250) },
    growth("streams", recorded, { ...recorded, streams: 16 }),
    growth("series", metrics, { ...metrics, series: 10_000 }),
  ];
}

/** The servers whose start and memory are measured: of a plain hello, and of 500 routes with contracts. */
export const footprintOf = (job: Work): readonly Contender[] => [
  ...bare(job),
  ours(job),
  ...usual.map((name) => peer(job, name)),
];

/** 500 routes and contracts. Bare makes the same schemas. */
export const contracts: Work = work({ kind: "contracts", resources: 250, validate: "zod" });
