/**
 * Settings of a run, from the environment: `FAST=1`, `ONLY=tls`, `PART=contracts`, `PEERS=all`, `NODE=24`, `NODE_BINARY=/path`, `BASE=main`, `SLOWED=10`.
 *
 * A wrong value is one sentence and exit code 2, never a guess.
 */
import { spawnSync } from "node:child_process";
import { commandOn, isOn, nodeOf, root, versionsOf, type Environment } from "../test/environment.ts";
import type { FootprintShape } from "./method/footprint.ts";
import type { ListShape } from "./method/list.ts";
import type { MicroShape } from "./method/micro.ts";
import { type Part, parts } from "./rows.ts";

/** How a run is done. */
export interface Settings {
  /** Only proves that everything runs. The figures mean nothing and are not kept. */
  readonly fast: boolean;
  readonly peers: "usual" | "all";
  /** The measured tables: one, or all of them in a brief run, and for a single measurement. */
  readonly measured: readonly Part[];
  /** The id of the only measurement. Its figures are not kept. */
  readonly only: string | undefined;
  /** The Node that the servers run on. */
  readonly node: string;
  readonly versions: { readonly node: string };
}

/** Only enough to prove that it runs. */
const brief = { runs: 1, warming: { measuredMs: 0, rounds: 0 }, rounds: 1 };

/** A list's own shape, if it has one. */
export const shapeOf = (settings: Settings, own: Partial<ListShape> = {}): ListShape => ({
  ...shapesOf(settings).list,
  ...own,
  ...(settings.fast ? brief : {}),
});

/** The amount of measuring: many short slices, over keep-alive connections without pipelining. Times in milliseconds. */
export function shapesOf({ fast }: Settings): { list: ListShape; footprint: FootprintShape; micro: MicroShape } {
  const list: ListShape = fast
    ? { ...brief, warmMs: 20, measuredMs: 60, connections: 16 }
    : { runs: 3, warming: { measuredMs: 80, rounds: 20 }, rounds: 16, warmMs: 12, measuredMs: 25, connections: 64 };
  return {
    list,
    footprint: fast
      ? { runs: 1, starts: 1, few: 10, many: 30, requests: 100 }
      : { runs: 3, starts: 6, few: 1_000, many: 3_000, requests: 20_000 },
    micro: fast ? { runs: 1, rounds: 2, sliceMs: 2 } : { runs: 3, rounds: 8, sliceMs: 60 },
  };
}

/** The settings of this run. @throws Error naming the variable and what is allowed. */
export function settingsOf(env: Environment): Settings {
  const fast = isOn("FAST", env["FAST"]);
  const peers = env["PEERS"] ?? "usual";
  if (peers !== "usual" && peers !== "all") throw new Error(`PEERS is ${JSON.stringify(peers)}: "usual" or "all"`);
  const part = parts.find((one) => one === (env["PART"] ?? "core"));
  if (part === undefined) throw new Error(`PART is ${JSON.stringify(env["PART"])}: ${parts.join(", ")} is allowed`);
  const node = nodeOf(env);
  const only = env["ONLY"] || undefined;
  const measured = fast || only !== undefined ? parts : [part];
  return { fast, peers, measured, only, node, versions: versionsOf(node) };
}

/** A host of fetch handlers, and the command that starts a server there. */
export type Host = Readonly<{ name: string; command: readonly string[] }>;

const hosts: readonly string[] = ["bun", "deno", "node-fetch"];

/** The hosts in HOSTS. @throws Error for one that is unknown, or not installed. */
export const hostsOf = ({ HOSTS: named = "" }: Environment): readonly Host[] =>
  named.split(",").map((name) => {
    if (!hosts.includes(name)) throw new Error(`HOSTS has ${JSON.stringify(name)}: ${hosts.join(", ")} are allowed`);
    const command = name === "node-fetch" ? [] : commandOn(name);
    if (command === undefined) throw new Error(`${name} is not installed: run make runtimes`);
    return { name, command };
  });

/** The base commit, and the percentage by which this tree is slowed down on purpose. @throws Error for a wrong value. */
export function comparisonOf({ BASE: ref, SLOWED: slowed = "0" }: Environment): { ref: string; slowed: number } {
  if (ref === undefined || ref === "")
    throw new Error("BASE is missing: make bench-compare BASE=<commit, branch or tag>");
  const { status } = spawnSync("git", ["rev-parse", "--verify", "--quiet", `${ref}^{commit}`], { cwd: root });
  if (status !== 0) throw new Error(`BASE is ${ref}: git knows no such commit, branch or tag here`);
  if (!/^\d{1,3}$/.test(slowed)) throw new Error(`SLOWED is ${JSON.stringify(slowed)}: per cent, 0 to 999`);
  return { ref, slowed: Number(slowed) };
}
