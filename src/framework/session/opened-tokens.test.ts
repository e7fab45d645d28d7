/** Opened tokens: how many are cached, and which part of them (SESSION). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { derive, type Derive } from "./cipher.ts";
import type { Found } from "./found.ts";
import { SealedKeeper } from "./keeper.ts";
import { OpenedTokens } from "./opened-tokens.ts";
import { Sealer } from "./seal.ts";
import { createClient, sealedWith, secret } from "./sessions.testkit.ts";

const foundWith = (text: string): Found => ({
  text,
  createdAt: 1,
  usedAt: 2,
  id: undefined,
  sentAt: 2,
  isOutdated: false,
});

describe("OpenedTokens", () => {
  test("finds the newest and the recently used ones, 1,024 at most", () => {
    const opened = new OpenedTokens();
    const found = foundWith("{}");
    opened.add("asked", found);
    opened.add("forgotten", found);
    for (let at = 0; at < 5_000; at += 1) {
      opened.add(`token ${at}`, found);
      assert.deepEqual(opened.get("asked"), found, `after ${at}`);
      assert.ok(opened.size <= 1_024, `${opened.size} after ${at}`);
    }
    assert.deepEqual(
      ["forgotten", "token 0", "token 3500", "token 4999"].map((token) => opened.get(token) !== undefined),
      [false, false, false, true],
    );
  });

  test("keeps at most 2^21 characters of tokens and sessions", () => {
    const opened = new OpenedTokens();
    const found = foundWith("x".repeat(2 ** 17 - 8));
    for (let at = 0; at < 100; at += 1) opened.add(`token ${at}`.padEnd(8), found);
    assert.equal(opened.size, 16 - 4);
  });

  test("keeps no data, since a request may change it", () => {
    const opened = new OpenedTokens();
    opened.add("token", { ...foundWith('{"cart":[]}'), data: { cart: ["changed"] } });
    assert.deepEqual(opened.get("token"), foundWith('{"cart":[]}'));
  });
});

describe("SealedKeeper", () => {
  test("opens a token once, and a token made up by a client each time", async () => {
    let openings = 0;
    const counting: Derive = async (...given) => {
      const key = await derive(...given);
      return {
        seal: (...of) => key.seal(...of),
        open: (...of) => {
          openings += 1;
          return key.open(...of);
        },
      };
    };
    const keeper = new SealedKeeper(new Sealer([secret], "session", { derive: counting }));
    const { token } = await keeper.create({ text: '{"user":"Ada"}', createdAt: 1, usedAt: 2 });
    for (let at = 0; at < 3; at += 1) assert.equal((await keeper.find(token))?.text, '{"user":"Ada"}');
    assert.equal(openings, 1);
    const made = `${token.slice(0, 60)}${token[60] === "A" ? "B" : "A"}${token.slice(61)}`;
    for (let at = 0; at < 3; at += 1) assert.equal(await keeper.find(made), undefined);
    assert.equal(openings, 4);
  });
});

describe("a sealed session that was opened before", () => {
  test("has separate values in each request, so a change in one is invisible to others", async () => {
    const client = createClient(sealedWith().options);
    await client.get("/add?sku=lamp");
    const cookie = client.jar;
    const carts: unknown[] = [];
    for (const sku of ["desk", "chair", "sofa"]) {
      client.jar = cookie;
      await client.get(`/push?sku=${sku}`);
      carts.push((await client.json("/read"))["cart"]);
      client.jar = cookie;
      carts.push((await client.json("/read"))["cart"]);
    }
    const [before, after] = [["lamp"], (sku: string) => ["lamp", sku]];
    assert.deepEqual(carts, [after("desk"), before, after("chair"), before, after("sofa"), before]);
  });

  test("is outdated each time when an older secret has sealed it", async () => {
    const older = createClient(sealedWith("fedcba9876543210fedcba9876543210").options);
    await older.get("/login?user=Ada");
    const client = createClient(sealedWith([secret, "fedcba9876543210fedcba9876543210"]).options);
    for (let at = 0; at < 3; at += 1) {
      client.jar = older.jar;
      assert.notEqual((await client.get("/untouched")).cookie, undefined);
    }
  });
});
