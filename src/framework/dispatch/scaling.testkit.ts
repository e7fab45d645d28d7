/** What the tests of parsers share: does the time grow with the text, or with its square? */
import assert from "node:assert/strict";

/**
 * Fails when sixteen times the text takes more than eighty times as long and 20 ms (a quadratic parser takes 256 times as
 * long, and one so quick that 20 ms hide it is harmless at the 16 KiB that a head may have). The best of
 * several runs counts, in time of the processor, so that a busy machine fails nothing.
 */
export function assertLinear(
  parse: (text: string) => unknown,
  unit: string,
  wrap: (text: string) => string = (text) => text,
): void {
  const best = (size: number): number => {
    const text = wrap(unit.repeat(Math.ceil(size / unit.length)));
    let least = Infinity;
    for (let run = 0; run < 5; run += 1) {
      const startedAt = process.cpuUsage();
      try {
        parse(text);
      } catch {
        // A rejection is a response too; only its time matters here.
      }
      const { user, system } = process.cpuUsage(startedAt);
      least = Math.min(least, (user + system) / 1_000);
    }
    return least;
  };
  const [small, large] = [best(16_384), best(262_144)];
  assert.ok(large <= 80 * small + 20, `${JSON.stringify(unit)}: ${small} ms for 16 KiB, ${large} ms for 256 KiB`);
}
