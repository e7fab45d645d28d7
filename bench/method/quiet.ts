/**
 * Quiet rounds: those in which the machine's other tenants disturbed everybody least.
 *
 *   round × server ──▶ each figure ÷ that server's median ──▶ sum of a round = how loud it was ──▶ the quieter ones
 *
 * A neighbour that empties the shared cache costs whoever touches more memory more, so a loud round shows the
 * neighbour. All servers choose together: a round is not kept because one of them was lucky in it.
 */
import { median } from "./stats.ts";

/**
 * The numbers of the quieter rounds, in order.
 *
 * @param rows the figures of each server, by round
 * @param share how many of the rounds
 */
export function quietRounds(rows: readonly (readonly number[])[], share: number): readonly number[] {
  const rounds = Math.min(...rows.map((row) => row.length));
  if (!Number.isFinite(rounds) || rounds === 0) return [];
  const usual = rows.map(median);
  const loudness = Array.from({ length: rounds }, (_, round) =>
    rows.reduce((sum, row, server) => sum + (row[round] ?? 0) / (usual[server] ?? 1), 0),
  );
  const order = [...loudness.keys()].sort((a, b) => (loudness[a] ?? 0) - (loudness[b] ?? 0));
  return order.slice(0, Math.ceil(rounds * share)).sort((a, b) => a - b);
}
