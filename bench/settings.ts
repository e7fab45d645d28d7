/**
 * Settings of a run, from the environment: `FAST=1`, `PEERS=all`, `NODE=24`, `NODE_BINARY=/path`.
 *
 * A bad value is a sentence, never a guess.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FootprintShape } from "./method/footprint.ts";
import type { ListShape } from "./method/list.ts";
import type { MicroShape } from "./method/ns-per-op.ts";

/** The repository's root; this file is compiled to .build/bench/. */
export const root: string = fileURLToPath(new URL("../..", import.meta.url));

/** How a run is done. */
export interface Settings {
  /** Only proves that everything runs: the figures mean nothing and are not kept. */
  readonly fast: boolean;
  readonly peers: "usual" | "all";
  /** The Node that the servers run on. */
  readonly node: string;
  readonly versions: { readonly node: string; readonly v8: string };
  readonly shape: ListShape;
  readonly footprint: FootprintShape;
  readonly micro: MicroShape & { readonly runs: number };
}

/** The variables that are read. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of this run. @throws Error naming the variable and what is allowed. */
export function settingsOf(env: Environment): Settings {
  const fast = isOn("FAST", env["FAST"]);
  const peers = env["PEERS"] ?? "usual";
  if (peers !== "usual" && peers !== "all") throw new Error(`PEERS is ${JSON.stringify(peers)}: "usual" or "all"`);
  const node = nodeOf(env);
  const shapes = fast ? fastShapes : fullShapes;
  return { fast, peers, node, versions: versionsOf(node), ...shapes };
}

/** The commit to compare with: `BASE`. @throws Error when it is missing, or git knows no such commit. */
export function baseOf({ BASE: ref }: Environment): string {
  if (ref === undefined || ref === "")
    throw new Error("BASE is missing: make bench-compare BASE=<commit, branch or tag>");
  const { status } = spawnSync("git", ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], { cwd: root });
  if (status !== 0) throw new Error(`BASE is ${ref}: git knows no such commit, branch or tag here`);
  return ref;
}

/** What `read` makes of this run's environment; a value it refuses is said in a sentence, and ends the run with 2. */
export function fromEnvironment<T>(read: (env: Environment) => T): T {
  try {
    return read(process.env);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

/** Slices short and many; 64 keep-alive connections, no pipelining. */
const fullShapes = {
  shape: {
    runs: 3,
    warming: { measuredMs: 100, rounds: 20 },
    rounds: 20,
    warmMs: 12,
    measuredMs: 25,
    connections: 64,
  },
  footprint: { runs: 3, starts: 10, few: 1_000, many: 3_000 },
  micro: { runs: 3, samples: 8, batchMs: 30 },
};
const fastShapes = {
  shape: { runs: 1, warming: { measuredMs: 0, rounds: 0 }, rounds: 1, warmMs: 20, measuredMs: 60, connections: 16 },
  footprint: { runs: 1, starts: 1, few: 10, many: 30 },
  micro: { runs: 1, samples: 3, batchMs: 2 },
};

/** Whether a switch is on. @throws Error when it is neither `1`, `0` nor nothing. */
export function isOn(name: string, value: string | undefined): boolean {
  if (value === undefined || value === "" || value === "0") return false;
  if (value === "1") return true;
  throw new Error(`${name} is ${JSON.stringify(value)}: 1 or nothing`);
}

/**
 * The binary to run servers with: NODE_BINARY, else NODE=<major> among conformance/runtimes, else this one.
 *
 * @throws Error when there is no such Node.
 */
export function nodeOf({ NODE_BINARY: binary, NODE: major }: Environment): string {
  if (binary !== undefined && binary !== "") {
    if (!existsSync(binary)) throw new Error(`NODE_BINARY is ${binary}: there is no such file`);
    return binary;
  }
  if (major === undefined || major === "" || process.versions.node.startsWith(`${major}.`)) return process.execPath;
  const found = installed().find((path) => versionsOf(path).node.startsWith(`${major}.`));
  if (found !== undefined) return found;
  throw new Error(
    `NODE is ${major}: no such Node under conformance/runtimes, which make runtimes fills with 22, 24 and 26; or set NODE_BINARY`,
  );
}

function installed(): string[] {
  const modules = join(root, "conformance", "runtimes", "node_modules");
  if (!existsSync(modules)) return [];
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(modules, name)).map((inner) => join(name, inner)) : [name],
  );
  return names.map((name) => join(modules, name, "bin", "node")).filter((path) => existsSync(path));
}

/** What a Node says it is. */
export function versionsOf(node: string): { readonly node: string; readonly v8: string } {
  const script = "process.stdout.write(JSON.stringify({ node: process.versions.node, v8: process.versions.v8 }))";
  return JSON.parse(execFileSync(node, ["-e", script], { encoding: "utf8" })) as { node: string; v8: string };
}
