/** Cookies with a signature, and forged ones (COOKIE). */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import fc from "fast-check";
import { created } from "../testing/harness.testkit.ts";
import { signedCookies, type Context } from "../index.ts";

const secret = "0123456789abcdef0123456789abcdef";
const newer = "fedcba9876543210fedcba9876543210";

/** Runs `work` in a request with those cookies. Returns the pairs that were set. */
async function within(cookie: string, work: (ctx: Context) => unknown): Promise<string[]> {
  const { app, errors } = created();
  app.get("/", async (ctx) => {
    await work(ctx);
    return "done";
  });
  const { headers, status } = await app.request("/", { headers: { cookie } });
  assert.deepEqual([status, errors], [200, []]);
  return headers.getSetCookie().map((line) => line.slice(0, line.indexOf(";")));
}

/** The result of `get` for a cookie. */
async function read(secrets: string | readonly string[], name: string, cookie: string): Promise<string | undefined> {
  let value: string | undefined;
  const cookies = signedCookies(secrets);
  await within(cookie, async (ctx) => (value = await cookies.get(ctx, name)));
  return value;
}

const signed = (name: string, value: string, key = secret): string =>
  `${name}=${value}.${createHmac("sha256", key).update(`${name}=${value}`).digest("base64url")}`;

describe("signedCookies", () => {
  test("signs name and value with HMAC-SHA-256, and reads the signed value", async () => {
    const cookies = signedCookies(secret);
    const pairs = await within("", async (ctx) => {
      await cookies.set(ctx, "a", "1.5");
      await cookies.set(ctx, "b", "");
      cookies.delete(ctx, "c");
    });
    assert.deepEqual(pairs, [signed("a", "1.5"), signed("b", ""), "c="]);
    assert.deepEqual(
      [await read(secret, "a", pairs.join("; ")), await read(secret, "b", pairs.join("; "))],
      ["1.5", ""],
    );
    assert.equal(await read(secret, "d", pairs.join("; ")), undefined);
  });

  test("reads any signed text", async () => {
    const cookies = signedCookies(secret);
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 20 }), async (text) => {
        const [pair = ""] = await within("", (ctx) => cookies.set(ctx, "a", text));
        assert.equal(await read(secret, "a", pair), text);
      }),
      { numRuns: 60 },
    );
  });

  test("rejects a value that was changed, cut, or signed for another name", async () => {
    const pair = signed("a", "admin");
    const [, token = ""] = pair.split("=", 2);
    const changed = Array.from(
      token,
      (character, at) => token.slice(0, at) + (character === "A" ? "B" : "A") + token.slice(at + 1),
    );
    const cut = Array.from(token, (_, at) => token.slice(0, at));
    for (const other of [...changed, ...cut, `${token}A`, `${token}=`, `x${token}`, ".", `${token.split(".")[1]}`])
      assert.equal(await read(secret, "a", `a=${other}`), undefined, other);
    assert.equal(await read(secret, "b", `b=${token}`), undefined);
    assert.equal(await read(secret, "a", signed("a", "admin", newer)), undefined);
    assert.equal(await read(secret, "a", pair), "admin");
  });

  test("signs with the first secret and accepts the signatures of all", async () => {
    const cookies = signedCookies([newer, secret]);
    assert.deepEqual(await within("", (ctx) => cookies.set(ctx, "a", "1")), [signed("a", "1", newer)]);
    assert.equal(await read([newer, secret], "a", signed("a", "1")), "1");
    assert.equal(await read([newer], "a", signed("a", "1")), undefined);
  });

  test("rejects a secret that could be guessed, and does not show it", () => {
    const short = "hunter2-hunter2-hunter2-hunter2";
    for (const [secrets, given] of [
      [short, "of 31 characters"],
      [[secret, short], "of 31 characters"],
      [[], "undefined"],
      [undefined, "undefined"],
      [[null], "null"],
    ] as const)
      assert.throws(() => signedCookies(secrets as never), {
        code: "CONFIG_INVALID",
        message: `signedCookies: a secret is ${given}: text of 32 characters or more is allowed, such as openssl rand -hex 32 prints`,
      });
  });

  test("rejects the same options as ctx.setCookie", async () => {
    const cookies = signedCookies(secret);
    await within("", (ctx) => assert.rejects(cookies.set(ctx, "a b", "1"), { code: "COOKIE_INVALID" }));
  });
});
