import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { DURATION_BOUNDARIES, Histogram } from "./histogram.ts";

function histogramOf(...seconds: number[]): Histogram {
  const histogram = new Histogram();
  for (const one of seconds) histogram.observe(one);
  return histogram;
}

describe("Histogram", () => {
  test("counts a duration in the first bucket with a bound that it does not exceed", () => {
    const buckets = histogramOf(0.005, 0.0051, 10, 10.1).buckets();
    const counted = buckets.filter(({ count }, index) => count > (buckets[index - 1]?.count ?? 0));
    assert.deepEqual(counted, [
      { le: 0.005, count: 1 },
      { le: 0.01, count: 2 },
      { le: 10, count: 3 },
      { le: null, count: 4 },
    ]);
  });

  test("reports sum, extremes, mean and percentiles of one observation as that observation", () => {
    const { buckets, ...figures } = histogramOf(0.03).summary();
    const value = 0.03;
    assert.deepEqual(figures, {
      sum: value,
      min: value,
      max: value,
      mean: value,
      p50: value,
      p90: value,
      p95: value,
      p99: value,
    });
    assert.equal(buckets.at(-1)?.count, 1);
  });

  test("reports zeros before the first observation", () => {
    const { buckets, ...figures } = new Histogram().summary();
    assert.deepEqual(figures, { sum: 0, min: 0, max: 0, mean: 0, p50: 0, p90: 0, p95: 0, p99: 0 });
    assert.equal(buckets.length, DURATION_BOUNDARIES.length + 1);
  });

  test("interpolates a percentile inside its bucket", () => {
    const histogram = histogramOf(0.1, 0.15, 0.2, 0.25);
    // 0.1 fills its own bucket. The rest are in (0.1, 0.25], so rank 2 is a third of the way.
    assert.ok(Math.abs(histogram.percentile(0.5) - 0.15) < 1e-12);
    assert.equal(histogram.percentile(1), 0.25);
    // With others below the bucket, it begins at its bound.
    assert.ok(Math.abs(histogramOf(0.01, 0.12, 0.2, 0.25).percentile(0.75) - 0.2) < 1e-12);
  });

  for (const [name, value] of Object.entries({ negative: -1, "negative zero": -0, NaN: NaN, infinite: Infinity })) {
    test(`counts a ${name} duration as zero`, () => {
      const { count, sum, min, max } = histogramOf(value);
      assert.deepEqual({ count, sum, min, max }, { count: 1, sum: 0, min: 0, max: 0 });
    });
  }

  test("counts exactly beyond 2^31", () => {
    const histogram = histogramOf(0.001);
    for (let doubled = 0; doubled < 40; doubled += 1) histogram.merge(histogram);
    histogram.observe(0.001);
    assert.deepEqual([histogram.buckets()[0]?.count, histogram.count], [2 ** 40 + 1, 2 ** 40 + 1]);
  });

  test("holds its invariants for any observations", () => {
    const durations = fc.array(fc.double({ min: 0, max: 20, noNaN: true }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(durations, (seconds) => {
        const { buckets, min, max, mean, p50, p90, p95, p99 } = histogramOf(...seconds).summary();
        assert.equal(buckets.at(-1)?.count, seconds.length);
        for (const { le, count } of buckets) {
          assert.equal(count, seconds.filter((one) => le === null || one <= le).length);
        }
        assert.deepEqual([min, max], [Math.min(...seconds), Math.max(...seconds)]);
        const ordered = [min, p50, p90, p95, p99, max];
        assert.deepEqual(
          ordered.toSorted((a, b) => a - b),
          ordered,
        );
        assert.ok(mean >= min - 1e-9 && mean <= max + 1e-9);
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 2_000) },
    );
  });

  test("merges to the histogram of all observations together", () => {
    const merged = histogramOf(0.02, 3);
    merged.merge(histogramOf(0.5, 12));
    assert.deepEqual(merged.summary(), histogramOf(0.02, 3, 0.5, 12).summary());
  });
});
