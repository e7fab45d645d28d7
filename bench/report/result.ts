/**
 * Results: a run as a file, with everything needed to judge it again: versions, machine, method, spreads.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { Judged, Observed } from "../evaluate.ts";
import { quotient } from "../method/paired.ts";
import { cellOf, undisturbed, type Cell } from "../method/stats.ts";
import { root, type Settings } from "../settings.ts";

/** One server in one list. */
export interface Figure {
  readonly server: string;
  /** CPU per request, in each run when nothing disturbed. */
  readonly cpuUs: Cell;
  /** CPU per request of bare ÷ its own. */
  readonly ratio: Cell;
  readonly p99Ms: Cell;
}

/** A kept run. */
export interface Result {
  readonly node: string;
  readonly v8: string;
  readonly date: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly pinned: boolean };
  /** How it was measured, in words: results of different methods stand side by side. */
  readonly method: string;
  readonly peers: Readonly<Record<string, string>>;
  readonly rows: readonly Judged[];
  readonly lists: Readonly<Record<string, readonly Figure[]>>;
  readonly micro: Observed["micro"];
}

const folder = join(root, "bench", "results");

/** The run as it is kept. */
export function resultOf(settings: Settings, pinned: boolean, observed: Observed, rows: readonly Judged[]): Result {
  const { dependencies } = JSON.parse(readFileSync(join(root, "bench", "peers", "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return {
    ...settings.versions,
    date: new Date().toISOString(),
    machine: { cpu: cpus()[0]?.model.trim() ?? "unknown", cores: cpus().length, pinned },
    method: methodOf(settings.shape),
    peers: dependencies,
    rows,
    lists: Object.fromEntries([...observed.lists.keys()].map((id) => [id, figuresOf(id, observed)])),
    micro: observed.micro,
  };
}

const methodOf = ({ runs, rounds, measuredMs, connections }: Settings["shape"]): string =>
  `${runs} runs of fresh processes, ${rounds} rounds of ${measuredMs} ms, ${connections} connections`;

function figuresOf(id: string, { lists }: Observed): readonly Figure[] {
  const measured = lists.get(id);
  if (measured === undefined) return [];
  const bare = (measured.get("bare") ?? []).map((run) => run.map(({ cpuUs }) => cpuUs));
  return Array.from(measured, ([server, runs]) => {
    const cpu = runs.map((run) => run.map(({ cpuUs }) => cpuUs));
    return {
      server,
      cpuUs: cellOf(cpu.map((run) => [undisturbed(run)])),
      ratio: quotient(bare, cpu),
      p99Ms: cellOf(runs.map((run) => [undisturbed(run.map(({ p99Ms }) => p99Ms))])),
    };
  });
}

/** Keeps a run, in place of the one on the same major version of Node. */
export function saveResult(result: Result): void {
  mkdirSync(folder, { recursive: true });
  const rounded = (_key: string, value: unknown): unknown =>
    typeof value === "number" ? Number(value.toPrecision(5)) : value;
  const name = `node${Number.parseInt(result.node, 10)}.json`;
  writeFileSync(join(folder, name), `${JSON.stringify(result, rounded, 1)}\n`);
}

/** The kept runs, oldest Node first. */
export function loadResults(): readonly Result[] {
  const names = readdirSync(folder).filter((name) => /^node\d+\.json$/.test(name));
  return names
    .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Result)
    .toSorted((a, b) => Number.parseInt(a.node, 10) - Number.parseInt(b.node, 10));
}
