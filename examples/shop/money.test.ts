/**
 * Money is exact, and other code cannot access its cents.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Money } from "./money.ts";

describe("Money", () => {
  it("adds, subtracts and multiplies without losing a cent", () => {
    const dime = Money.ofCents(10);
    assert.equal(Money.sum([dime, dime, dime]).amount, "0.30");
    assert.equal(Money.ofCents(1_999).times(3).minus(Money.ofCents(1)).amount, "59.96");
    assert.equal(Money.sum([]).amount, "0.00");
  });

  it("rounds a percentage to the nearest cent", () => {
    assert.equal(Money.ofCents(1_199).percent(10).amount, "1.20");
    assert.equal(Money.ofCents(1_194).percent(10).amount, "1.19");
  });

  it("rejects a fraction of a cent", () => {
    assert.throws(() => Money.ofCents(0.5), new RangeError("An amount is a whole number of cents, not 0.5"));
    assert.throws(() => Money.ofCents(1).times(1.5), RangeError);
  });

  it("is an amount and a currency as JSON, and has no visible field", () => {
    assert.equal(JSON.stringify({ price: Money.ofCents(1_250) }), '{"price":{"amount":"12.50","currency":"EUR"}}');
    assert.deepEqual(Object.keys(Money.ofCents(1_250)), []);
  });

  it("compares by size", () => {
    assert.equal(Money.ofCents(200).isAtLeast(Money.ofCents(200)), true);
    assert.equal(Money.ofCents(199).isAtLeast(Money.ofCents(200)), false);
  });
});
