/** Shared by the tests of parsers. Does the time grow linearly with the text, or quadratically? */
import assert from "node:assert/strict";

/**
 * Fails when a text of sixteen times the length takes more than eighty times as long and 20 ms. A quadratic parser takes 256
 * times as long, and one hidden by the 20 ms is harmless for the 16 KiB of a head. The best of several runs counts, in
 * processor time, so that a busy machine causes no failure.
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
        // A rejection is a response too. Only its time matters here.
      }
      const { user, system } = process.cpuUsage(startedAt);
      least = Math.min(least, (user + system) / 1_000);
    }
    return least;
  };
  const [small, large] = [best(16_384), best(262_144)];
  assert.ok(large <= 80 * small + 20, `${JSON.stringify(unit)}: ${small} ms for 16 KiB, ${large} ms for 256 KiB`);
}
