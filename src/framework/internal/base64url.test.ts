import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { base64urlOf, bytesOfBase64url } from "./base64url.ts";

describe("base64url", () => {
  test("equals Node's output, and reads its own output", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const text = base64urlOf(bytes);
        assert.equal(text, Buffer.from(bytes).toString("base64url"));
        assert.deepEqual(bytesOfBase64url(text), bytes);
      }),
    );
  });

  test("accepts no second spelling of the same bytes", () => {
    for (const text of ["QQ==", "QQ=", "QR", "Q", "Q+", "Q/", " QQ", "QQ\n", "QQ.", "é", "éQQQ", "éQ", "QQé"])
      assert.equal(bytesOfBase64url(text), undefined, text);
    assert.deepEqual(bytesOfBase64url("QQ"), new Uint8Array([65]));
    assert.deepEqual(bytesOfBase64url("AAAAAA"), new Uint8Array(4));
  });
});
