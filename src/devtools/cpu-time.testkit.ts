/** Shared by the tests of bounds, which measure CPU time, so a busy machine does not change the result. */

function measured(run: () => unknown): number {
  const startedAt = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(startedAt);
  return (user + system) / 1_000;
}

/** Milliseconds of the processor's time that the function takes: the best of five runs. */
export function cpuMs(run: () => unknown): number {
  return Math.min(...Array.from({ length: 5 }, () => measured(run)));
}

/** The yardstick makes 20,000 texts, keeps them by name and sorts them. It takes some 10 ms on a fast machine. */
function yardstick(): number {
  const kept = new Map<string, number>();
  for (let at = 0; at < 20_000; at += 1) kept.set(`name ${(at * 7_919) % 100_003}`, at);
  return [...kept].toSorted(([a], [b]) => (a < b ? -1 : 1)).length;
}

/** Milliseconds of the processor's time that this machine takes for the yardstick. */
export const yardstickMs = (): number => cpuMs(yardstick);

/** The processor's time of the function divided by that of the yardstick. Each runs in turn, and the best run counts. */
export function cpuShare(run: () => unknown, runs = 5): number {
  const times = Array.from({ length: runs }, () => [measured(yardstick), measured(run)] as const);
  return Math.min(...times.map(([, own]) => own)) / Math.min(...times.map(([fixed]) => fixed));
}
