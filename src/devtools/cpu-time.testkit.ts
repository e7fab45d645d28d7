/** What the tests of bounds share: how long something takes, on however busy a machine. */

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

/** What others are held against: 20,000 texts made, kept by name and sorted, some 10 ms of a quick machine. */
function yardstick(): number {
  const kept = new Map<string, number>();
  for (let at = 0; at < 20_000; at += 1) kept.set(`name ${(at * 7_919) % 100_003}`, at);
  return [...kept].toSorted(([a], [b]) => (a < b ? -1 : 1)).length;
}

/** Milliseconds of the processor's time that this machine takes for a fixed piece of work. */
export const yardstickMs = (): number => cpuMs(yardstick);

/** The processor's time that the function takes ÷ that of a fixed piece of work, the best of some runs of each in turn. */
export function cpuShare(run: () => unknown, runs = 5): number {
  const times = Array.from({ length: runs }, () => [measured(yardstick), measured(run)] as const);
  return Math.min(...times.map(([, own]) => own)) / Math.min(...times.map(([fixed]) => fixed));
}
