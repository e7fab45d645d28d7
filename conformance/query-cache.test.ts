/** The published pairs of QUERY requests (vectors/query-cache.json) against CacheMiddleware. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Framework } from "framework";
import { CacheMiddleware } from "framework/cache";
import { root } from "../test/environment.ts";

interface Sent {
  readonly target: string;
  readonly type: string;
  readonly body: string;
}
interface Pair {
  readonly name: string;
  readonly share: "same" | "may" | "different";
  readonly a: Sent;
  readonly b: Sent;
}

const file = join(root, "conformance", "vectors", "query-cache.json");
const { pairs } = JSON.parse(readFileSync(file, "utf8")) as { readonly pairs: readonly Pair[] };

/** Does the second request get what is stored for the first? */
async function isShared(a: Sent, b: Sent): Promise<boolean> {
  let runs = 0;
  const app = Framework.create().use(new CacheMiddleware());
  app.query("/q", (ctx) => ctx.setHeader("Cache-Control", "max-age=60").text(String((runs += 1))));
  const send = async ({ target, type, body }: Sent): Promise<string> => {
    const response = await app.request(target, { method: "QUERY", headers: { "Content-Type": type }, body });
    assert.equal(response.status, 200);
    return response.text();
  };
  const first = await send(a);
  assert.equal(await send(a), first);
  return (await send(b)) === first;
}

describe("vectors/query-cache.json", () => {
  for (const { name, share, a, b } of pairs)
    test(`CACHE-006: ${name}: ${share}`, async () => {
      // What may be one is one here.
      assert.deepEqual(
        [await isShared(a, b), await isShared(b, a)],
        share === "different" ? [false, false] : [true, true],
      );
    });
});
