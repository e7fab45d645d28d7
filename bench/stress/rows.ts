/**
 * Rows: what a stress run found, one figure a line, each held against its target.
 *
 *   row ──▶ a line on standard output ──▶ .build/reports/<verb>.json (counts) ──▶ bench/results/<verb>-node<major>.json (figures)
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Settings } from "./settings.ts";

/** One measured figure. */
export interface Row {
  readonly name: string;
  /** What was measured, as a sentence. */
  readonly figure: string;
  /** What it is held against. */
  readonly target: string;
  readonly met: boolean;
}

/** A figure before it is timed. */
export type Measurement = (settings: Settings) => Promise<Row>;

/** The repository's root, from the compiled place of this file. */
export const root: string = fileURLToPath(new URL("../../../", import.meta.url));

/** Measures one after the other, prints each row, writes the reports; a row that is short sets exit code 1. */
export async function measureAll(
  verb: string,
  measurements: Readonly<Record<string, Measurement>>,
  settings: Settings,
): Promise<void> {
  const only = process.argv.slice(3);
  const chosen = Object.entries(measurements).filter(
    ([name]) => only.length === 0 || only.some((word) => name.includes(word)),
  );
  if (chosen.length === 0) throw new Error(`no row of ${verb} is called ${only.join(" ")}`);
  const rows: (Row & { readonly seconds: number; readonly seed: number })[] = [];
  for (const [name, measure] of chosen) {
    const startedAt = performance.now();
    const row = await measure(settings).catch((error: unknown) => broken(name, error));
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    rows.push({ ...row, seconds, seed: settings.seed });
    process.stdout.write(
      `${row.met ? "met  " : "SHORT"} ${row.name}: ${row.figure} (target: ${row.target}; ${seconds} s, seed ${settings.seed})\n`,
    );
  }
  write(verb, rows, settings);
  process.exitCode = rows.every(({ met }) => met) ? 0 : 1;
}

/** A measurement that broke off is a row that is short. */
function broken(name: string, error: unknown): Row {
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { name, figure: `broke off: ${why}`, target: "a figure", met: false };
}

function write(verb: string, rows: readonly Row[], settings: Settings): void {
  const passed = rows.filter(({ met }) => met).length;
  const reports = join(root, ".build", "reports");
  mkdirSync(reports, { recursive: true });
  writeFileSync(join(reports, `${verb}.json`), JSON.stringify({ passed, failed: rows.length - passed }));
  process.stdout.write(`${passed} passed, ${rows.length - passed} failed\n`);
  if (settings.fast || process.argv.length > 3) return;
  const results = join(root, "bench", "results");
  mkdirSync(results, { recursive: true });
  const { version } = settings;
  const machine = { node: version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length };
  const text = JSON.stringify({ date: new Date().toISOString(), ...machine, rows }, null, 2);
  writeFileSync(join(results, `${verb}-node${Number.parseInt(version, 10)}.json`), `${text}\n`);
}

/** The value below which the share `q` of the values lies; 0 without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;
}

/** A number with thousands separators. */
export const grouped = (value: number): string => value.toLocaleString("en-GB");
