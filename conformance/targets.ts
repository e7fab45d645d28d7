/**
 * Targets of `make conformance`. A target is a column of the matrix: a subject that is started as another project would
 * start it, with a process for each profile.
 *
 *   this Node         node-http · node-http2 · node-http2-tls · fetch · express · fastify · independent
 *   `make runtimes`   node22-http · node22-http2 · node24-… · node26-… · bun · bun-serve · deno · deno-serve · workerd
 */
import { fileURLToPath } from "node:url";
import type { engines } from "./subject/engines.ts";
import { prepareFiles } from "./subject/files.ts";
import { prepareWorkerd } from "./workerd.ts";
import type { Profile } from "./kit/case.ts";

/** Something to run the suite against. */
export interface Target {
  /** The column's name in the matrix. */
  readonly name: string;
  /** A short description. */
  readonly about: string;
  readonly http2: boolean;
  readonly command: string;
  args(profile: Profile): readonly string[];
  /** `ENGINE` in its environment. */
  readonly engine?: string | undefined;
  /** Runs once before the first start. */
  readonly prepare?: (() => Promise<void>) | undefined;
  /** Why it cannot be started here, as a sentence. */
  readonly missing?: string | undefined;
}

/** The path of a runtime from `make runtimes`, or a sentence that says that it is missing. */
export type Locate = (name: string) => { readonly binary?: string; readonly missing?: string };

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const main = at("subject/main.js");
const folder = (path: string): string => at(`../../conformance/runtimes/${path}`);

const abouts: Readonly<Record<keyof typeof engines, string>> = {
  "node-http": "`NodeHttpEngine`",
  "node-http2": "`NodeHttp2Engine`, cleartext with prior knowledge",
  "node-http2-tls": "`NodeHttp2Engine` over TLS, by ALPN",
  fetch: "`app.fetch` behind node:http",
  express: "`app.listener()` in Express",
  fastify: "`app.listener()` in Fastify",
};

/** The targets that run on this Node. */
export const onThisNode: readonly Target[] = [
  ...Object.entries(abouts).map(([engine, about]) => onNode(engine, about, process.execPath, engine)),
  {
    name: "independent",
    about: "a second implementation, without a line of this framework",
    http2: false,
    command: process.execPath,
    args: () => [at("subject/independent.js")],
  },
];

/** The targets that run on other runtimes, installed or not. */
export function onRuntimes(locate: Locate): readonly Target[] {
  const nodes = ["22", "24", "26"].flatMap((version) => {
    const { binary = "", missing } = locate(`node${version}`);
    return ["http", "http2"].map((protocol) => {
      const about = `\`NodeHttp${protocol === "http2" ? "2" : ""}Engine\` on Node ${version}`;
      return { ...onNode(`node${version}-${protocol}`, about, binary, `node-${protocol}`), missing };
    });
  });
  return [
    ...nodes,
    ...withAdapter(platform("bun", "Bun", locate, ["run", folder("serve-bun.mjs")])),
    ...withAdapter(
      platform("deno", "Deno", locate, [
        "run",
        "--no-prompt",
        "--allow-net=127.0.0.1",
        "--allow-env",
        "--allow-read",
        "--allow-sys",
        folder("serve-deno.mjs"),
      ]),
    ).map((target) => ({ ...target, prepare: prepareFiles })),
    {
      ...platform("workerd", "workerd", locate, []),
      args: (profile) => ["serve", at(`../workerd/${profile}.capnp`), "--control-fd=1"],
      prepare: prepareWorkerd,
    },
  ];
}

/** The names of all targets, in order. */
export function ownNames(): readonly string[] {
  return [...onThisNode, ...onRuntimes(() => ({}))].map(({ name }) => name);
}

/** A Node with an engine. */
function onNode(name: string, about: string, command: string, engine: string): Target {
  return { name, about, http2: engine.startsWith("node-http2"), command, args: () => [main], engine };
}

/** A platform with fetch. */
function platform(name: string, called: string, locate: Locate, args: readonly string[]): Target {
  const { binary = "", missing } = locate(name);
  return { name, about: `\`app.fetch\` on ${called}`, http2: false, command: binary, args: () => args, missing };
}

/** The same platform with the framework's adapter for it. */
function withAdapter(target: Target): Target[] {
  const engine = `${target.name}-serve`;
  return [target, { ...target, name: engine, about: `\`framework/${target.name}\``, engine }];
}

/**
 * The targets of these names, in the order of the matrix: without names those on this Node, every one for `all`.
 * @throws Error that names the unknown ones and lists the known ones.
 */
export function chooseTargets(names: readonly string[], locate: Locate): readonly Target[] {
  const every = [...onThisNode, ...onRuntimes(locate)];
  const unknown = names.filter((name) => name !== "all" && !every.some((target) => target.name === name));
  if (unknown.length > 0) {
    const known = every.map(({ name }) => name).join(", ");
    throw new Error(`no engine called ${unknown.join(", ")}: there are ${known}, and all of them by "all"`);
  }
  if (names.length === 0) return onThisNode;
  return names.includes("all") ? every : every.filter(({ name }) => names.includes(name));
}
