/**
 * The lists: which servers are measured against each other, doing what. A new engine, middleware or peer is one
 * more entry here, and a row in rows.ts.
 */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { maxAlive, type Contender } from "./method/list.ts";
import { root } from "./settings.ts";
import { stack, work, type Feature, type Work } from "./work.ts";

/** A named list. */
export interface List {
  readonly id: string;
  readonly contenders: readonly Contender[];
}

/** The features, in the order in which the stack installs them. */
export const features: readonly Feature[] = [...stack, "tracing"];

const ownModule = (name: string): string => new URL(`./servers/${name}.js`, import.meta.url).href;
/** The framework of a peer: `fastify+schema` is Fastify, told the shape of its answers. */
export const frameworkOf = (peerName: string): string => peerName.replace(/\+.*$/, "");

const peerModule = (name: string): string => pathToFileURL(join(root, "bench", "peers", `${name}.mjs`)).href;

const ours = (job: Work, name = "ours"): Contender => ({ name, module: ownModule("ours"), work: job });
const bare = (job: Work, name: string): Contender => ({ name, module: ownModule("bare"), work: job });
const hand = (job: Work, name = "hand"): Contender => {
  const takesBody = job.kind === "echo" || job.kind === "query";
  return { name, module: ownModule(takesBody ? "hand-body" : "hand"), work: job };
};
const peer = (job: Work, name: string): Contender => ({
  name,
  module: peerModule(frameworkOf(name)),
  work: name.endsWith("+schema") ? { ...job, schema: true } : job,
});

/** Bare node:http and its identical twin, the control. Neither ever does more than answer. */
const reference = (job: Work): Contender[] => {
  const plain = { ...job, use: [], series: 0, devtools: "absent" as const };
  return [bare(plain, "bare"), bare(plain, "twin")];
};

/** Peers of an ordinary run, and of `PEERS=all`. */
const usual = ["fastify", "hono"];
const others = ["express", "koa", "h3", "polka", "restana", "find-my-way"];

/** A server and its identical twin: the control of what is held against it. */
const twins = ({ name, ...rest }: Contender): Contender[] => [
  { name, ...rest },
  { name: `${name}-twin`, ...rest },
];

/** One kind of work for everybody, in as many lists as keep at most four peers and eight processes each. */
function versus(id: string, job: Work, peers: readonly string[], withHand = false): List[] {
  const lists: List[] = [];
  const always = [...reference(job), ours(job), ...(withHand ? twins(hand(job)) : [])];
  const room = Math.min(4, maxAlive - always.length);
  for (let at = 0; at === 0 || at < peers.length; at += room) {
    const some = peers.slice(at, at + room).map((name) => peer(job, name));
    lists.push({ id: at === 0 ? id : `${id}#${at / room + 1}`, contenders: [...always, ...some] });
  }
  return lists;
}

/** What each feature costs alone, above the same framework without it. */
function alone(id: string, plain: Contender[], make: (job: Work, name: string) => Contender): List {
  const single = features.map((feature) => make(work({ use: [feature] }), feature));
  return { id, contenders: [...reference(work()), ...plain, ...single] };
}

/** Over HTTP/2, cleartext. Of the peers only Fastify brings it. */
function http2(): List {
  const job = work({ engine: "node-http2" });
  const plain = (name: string): Contender => ({ name, module: ownModule("bare-http2"), work: job });
  return { id: "http2", contenders: [plain("bare"), plain("twin"), ours(job), peer(job, "fastify")] };
}

/** What a server may additionally be asked for. */
const beans = work({ kind: "beans" });
const recorded = { ...beans, devtools: "on" as const };
const metrics = work({ use: ["metrics"] });

/** Every list of a run. */
export function listsOf(peersAsked: "usual" | "all"): readonly List[] {
  const peers = peersAsked === "all" ? [...usual, ...others] : usual;
  const without = (...names: readonly string[]): string[] => peers.filter((name) => !names.includes(name));
  const routed = work({ kind: "params", resources: 200 });
  const missing = work({ kind: "missing", resources: 200 });
  const stackPeers = peers.filter((name) => ["fastify", "hono", "express"].includes(name));
  const lists = [
    ...versus("hello", work(), ["fastify+schema", ...peers]),
    ...versus("params", routed, ["fastify+schema", ...peers]),
    ...versus("echo", work({ kind: "echo" }), peers, true),
    ...versus("query", work({ kind: "query" }), without("restana"), true),
    ...versus("missing", missing, peers),
    ...versus("stack", work({ use: stack }), stackPeers, true),
    ...versus("traced", work({ use: features }), stackPeers, true),
    alone("alone-ours", [ours(work(), "plain")], ours),
    alone("alone-hand", [], hand),
    alone(
      "alone-fastify",
      [peer(work(), "fastify")].map((one) => ({ ...one, name: "plain" })),
      (job, name) => ({
        ...peer(job, "fastify"),
        name,
      }),
    ),
    http2(),
    { id: "health", contenders: [...reference(work({ kind: "health" })), ours(work({ kind: "health" }))] },
    {
      id: "devtools",
      contenders: [
        ...reference(beans),
        ...twins(ours(beans, "absent")),
        ours({ ...beans, devtools: "off" }, "off"),
        ours(recorded, "on"),
      ],
    },
    {
      id: "routes",
      contenders: [
        ...reference(work({ kind: "params" })),
        ...twins(ours(work({ kind: "params", resources: 10 }), "few")),
        ours(work({ kind: "params", resources: 10_000 }), "many"),
      ],
    },
    {
      id: "traces",
      contenders: [...reference(beans), ...twins(ours({ ...recorded, traces: 1 }, "few")), ours(recorded, "many")],
    },
    {
      id: "streams",
      contenders: [...reference(beans), ...twins(ours(recorded, "few")), ours({ ...recorded, streams: 16 }, "many")],
    },
    {
      id: "series",
      contenders: [...reference(metrics), ...twins(ours(metrics, "few")), ours({ ...metrics, series: 10_000 }, "many")],
    },
  ];
  const crowded = lists.find(({ contenders }) => contenders.length > maxAlive);
  if (crowded !== undefined) throw new RangeError(`the list ${crowded.id} has more than ${maxAlive} servers`);
  return lists;
}
