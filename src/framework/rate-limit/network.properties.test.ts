/** Properties of the bucket's key, and of the tokens of a bucket (RATE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { MemoryRateLimitStore } from "./memory-store.ts";
import { networkOf } from "./network.ts";

const numRuns = Number(process.env["FC_RUNS"] ?? 1_000);
const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 });

/** An IPv6 address in one of its spellings. */
const spelt = (address: ipaddr.IPv6, way: number): string => {
  const padded = address.parts.map((part) => part.toString(16).padStart(4, "0")).join(":");
  const text = [address.toString(), address.toNormalizedString(), padded][way % 3] ?? "";
  return way % 2 === 0 ? text.toLowerCase() : text.toUpperCase();
};

describe("networkOf", () => {
  test("is equal for all spellings and all addresses of a /64, and different for any other", () => {
    fc.assert(
      fc.property(bytes, bytes, fc.nat(5), fc.nat(5), (one, two, way, other) => {
        const [a, b] = [one, two].map((list) => new ipaddr.IPv6([...list]));
        const beside = new ipaddr.IPv6([...one.subarray(0, 8), ...two.subarray(8)]);
        if (a === undefined || b === undefined || [a, b, beside].some((ip) => ip.isIPv4MappedAddress())) return;
        assert.equal(networkOf(spelt(a, way)), networkOf(spelt(beside, other)));
        assert.equal(networkOf(spelt(a, way)) === networkOf(spelt(b, other)), a.match(b, 64));
      }),
      { numRuns },
    );
  });

  test("is the whole IPv4 address, also when written as IPv6", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const mapped = ipaddr.IPv4.parse(address).toIPv4MappedAddress();
        assert.deepEqual([address, mapped.toString(), `::ffff:${address}`].map(networkOf), Array(3).fill(address));
      }),
      { numRuns },
    );
  });

  test("gives a text for any text", () => {
    const unit = fc.constantFrom(..."0123456789abcdefF:.%/[]g ", "::", "ffff:", "255");
    fc.assert(
      fc.property(fc.string({ unit, minLength: 1, maxLength: 60 }), (text) => {
        const network = networkOf(text);
        if (!network.endsWith("::/64") || text === network) return;
        assert.ok(ipaddr.IPv6.isValid(text), `${text} became ${network}`);
        assert.ok(ipaddr.IPv6.parse(text).match(ipaddr.IPv6.parse(network.slice(0, -3)), 64));
      }),
      { numRuns },
    );
  });
});

describe("MemoryRateLimitStore", () => {
  const request = fc.record({
    afterMs: fc.oneof(fc.nat(50), fc.double({ min: 0, max: 2_000, noNaN: true })),
    cost: fc.constantFrom(0, 1, 1, 1, 2, 5),
    key: fc.constantFrom("a", "b", "__proto__", ""),
  });

  test("gives a key its burst and the tokens returned since, never more, and less only when they are spent", () => {
    fc.assert(
      fc.property(
        fc.array(request, { maxLength: 60 }),
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 1, max: 8 }),
        (requests, intervalMs, burst) => {
          let now = 0;
          const store = new MemoryRateLimitStore({ now: () => now });
          /** Tokens, counted in the simplest way. */
          const tokens = new Map<string, { left: number; at: number }>();
          for (const { afterMs, cost, key } of requests) {
            now += afterMs;
            const { left = burst, at = now } = tokens.get(key) ?? {};
            const there = Math.min(burst, left + (now - at) / intervalMs);
            const { allowed, remaining, retryMs } = store.take(key, { intervalMs, burst }, cost);
            if (Math.abs(there - cost) > 1e-3) assert.equal(allowed, there >= cost, `${there} tokens, ${cost} wanted`);
            const rest = allowed ? there - cost : there;
            tokens.set(key, { left: Math.max(0, rest), at: now });
            assert.ok(remaining >= 0 && remaining <= rest + 1e-3, `${remaining} said of ${rest}`);
            assert.equal(retryMs > 0, !allowed);
          }
        },
      ),
      { numRuns: Math.ceil(numRuns / 4) },
    );
  });
});
