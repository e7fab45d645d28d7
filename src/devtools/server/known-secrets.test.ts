/** Known secrets: what is remembered, and where it is hidden (TRACE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../wire.ts";
import { cpuMs } from "./cpu-time.test.ts";
import { KnownSecrets } from "./known-secrets.ts";

function knowing(...values: readonly unknown[]): KnownSecrets {
  const secrets = new KnownSecrets();
  for (const value of values) secrets.add(value);
  return secrets;
}

describe("KnownSecrets", () => {
  it("TRACE-041: hides a value in texts, keys, numbers and lists, and leaves the rest as it is", () => {
    const secrets = knowing("hunter2-zebra", 4711);
    const value: Json = { a: ["x hunter2-zebra!", 4711, 4712], "hunter2-zebra": { b: true }, c: null };
    assert.deepEqual(secrets.json(value), {
      a: ["x [redacted]!", "[redacted]", 4712],
      "[redacted]": { b: true },
      c: null,
    });
    const other: Json = { a: ["x", 1] };
    assert.equal(secrets.json(other), other);
  });

  it("hides a short value as a whole word only, and one of fewer than four characters nowhere", () => {
    const secrets = knowing("1234", "abc", "");
    assert.equal(secrets.text("1234, o-1234, 12345, a1234 and abc"), "[redacted], o-[redacted], 12345, a1234 and abc");
  });

  it("knows a value as it stands in an address, and the credentials within a header", () => {
    const basic = `Basic ${Buffer.from("ada:pass:word-1").toString("base64")}`;
    const secrets = knowing("a b/c&d=e", "Bearer abcdefgh", basic);
    secrets.addCookies("sid=s%3Aabcdefgh1; theme=dark");
    for (const text of ["/x/a%20b%2Fc%26d%3De", "abcdefgh", "pass:word-1", "s%3Aabcdefgh1"])
      assert.ok(secrets.text(text).includes("[redacted]"), text);
    assert.equal(secrets.text("dark theme"), "dark theme");
  });

  it("looks for the secrets within an object, not for its other values", () => {
    const secrets = knowing({ username: "ada-lovelace", password: "enchantress", tokens: ["first-token"] });
    assert.equal(secrets.text("ada-lovelace enchantress first-token"), "ada-lovelace [redacted] [redacted]");
  });

  it("remembers a bounded number, and takes time linear in the text", () => {
    const secrets = knowing(...Array.from({ length: 1_000 }, (_, at) => `${String(at).padStart(4, "0")}-secret`));
    assert.equal(secrets.text("0001-secret 0999-secret"), "[redacted] 0999-secret");
    const [small, large] = [65_536, 1_048_576].map((size) =>
      cpuMs(() => secrets.text("secret-number ".repeat(size / 14))),
    );
    assert.ok((large ?? 0) <= 80 * (small ?? 0) + 20, `${small} ms, and ${large} ms for sixteen times as much`);
  });
});
