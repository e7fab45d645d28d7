/** What the tests of bounds share: how long something takes, on however busy a machine. No tests. */

/** Milliseconds of the processor's time that the function takes: the best of five runs. */
export function cpuMs(run: () => unknown): number {
  const took = Array.from({ length: 5 }, () => {
    const startedAt = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(startedAt);
    return (user + system) / 1_000;
  });
  return Math.min(...took);
}
