/** What the tests of parsers share: does the time grow with the text, or with its square? No tests. */
import assert from "node:assert/strict";

/**
 * Fails when four times the text takes more than ten times as long (a quadratic parser takes sixteen). The best of
 * several runs counts, so that a busy machine fails nothing.
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
      const startedAt = performance.now();
      try {
        parse(text);
      } catch {
        // A refusal is an answer too; only its time matters here.
      }
      least = Math.min(least, performance.now() - startedAt);
    }
    return least;
  };
  const [once, fourTimes] = [best(16_384), best(65_536)];
  assert.ok(fourTimes <= 10 * once + 1, `${JSON.stringify(unit)}: ${once} ms for 16 KiB, ${fourTimes} ms for 64 KiB`);
}
