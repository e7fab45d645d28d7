/**
 * Settings of a stress run, from the environment: how much, how long, from which seed, on which Node.
 *
 *   N=5000000 SECONDS=1800 SEED=7 make fuzz     NODE=24 make slow     FAST=1 make fuzz: the short form for CI
 *   ENGINES="h2c tls" make faults     ENGINES="bun deno" make fuzz
 */

import { commandOn, isOn, nodeOf, versionsOf, type Environment } from "../environment.ts";
import { engineNames, hostNames, hostWires, wires, type EngineName, type Wire } from "./wires.ts";

/** What a run may use. */
export interface Settings {
  /** The short form? */
  readonly fast: boolean;
  /** The seed of the pseudo-random numbers. */
  readonly seed: number;
  /** The Node.js that runs the servers under test. */
  readonly node: string;
  /** Its version, e.g. `24.11.0`. */
  readonly version: string;
  /** The engines that serve the app: `ENGINES`, all of them by default. */
  readonly engines: readonly EngineName[];
  /** The wires of these engines. */
  readonly wires: readonly Wire[];
  /** The wires of other runtimes: those in `ENGINES`, all installed ones by default. */
  readonly hosts: readonly Wire[];
  /** `N` if given, else the first number, or the second in the short form. */
  amount(usual: number, short: number): number;
  /** `SECONDS` if given, else the first number, or the second in the short form. */
  seconds(usual: number, short: number): number;
}

/** Reads the settings. @throws Error naming the variable and what is allowed. */
export function settingsOf(env: Environment): Settings {
  const whole = (name: string): number | undefined => {
    const text = env[name];
    if (text === undefined || text === "") return undefined;
    const value = Number(text);
    if (Number.isSafeInteger(value) && value > 0) return value;
    throw new TypeError(`${name} is ${JSON.stringify(text)}; a whole number from 1 is allowed`);
  };
  const fast = isOn("FAST", env["FAST"]);
  const orElse = (given: number | undefined) => (usual: number, short: number) => given ?? (fast ? short : usual);
  const node = nodeOf(env);
  const engines = enginesOf(env["ENGINES"]);
  return {
    fast,
    seed: whole("SEED") ?? (Date.now() % 1_000_000) + 1,
    node,
    version: versionsOf(node).node,
    engines,
    wires: wires.filter(({ engine }) => engines.includes(engine)),
    hosts: hostWires.filter(({ engine }) => engines.includes(engine)),
    amount: orElse(whole("N")),
    seconds: orElse(whole("SECONDS")),
  };
}

function enginesOf(text = ""): readonly EngineName[] {
  const names: readonly EngineName[] = [...engineNames, ...hostNames];
  const isThere = (name: EngineName): boolean =>
    !hostNames.some((host) => host === name) || commandOn(name) !== undefined;
  const words = text.split(/[ ,]+/).filter((word) => word !== "");
  if (words.length === 0) return names.filter(isThere);
  const unknown = words.filter((word) => !names.some((name) => name === word));
  if (unknown.length > 0) throw new TypeError(`ENGINES names ${unknown.join(", ")}; there are ${names.join(", ")}`);
  const named = names.filter((name) => words.includes(name));
  const missing = named.find((name) => !isThere(name));
  if (missing !== undefined) throw new Error(`${missing} is not installed: run make runtimes`);
  return named;
}
