import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { takeFrom } from "./bucket.ts";
import { MemoryRateLimitStore } from "./memory-store.ts";
import { networkOf } from "./network.ts";

describe("takeFrom", () => {
  test("returns limit tokens in each window, evenly, up to the burst", () => {
    const bucket = { intervalMs: 100, burst: 3 };
    let fullAt = 0;
    const seen = [0, 0, 0, 0, 99, 100, 100, 1_000].map((now) => {
      const { next, ...taken } = takeFrom(fullAt, 10_000 + now, bucket, 1);
      fullAt = next;
      return taken;
    });
    const allowed = (remaining: number, resetMs: number): object => ({ allowed: true, remaining, resetMs, retryMs: 0 });
    assert.deepEqual(seen, [
      allowed(2, 100),
      allowed(1, 200),
      allowed(0, 300),
      { allowed: false, remaining: 0, resetMs: 300, retryMs: 100 },
      { allowed: false, remaining: 0, resetMs: 201, retryMs: 1 },
      allowed(0, 300),
      { allowed: false, remaining: 0, resetMs: 300, retryMs: 100 },
      allowed(2, 100),
    ]);
  });

  test("ignores a deficit below a hundredth of a millisecond as a rounding error", () => {
    const bucket = { intervalMs: 0.01, burst: 1 };
    const rejected = { allowed: false, remaining: 1, resetMs: 0, retryMs: 0.01, next: 0 };
    assert.deepEqual(takeFrom(0, 0, bucket, 2), rejected);
    assert.equal(takeFrom(0, 0, bucket, 1.9).allowed, true);
  });

  test("never allows more than burst and the tokens returned since", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 250 }), { maxLength: 100 }), (pauses) => {
        const bucket = { intervalMs: 100, burst: 5 };
        let now = 1_000;
        let fullAt = 0;
        let passed = 0;
        for (const pause of pauses) {
          now += pause;
          const { next, allowed } = takeFrom(fullAt, now, bucket, 1);
          fullAt = next;
          if (allowed) passed += 1;
          assert.ok(passed <= bucket.burst + (now - 1_000) / bucket.intervalMs + 0.001);
        }
      }),
    );
  });
});

describe("MemoryRateLimitStore", () => {
  const bucket = { intervalMs: 1_000, burst: 10 };

  test("forgets full buckets first, then the fullest, and never one over the limit", () => {
    let now = 0;
    const store = new MemoryRateLimitStore({ maxKeys: 64, now: () => now });
    for (let count = 0; count < 10; count += 1) store.take("greedy", bucket, 1);
    const isOut = (): boolean => !store.take("greedy", bucket, 1).allowed;
    let most = 0;
    for (let key = 0; key < 2_000; key += 1) {
      store.take(`key ${key}`, bucket, (key % 9) + 1);
      most = Math.max(most, store.size);
      assert.ok(isOut(), `forgotten after ${key} other keys`);
    }
    assert.equal(most, 64);
    now = 20_000;
    for (let key = 0; key < 9; key += 1) store.take(`late ${key}`, bucket, 1);
    assert.ok(store.size <= 9, "full buckets are gone");
    assert.equal(store.take("greedy", bucket, 1).remaining, 9);
  });

  test("removes the fullest eighth for a new key, and nothing for a known one", () => {
    let now = 0;
    const store = new MemoryRateLimitStore({ maxKeys: 16, now: () => now });
    const left = (key: number): number => store.take(`${key}`, bucket, 0).remaining;
    for (let key = 1; key <= 16; key += 1) store.take(`${key}`, { ...bucket, burst: 20 }, 17 - key);
    store.take("1", { ...bucket, burst: 20 }, 1);
    assert.equal(store.size, 16);
    store.take("new", bucket, 10);
    assert.equal(store.size, 15);
    assert.deepEqual([13, 14, 15, 16].map(left), [6, 7, 10, 10]);
    now = 17_000;
    for (let key = 20; key <= 36; key += 1) store.take(`${key}`, bucket, 1);
    assert.equal(store.size, 15, "those that lack the same go no further than is needed");
  });

  test("forgets buckets that are full at that moment, and then none that are not", () => {
    let now = 0;
    const store = new MemoryRateLimitStore({ maxKeys: 8, now: () => now });
    store.take("full", bucket, 1);
    for (let key = 1; key < 8; key += 1) store.take(`${key}`, bucket, 2);
    now = 1_000;
    store.take("new", bucket, 1);
    assert.equal(store.size, 8);
    assert.equal(store.take("1", bucket, 0).remaining, 9);
  });

  test("keeps no bucket that stays full", () => {
    const store = new MemoryRateLimitStore();
    assert.deepEqual(store.take("key", bucket, 0), { allowed: true, remaining: 10, resetMs: 0, retryMs: 0 });
    assert.equal(store.size, 0);
  });

  test("names an invalid bound", () => {
    for (const maxKeys of [7, 8.5])
      assert.throws(() => new MemoryRateLimitStore({ maxKeys }), {
        code: "RATE_LIMIT",
        message: `maxKeys is ${maxKeys}: a whole number from 8 on is allowed`,
      });
    assert.doesNotThrow(() => new MemoryRateLimitStore({ maxKeys: 8 }));
  });
});

describe("networkOf", () => {
  test("is the address, or its first 64 bits for IPv6", () => {
    const networks = {
      "192.0.2.7": "192.0.2.7",
      "::1": "0:0:0:0::/64",
      "2001:db8::7": "2001:db8:0:0::/64",
      "2001:DB8:0:1:2:3:4:5": "2001:db8:0:1::/64",
      "::ffff:192.0.2.7": "192.0.2.7",
      "no:address": "no:address",
    };
    assert.deepEqual(
      Object.fromEntries(Object.keys(networks).map((address) => [address, networkOf(address)])),
      networks,
    );
  });
});
