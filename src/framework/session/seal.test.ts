/** Sealed sessions: which texts open, and which never do (SESSION). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { base64urlOf, bytesOfBase64url } from "../internal/base64url.ts";
import { derive, type Derive, deriveWith } from "./cipher.ts";
import { createClient, sealedWith, secret } from "./sessions.testkit.ts";
import { Sealer } from "./seal.ts";

const older = "fedcba9876543210fedcba9876543210";
const sealer = new Sealer([secret], "session");
const text = '[1,2,{"user":"Ada"}]';

/** As on a platform without `node:crypto`. */
const ofTheWeb = deriveWith(undefined);

/** Derives keys, and counts how often. */
function counting(): { readonly derive: Derive; count: number } {
  const counted = {
    count: 0,
    derive: ((...given) => {
      counted.count += 1;
      return derive(...given);
    }) satisfies Derive,
  };
  return counted;
}

describe("Sealer", () => {
  test("opens with WebCrypto a seal of node:crypto, and the other way round", async () => {
    const web = new Sealer([secret], "session", { derive: ofTheWeb });
    for (const length of [0, 1, 15, 16, 17, 3_000]) {
      const long = "é".repeat(length);
      assert.deepEqual(await web.open(await sealer.seal(long)), { text: long, isCurrent: true });
      assert.deepEqual(await sealer.open(await web.seal(long)), { text: long, isCurrent: true });
    }
  });

  test("opens the seals of each version so far", async () => {
    // Salt 0, 1, 2 …, nonce 100, 101, 102 …, with WebCrypto.
    const sealed = "1.AAECAwQFBgcICQoLDA0OD2RlZmdoaWprbG1uby3_TVcTRScJLXrzboL3f0xnbR_jBBQ0TkNjNzS-YnnAAyErLg";
    assert.deepEqual(await sealer.open(sealed), { text, isCurrent: true });
  });

  test("SESSION-007: changes the salt after a number of seals, and repeats no nonce", async () => {
    const few = new Sealer([secret], "session", { sealsPerSalt: 3 });
    const tokens: string[] = [];
    for (let at = 0; at < 7; at += 1) tokens.push(await few.seal(text));
    const bytes = tokens.map((token) => bytesOfBase64url(token.slice(2)) ?? assert.fail());
    const salts = bytes.map((each) => base64urlOf(each.subarray(0, 16)));
    const nonces = new Set(bytes.map((each) => base64urlOf(each.subarray(16, 28))));
    assert.deepEqual(
      salts.map((salt) => salts.indexOf(salt)),
      [0, 0, 0, 3, 3, 3, 6],
    );
    assert.equal(nonces.size, 7);
    for (const token of tokens) assert.deepEqual(await sealer.open(token), { text, isCurrent: true });
  });

  test("derives a key once for all seals of one process, and keeps none for invented seals", async () => {
    const counted = counting();
    const own = new Sealer([secret], "session", counted);
    const tokens = [await sealer.seal(text), await sealer.seal(`${text} `)];
    for (const token of [...tokens, ...tokens]) await own.open(token);
    assert.equal(counted.count, 1);
    for (let at = 0; at < 300; at += 1) await own.open(`1.${base64urlOf(crypto.getRandomValues(new Uint8Array(60)))}`);
    assert.equal(counted.count, 301);
    await own.open(tokens[0] ?? "");
    assert.equal(counted.count, 301);
    // Keys of 256 processes are kept. Beyond that the first is derived again.
    for (let at = 0; at < 256; at += 1) await own.open(await new Sealer([secret], "session").seal(text));
    assert.equal(counted.count, 557);
    assert.notEqual(await own.open(tokens[0] ?? ""), undefined);
    assert.equal(counted.count, 558);
  });

  test("keeps the keys of 256 processes, and forgets none for a known one", async () => {
    const counted = counting();
    const own = new Sealer([secret], "session", counted);
    const tokens: string[] = [];
    for (let at = 0; at < 256; at += 1) tokens.push(await new Sealer([secret], "session").seal(text));
    for (const token of [...tokens, ...tokens.toReversed()]) await own.open(token);
    assert.equal(counted.count, 256);
  });

  test("seals again after a key derivation has failed once", async () => {
    let isBroken = true;
    const own = new Sealer([secret], "session", {
      derive: async (...given) => (isBroken ? Promise.reject(new Error("no more threads")) : derive(...given)),
    });
    await assert.rejects(own.seal(text), { message: "no more threads" });
    isBroken = false;
    assert.deepEqual(await sealer.open(await own.seal(text)), { text, isCurrent: true });
  });

  test("opens its own seals, and never produces equal ones", async () => {
    const [one, two] = [await sealer.seal(text), await sealer.seal(text)];
    assert.notEqual(one, two);
    assert.ok(!one.includes("Ada") && !Buffer.from(one.slice(2), "base64url").includes("Ada"));
    assert.deepEqual(await sealer.open(one), { text, isCurrent: true });
    assert.deepEqual(await sealer.open(await sealer.seal("")), { text: "", isCurrent: true });
  });

  for (const [by, one] of Object.entries({
    "node:crypto": sealer,
    WebCrypto: new Sealer([secret], "session", { derive: ofTheWeb }),
  }))
    test(`SESSION-007: opens no seal with a changed bit, with ${by}`, async () => {
      const token = await one.seal(text);
      const bytes = bytesOfBase64url(token.slice(2)) ?? assert.fail();
      await fc.assert(
        fc.asyncProperty(fc.nat(bytes.length * 8 - 1), async (bit) => {
          const changed = bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
          assert.equal(await one.open(`1.${base64urlOf(changed)}`), undefined);
        }),
        { numRuns: 300 },
      );
    });

  test("SESSION-007: opens no seal that was cut, at any character, or extended", async () => {
    const token = await sealer.seal(text);
    for (let at = 0; at < token.length; at += 1) {
      assert.equal(await sealer.open(token.slice(0, at)), undefined, `cut at ${at}`);
      assert.equal(await sealer.open(token.slice(at + 1)), undefined, `begun at ${at + 1}`);
    }
    for (const more of ["A", "AAAA", "=", "\n", " "]) assert.equal(await sealer.open(token + more), undefined);
  });

  test("SESSION-007: opens no seal of another version, name or secret", async () => {
    const token = await sealer.seal(text);
    assert.equal(await sealer.open(`2${token.slice(1)}`), undefined);
    assert.equal(await new Sealer([secret], "other").open(token), undefined);
    assert.equal(await new Sealer([older], "session").open(token), undefined);
  });

  test("opens no text invented by a client", async () => {
    const anything = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.uint8Array().map((bytes) => `1.${base64urlOf(bytes)}`),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (made) => assert.equal(await sealer.open(made), undefined)),
      { numRuns: 300 },
    );
  });
});

