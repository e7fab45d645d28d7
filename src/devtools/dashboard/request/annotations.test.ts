/**
 * annotations: the notes of middleware, as sentences.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Json } from "../../run/shapes.ts";
import { annotationOf, readAnnotation } from "./annotations.ts";

const read = (name: string, value: Json): readonly (string | undefined)[] => {
  const { title, text } = readAnnotation({ name, value });
  return [title, text];
};

describe("readAnnotation", () => {
  test("describes the decisions of the framework's own middleware, with their figures", () => {
    const bucket = { policy: "login", key: "192.0.2.1", burst: 10, remaining: 0, resetMs: 60_000, retryMs: 6_000 };
    const said: readonly (readonly [name: string, value: Json, title: string, text: string])[] = [
      [
        ...(["rateLimit", { ...bucket, allowed: false }, "Rate limit"] as const),
        "login: rejected, allowed again in 6.00 s; 0 of 10 left in the bucket of 192.0.2.1, full in 60.00 s",
      ],
      [
        ...(["rateLimit", { ...bucket, remaining: 9, resetMs: 6_000, allowed: true }, "Rate limit"] as const),
        "login: allowed; 9 of 10 left in the bucket of 192.0.2.1, full in 6.00 s",
      ],
      ["idempotency", { outcome: "replayed", key: "a" }, "Idempotency", "replayed, key a"],
      ["cache", { outcome: "miss", why: "uri-miss", stored: true }, "Cache", "miss (uri-miss) and stored"],
      ["cache", { outcome: "hit", ageS: 5, ttlS: 55 }, "Cache", "hit, 5 s old, 55 s left"],
      ["idempotency", { outcome: "missing" }, "Idempotency", "missing"],
      [
        ...(["conditional", { outcome: "notModified", by: "If-None-Match", value: '"a"', etag: '"a"' }] as const),
        ...(["Conditional request", 'not modified: If-None-Match has "a", the ETag is "a"'] as const),
      ],
      [
        ...(["conditional", { outcome: "failed", by: "If-Unmodified-Since", value: "x", lastModified: "y" }] as const),
        ...([
          "Conditional request",
          "the condition failed: If-Unmodified-Since has x, the Last-Modified is y",
        ] as const),
      ],
      [
        ...(["compression", { coding: "br", before: 12_400, after: 2_100 }, "Compression"] as const),
        "by br: 12.4 kB → 2.1 kB, 83 % saved",
      ],
      ["compression", { coding: "gzip", inPieces: true }, "Compression", "by gzip, as it was sent"],
      [
        ...(["session", { found: false, lost: false, outcome: "created", values: { user: "ada", at: 1 } }] as const),
        ...(["Session", "none before, a new one was created; it holds user, at"] as const),
      ],
      [
        ...(["session", { found: true, lost: false, outcome: "destroyed", values: {} }] as const),
        ...(["Session", "found, it was ended; it is empty"] as const),
      ],
      [
        ...(["webSocket", { code: 1000, reason: "bye", by: "client", messages: 1, sentBytes: 7 }] as const),
        ...(["WebSocket", "closed by the client with 1000 (bye); 1 message came, 7 B were sent"] as const),
      ],
      [
        ...(["agent", { agent: "claude-code", tool: "search-products", thread: "3f2a90c1b7de" }, "Agent"] as const),
        "claude-code: search-products, thread:3f2a90c1b7de",
      ],
    ];
    assert.deepEqual(
      said.map(([name, value]) => read(name, value)),
      said.map(([, , title, text]) => [title, text]),
    );
  });

  test("shows only the value of another middleware's annotation, or of an incomplete one", () => {
    const others: readonly (readonly [name: string, value: Json])[] = [
      ["cache", { hit: true }],
      ["constructor", 1],
      ["rateLimit", null],
      ["rateLimit", { remaining: "1" }],
      ["conditional", []],
      ["compression", { coding: "br", before: { $evicted: true } }],
      ["session", { $evicted: true }],
      ["webSocket", { code: 1000 }],
    ];
    assert.deepEqual(
      others.map(([name, value]) => read(name, value)),
      others.map(([name]) => [name, undefined]),
    );
  });
});

describe("annotationOf", () => {
  test("is the last one of that name", () => {
    const all = [1, 2].map((value) => ({ name: "session", value }));
    assert.deepEqual(
      [annotationOf(all, "session"), annotationOf(all, "x"), annotationOf(undefined, "session")],
      [{ name: "session", value: 2 }, undefined, undefined],
    );
  });
});
