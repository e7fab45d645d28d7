/** Shared by the tests of stores that several processes share. */
import assert from "node:assert/strict";
import { Framework } from "framework";
import { RateLimitMiddleware, type RateLimitStore } from "./index.ts";

/** The apps of these stores limit a client together. */
export async function checkTogether(stores: readonly [RateLimitStore, RateLimitStore]): Promise<void> {
  const apps = stores.map((store) =>
    Framework.create()
      .use(new RateLimitMiddleware({ limit: 3, windowMs: 60_000, store }))
      .get("/", () => ""),
  );
  const seen: unknown[] = [];
  for (const app of [...apps, ...apps]) {
    const { status, headers } = await app.fetch(new Request("http://localhost/"), { peerAddress: "192.0.2.1" });
    seen.push([status, headers.get("RateLimit")?.split(";")[1]]);
  }
  assert.deepEqual(seen, [
    [200, "r=2"],
    [200, "r=1"],
    [200, "r=0"],
    [429, "r=0"],
  ]);
}
