/** ResetBudget: the allowed cancels of an address, to the millisecond (ENGINE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { accountOf, ResetBudget, type Tally } from "./reset-budget.ts";

const tallyOf = (address: string): Tally => ({ address, resets: 0, whole: 0, credited: 0 });

/** Charges this number of resets. Returns the numbers of those after which the connection had to end. */
function charge(budget: ResetBudget, tally: Tally, count: number, now = 0): number[] {
  const ended: number[] = [];
  for (let n = 1; n <= count; n += 1) if (budget.charge(tally, now)) ended.push(n);
  return ended;
}

describe("ResetBudget", () => {
  it("allows ten seconds' worth in a burst, then ends the connection", () => {
    const budget = new ResetBudget(100);
    const tally = tallyOf("a");
    assert.deepEqual([charge(budget, tally, 1_000), budget.isSpent("a", 0)], [[], false]);
    assert.deepEqual([charge(budget, tally, 2), budget.isSpent("a", 0)], [[1, 2], true]);
    assert.equal(budget.isSpent("b", 0), false);
  });

  it("counts every connection of an address, and rejects it for a second at most", () => {
    const budget = new ResetBudget(100);
    for (let n = 0; n < 50; n += 1) charge(budget, tallyOf("a"), 1_000);
    assert.equal(budget.isSpent("a", 0), true);
    assert.equal(budget.isSpent("a", 999), true);
    assert.equal(budget.isSpent("a", 1_000), false);
    assert.deepEqual(charge(budget, tallyOf("a"), 150, 1_001).length, 50);
    assert.equal(budget.isSpent("a", 1_002), true);
  });

  it("ends no connection that cancels less than it completes, and none that has hardly begun", () => {
    const budget = new ResetBudget(100);
    charge(budget, tallyOf("a"), 5_000);
    const good = { ...tallyOf("a"), whole: 10_000, credited: 10_000 };
    assert.deepEqual(charge(budget, good, 5_000), []);
    assert.deepEqual(charge(budget, tallyOf("a"), 100), []);
    assert.deepEqual(charge(budget, tallyOf("a"), 101), [101]);
  });

  it("gives back one for each completed request, once", () => {
    const budget = new ResetBudget(100);
    const tally = tallyOf("proxy");
    for (let round = 0; round < 20; round += 1) {
      tally.whole += 500;
      assert.deepEqual(charge(budget, tally, 500), []);
    }
    assert.equal(budget.isSpent("proxy", 0), false);
    charge(budget, tallyOf("proxy"), 1_001);
    assert.equal(budget.isSpent("proxy", 0), true);
  });

  it("forgets an address with a full budget, and stays within its capacity", () => {
    const budget = new ResetBudget(100);
    charge(budget, tallyOf("a"), 500);
    budget.sweep(4_990);
    assert.equal(budget.size, 1);
    budget.sweep(5_000);
    assert.equal(budget.size, 0);
    for (let n = 0; n < 20_000; n += 1) charge(budget, tallyOf(`address ${n}`), 1);
    assert.equal(budget.size, 4_096);
  });

  it("bounds nothing at Infinity", () => {
    const budget = new ResetBudget(Number.POSITIVE_INFINITY);
    assert.deepEqual([charge(budget, tallyOf("a"), 100_000), budget.isSpent("a", 0), budget.size], [[], false, 0]);
  });
});

describe("accountOf", () => {
  it("is the address, or the network for IPv6", () => {
    const accounts = {
      "127.0.0.1": "127.0.0.1",
      "::ffff:10.0.0.7": "10.0.0.7",
      "::1": "0:0:0:0::",
      "::": "0:0:0:0::",
      "2001:db8:1:2:3:4:5:6": "2001:db8:1:2::",
      "2001:db8:1:2::7": "2001:db8:1:2::",
      "2001:db8::7": "2001:db8:0:0::",
      "fe80::1%eth0": "fe80:0:0:0::",
      "1::2:3:4:5:6:7": "1:0:2:3::",
      "::2:3:4:5:6:7": "0:0:2:3::",
    };
    assert.deepEqual(
      Object.fromEntries(Object.keys(accounts).map((address) => [address, accountOf(address)])),
      accounts,
    );
    assert.equal(accountOf(undefined), "");
  });
});