describe("a sealed session", () => {
  test("SESSION-008: opens with an older secret, and is resealed with the first", async () => {
    const before = createClient(sealedWith(older).options);
    await before.get("/login?user=Ada");
    const after = createClient(sealedWith([secret, older]).options);
    after.jar = before.jar;
    assert.notEqual((await after.get("/untouched")).cookie, undefined);
    assert.equal((await after.get("/untouched")).cookie, undefined);
    const later = createClient(sealedWith(secret).options);
    later.jar = after.jar;
    assert.equal((await later.json("/read"))["user"], "Ada");
    later.jar = before.jar;
    assert.equal((await later.json("/read"))["user"], null);
  });

  test("is valid until its end when its client has kept a copy, even after destroy", async () => {
    const client = createClient(sealedWith().options);
    await client.get("/login?user=Ada");
    const copy = client.jar;
    await client.get("/destroy");
    client.jar = copy;
    assert.equal((await client.json("/read"))["user"], "Ada");
  });

  test("throws when it is changed after the head was sent", async () => {
    const client = createClient(sealedWith().options);
    await client.get("/login?user=Ada");
    assert.equal(await (await client.get("/late?sku=lamp")).response.text(), "data: RESPONSE_SENT\n\n");
  });

  test("does not exist when the sealed text is not a session", async () => {
    const client = createClient(sealedWith().options);
    const own = new Sealer([secret], "__Host-session");
    const now = Date.now();
    const times = `${now},${now}`;
    client.jar = `__Host-session=${await own.seal(`[${times},{"user":"Ada"}]`)}`;
    assert.deepEqual(await client.json("/read"), { user: "Ada", cart: null, isNew: false });
    const parts = [`[${times}]`, `[${times},{},1]`, `[${times},null]`, `[${times},[]]`, `[${times},1]`];
    for (const odd of [
      "",
      "{",
      "{}",
      ...parts,
      `[${now},"${now}",{}]`,
      `["${now}",${now},{}]`,
      `[${now}.5,${now},{}]`,
    ]) {
      client.jar = `__Host-session=${await own.seal(odd)}`;
      assert.deepEqual(await client.json("/read"), { user: null, cart: null, isNew: true }, odd);
    }
  });
});
