/**
 * Quiet rounds: those in which the machine's other tenants disturbed everybody least.
 *
 *   round × server ──▶ each figure ÷ that server's median ──▶ sum of a round = how loud it was ──▶ the quieter half
 *
 * A neighbour that empties the shared cache costs whoever touches more memory more, so a loud round shows the
 * neighbour. All servers choose together: a round is not kept because one of them was lucky in it.
 */
import type { Measured } from "./list.ts";
import { median } from "./stats.ts";

/** The numbers of the quieter half of the rounds, in order. @param rows the figures of each server, by round */
export function quietRounds(rows: readonly (readonly number[])[]): readonly number[] {
  const rounds = Math.min(...rows.map((row) => row.length));
  if (!Number.isFinite(rounds) || rounds === 0) return [];
  const usual = rows.map(median);
  const loudness = Array.from({ length: rounds }, (_, round) =>
    rows.reduce((sum, row, server) => sum + (row[round] ?? 0) / (usual[server] ?? 1), 0),
  );
  const order = [...loudness.keys()].sort((a, b) => (loudness[a] ?? 0) - (loudness[b] ?? 0));
  return order.slice(0, Math.ceil(rounds / 2)).sort((a, b) => a - b);
}

/** A list with its quieter rounds alone, of whichever runs. */
export function quietHalf(measured: Measured): Measured {
  const kept = new Set(quietRounds(Array.from(measured.values(), (runs) => runs.flat().map(({ cpuUs }) => cpuUs))));
  return new Map(
    Array.from(measured, ([name, runs]) => {
      let round = -1;
      return [name, runs.map((slices) => slices.filter(() => kept.has((round += 1))))];
    }),
  );
}
