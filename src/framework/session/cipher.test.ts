/** The results of the two ciphers, their timing, and their faults (SESSION). */
import assert from "node:assert/strict";
import * as nodeCrypto from "node:crypto";
import { describe, test } from "node:test";
import { type Binding, type CipherKey, derive, type Derive, deriveWith } from "./cipher.ts";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const secret = "0123456789abcdef0123456789abcdef";
const binding: Binding = { info: bytesOf("info"), purpose: bytesOf("purpose") };
const nonce = new Uint8Array(12);
const text = bytesOf("a text of more than one block");
const keyOf = async (by: Derive): Promise<CipherKey> => by(secret, new Uint8Array(16), binding);
const sealedBy = async (key: CipherKey): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await key.seal(nonce, text));
const ofTheWeb = deriveWith(undefined);

describe("a key", () => {
  test("is available synchronously with node:crypto, and so is its work", () => {
    for (const by of [derive, deriveWith(nodeCrypto)]) {
      const key = by(secret, new Uint8Array(16), binding);
      assert.ok(!(key instanceof Promise));
      const sealed = key.seal(nonce, text);
      assert.ok(sealed instanceof Uint8Array);
      const opened = key.open(nonce, new Uint8Array(sealed));
      assert.ok(opened instanceof Uint8Array);
      assert.deepEqual(new Uint8Array(opened), text);
    }
  });

  test("is asynchronous with WebCrypto, and opens to bytes, or to undefined when they have changed", async () => {
    const key = ofTheWeb(secret, new Uint8Array(16), binding);
    assert.ok(key instanceof Promise);
    const sealed = await sealedBy(await key);
    assert.deepEqual(await (await key).open(nonce, sealed), text);
    sealed[3] = (sealed[3] ?? 0) ^ 1;
    assert.equal(await (await key).open(nonce, sealed), undefined);
  });

  test("opens the remaining bytes when node:crypto holds them back", async () => {
    const slow: Parameters<typeof deriveWith>[0] = {
      hkdfSync: nodeCrypto.hkdfSync,
      createCipheriv: nodeCrypto.createCipheriv,
      createDecipheriv(...given) {
        const cipher = nodeCrypto.createDecipheriv(...given);
        let rest = Buffer.alloc(0);
        return {
          setAAD: (bytes) => cipher.setAAD(bytes),
          setAuthTag: (tag) => cipher.setAuthTag(tag),
          update(bytes) {
            const all = cipher.update(bytes);
            rest = all.subarray(16);
            return all.subarray(0, 16);
          },
          final: () => (cipher.final(), rest),
        };
      },
    };
    const key = await keyOf(deriveWith(slow));
    assert.deepEqual(await key.open(nonce, await sealedBy(key)), text);
  });

  test("of WebCrypto is not extractable", async (t) => {
    const made = t.mock.method(crypto.subtle, "deriveKey");
    await keyOf(ofTheWeb);
    assert.equal((await made.mock.calls[0]?.result)?.extractable, false);
  });

  for (const [what, fault] of Object.entries({
    "an error of another name": new DOMException("busy", "QuotaExceededError"),
    "a non-error": { name: "OperationError" },
  }))
    test(`of WebCrypto rejects with ${what}, which says nothing about the seal`, async (t) => {
      const key = await keyOf(ofTheWeb);
      const sealed = await sealedBy(key);
      t.mock.method(crypto.subtle, "decrypt", () => Promise.reject(fault));
      const thrown = await Promise.resolve(key.open(nonce, sealed)).catch((error: unknown) => error);
      assert.equal(thrown, fault);
    });
});
