/**
 * Rows: the results of a stress run, one figure a line, each compared with its target.
 *
 *   row ──▶ a line on standard output ──▶ .build/reports/<verb>.json (counts) and <verb>-node<major>.json (figures)
 */
import { root } from "../environment.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { Settings } from "./settings.ts";
import type { Wire } from "./wires.ts";

/** A measured figure. */
export interface Figure {
  /** As a sentence. */
  readonly figure: string;
  /** The target that it is compared with. */
  readonly target: string;
  readonly met: boolean;
  /** True when it could not be measured here, and the figure says why. It counts neither as passed nor as failed. */
  readonly isSkipped?: boolean;
}

/** A figure with its name, its time and its seed. */
interface Row extends Figure {
  readonly name: string;
  readonly seconds: number;
  readonly seed: number;
}

/** Measures one figure. */
export type Measurement = () => Promise<Figure>;

/** Measurements by name, made one after the other. */
export type Group = Readonly<Record<string, Measurement>>;

/** A separate group for each kind on each wire, in the short form on two wires. */
export const onWires = (
  settings: Settings,
  kinds: Readonly<Record<string, (settings: Settings, wire: Wire) => Promise<Figure>>>,
): readonly Group[] =>
  Object.entries(kinds).flatMap(([kind, measure], at) =>
    sampleOf(settings.wires, settings, 2, at).map((wire) => ({
      [`${kind} on ${wire.name}`]: () => measure(settings, wire),
    })),
  );

/** In the short form, this many items of a list. Another seed or another `at` chooses others. */
export function sampleOf<T>(list: readonly T[], { fast, seed }: Settings, size: number, at = 0): readonly T[] {
  if (!fast) return list;
  const from = (seed + 3 * at) % list.length;
  return [...list.slice(from), ...list.slice(0, from)].slice(0, size);
}

/**
 * Measures all groups, in the short form a few in parallel, prints each row, and writes the reports. A failed row sets exit code
 * 1.
 */
export async function measureAll(verb: string, groups: readonly Group[], settings: Settings): Promise<void> {
  const words = process.argv.slice(3);
  const chosen = groups
    .map((group) => Object.entries(group).filter(([name]) => words.every((word) => name.includes(word))))
    .filter((group) => group.length > 0);
  if (chosen.length === 0) throw new Error(`no row of ${verb} is called ${words.join(" ")}`);
  const rows: Row[][] = [];
  await each(chosen.entries(), settings.fast ? 2 : 1, async ([at, group]) => {
    const done: Row[] = (rows[at] = []);
    for (const [name, measure] of group) done.push(await measured(name, measure, settings));
  });
  write(verb, rows.flat(), settings);
  process.exitCode = rows.flat().every(({ met }) => met) ? 0 : 1;
}

/** An interrupted measurement is a failed row. */
async function measured(name: string, measure: Measurement, { seed }: Settings): Promise<Row> {
  const startedAt = performance.now();
  const figure: Figure = await measure().catch((error: unknown) => {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { figure: `broke off: ${why}`, target: "a figure", met: false };
  });
  const row = { name, ...figure, seconds: Math.round((performance.now() - startedAt) / 100) / 10, seed };
  const outcome = `${row.figure.trim()} (target: ${row.target}; ${row.seconds} s, seed ${seed})`;
  if (figure.isSkipped === true) process.stdout.write(`      ${name}: ${figure.figure}\n`);
  else process.stdout.write(`${row.met ? "met  " : "SHORT"} ${name}: ${outcome}\n`);
  return row;
}

function write(verb: string, all: readonly Row[], settings: Settings): void {
  const rows = all.filter(({ isSkipped }) => isSkipped !== true);
  const passed = rows.filter(({ met }) => met).length;
  const reports = join(root, ".build", "reports");
  mkdirSync(reports, { recursive: true });
  writeFileSync(join(reports, `${verb}.json`), JSON.stringify({ passed, failed: rows.length - passed }));
  process.stdout.write(`${passed} passed, ${rows.length - passed} failed\n`);
  if (settings.fast || process.argv.length > 3) return;
  const { version } = settings;
  const machine = { node: version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length };
  const text = JSON.stringify({ date: new Date().toISOString(), ...machine, rows }, null, 2);
  writeFileSync(join(reports, `${verb}-node${Number.parseInt(version, 10)}.json`), `${text}\n`);
}

/** The value below which the share `q` of the values lies, or 0 without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}

/** A number with thousands separators. */
export const grouped = (value: number): string => value.toLocaleString("en-GB");

/** Calls `act` for each item of a list, this many in parallel. */
export async function each<T>(list: Iterable<T>, lanes: number, act: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = list[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) await act(next.value);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
