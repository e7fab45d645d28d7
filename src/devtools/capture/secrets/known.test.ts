/** Known secrets: which values are remembered, and where they are hidden (TRACE). */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../run/shapes.ts";
import { cpuMs } from "../../cpu-time.testkit.ts";
import { KnownSecrets } from "./known.ts";

function knowing(...values: readonly unknown[]): KnownSecrets {
  const secrets = new KnownSecrets();
  for (const value of values) secrets.add(value);
  return secrets;
}

describe("KnownSecrets", () => {
  it("TRACE-041: hides a value in texts, keys, numbers and lists, and leaves the rest unchanged", () => {
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

  it("recognises a value in an address, and the credentials within a header", () => {
    const basic = `Basic ${Buffer.from("ada:pass:word-1").toString("base64")}`;
    const secrets = knowing("a b/c&d=e", "Bearer abcdefgh", basic);
    secrets.addCookies("sid=s%3Aabcdefgh1; theme=dark");
    for (const text of ["/x/a%20b%2Fc%26d%3De", "abcdefgh", "pass:word-1", "s%3Aabcdefgh1"])
      assert.ok(secrets.text(text).includes("[redacted]"), text);
    assert.equal(secrets.text("dark theme"), "dark theme");
  });

  it("TRACE-041: recognises a value in a form, and within JSON", () => {
    const secrets = knowing("correct horse!", 'pa"ss\\word-1');
    assert.equal(
      secrets.text(String(new URLSearchParams({ a: "correct horse!", b: 'pa"ss\\word-1' }))),
      "a=[redacted]&b=[redacted]",
    );
    assert.equal(knowing("пароль").text(`/x?p=${encodeURIComponent("пароль")}`), "/x?p=[redacted]");
    assert.equal(secrets.text(JSON.stringify({ a: 'pa"ss\\word-1', b: 'pa"ss' })), '{"a":"[redacted]","b":"pa\\"ss"}');
  });

  it("TRACE-041: hides the rest of a cut value, from four characters", () => {
    const secrets = knowing("sk-live-0123456789");
    const cut = (text: string): unknown => secrets.json({ $string: text, $truncated: 7 });
    for (const left of ["sk-l", "sk-live-012345678", "sk-live-0123456789"])
      assert.deepEqual(cut(`a sk-live ${left}`), { $string: "a sk-live [redacted]", $truncated: 7 }, left);
    for (const text of ["a sk-", "a sk-live x", "a s"]) assert.deepEqual(cut(text), { $string: text, $truncated: 7 });
    assert.deepEqual(cut("k-live-0123456789"), { $string: "k-live-0123456789", $truncated: 7 });
    assert.deepEqual(
      [secrets.text("a sk-live-0…"), secrets.text("a sk-live-0"), secrets.json({ $string: "a sk-live" })],
      ["a [redacted]…", "a sk-live-0", { $string: "a sk-live" }],
    );
    assert.equal(knowing("1234").text("xo1234…"), "xo1234…");
    for (const value of [
      { a: null, $truncated: 7 },
      { a: [1, 2, 3, 4, 5], $truncated: 7 },
    ])
      assert.equal(secrets.json(value), value);
  });

  it("searches the secrets within an object, not its other values", () => {
    const secrets = knowing({ username: "ada-lovelace", password: "enchantress", tokens: ["first-token"] });
    assert.equal(secrets.text("ada-lovelace enchantress first-token"), "ada-lovelace [redacted] [redacted]");
  });

  it("remembers values of 4 characters or more, except those that are hidden already", () => {
    for (const value of ["abcd", "x".repeat(4_096), "xy".repeat(4_096), 12_345, 123_456_789n])
      assert.equal(knowing(value).text(`- ${value} -`), "- [redacted] -");
    for (const value of ["abc", "[redacted]", 123, true, null, undefined])
      assert.deepEqual([knowing(value).isEmpty, knowing(value).text(String(value))], [true, String(value)]);
    assert.deepEqual([knowing().isEmpty, knowing("abcd").isEmpty], [true, false]);
    assert.equal(knowing("abcd\ud800efgh").text("-abcd\ud800efgh"), "-[redacted]");
  });

  it("keeps the secrets of one trace from the next", () => {
    knowing("hunter2-zebra");
    assert.equal(knowing("hunter3-zebra").text("hunter2-zebra"), "hunter2-zebra");
  });

  it("searches secrets at every key of an object, 16 levels deep, and in a list that contains itself", () => {
    const nested = (levels: number): unknown => (levels === 0 ? "deep-secret" : { token: nested(levels - 1) });
    const late = {
      ...Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`a${at}b`, "innocent"])),
      pin: "late-1",
    };
    const list: unknown[] = ["in-a-list", { pin: "1234-5678", user: "ada-lovelace" }];
    list.push(list);
    assert.equal(knowing(nested(16)).text("a deep-secret"), "a [redacted]");
    assert.equal(knowing(late).text("innocent late-1"), "innocent [redacted]");
    assert.equal(knowing(list).text("in-a-list 1234-5678 ada-lovelace"), "[redacted] [redacted] ada-lovelace");
  });

  it("hides every text, key and number of a trace with a secret object that is too large to search", () => {
    const deep = (levels: number): unknown => (levels === 0 ? "x" : { token: deep(levels - 1) });
    for (const value of [deep(17), Array.from({ length: 10_001 }, () => 1)]) {
      const secrets = knowing(value);
      assert.equal(secrets.isEmpty, false);
      const shown = { a: ["[redacted]", "abc", 12], "[redacted]": "[redacted]", c: { $bytes: 4_711 }, d: true };
      assert.deepEqual(secrets.json({ a: ["text", "abc", 12], keys: 4_711, c: { $bytes: 4_711 }, d: true }), shown);
    }
  });

  it("recognises the credentials of each scheme, and of no other words", () => {
    for (const scheme of ["Bearer", "TOKEN", "digest", "Negotiate", "apikey"])
      assert.equal(knowing(`${scheme}  credential-1`).text("a credential-1"), "a [redacted]", scheme);
    for (const scheme of ["Other", "xtoken", "digestx", "a Bearer", "Bearer x", "Basic-"])
      assert.equal(knowing(`${scheme} credential-1`).text("a credential-1"), "a credential-1", scheme);
    assert.equal(knowing("Bearer credential-1 x").text("a credential-1"), "a credential-1");
    const base64 = (text: string): string => Buffer.from(text).toString("base64");
    for (const text of ["ada:pass-word-1", "pass-word-1", ":pass-word-1"])
      assert.equal(knowing(`BASIC  ${base64(text)}`).text("a pass-word-1"), "a [redacted]", text);
    for (const scheme of ["xbasic", "basicx"])
      assert.equal(knowing(`${scheme} ${base64("ada:pass-word-1")}`).text("a pass-word-1"), "a pass-word-1", scheme);
  });

  it("remembers cookie values of 8 characters or more, with and without their spaces", () => {
    const secrets = new KnownSecrets();
    secrets.addCookies("sid=12345678; short=1234567; a-name-alone; spaced =  in-spaces ; two=ab=cdefgh");
    assert.equal(
      secrets.text("12345678 1234567 a-name-alone -in-spaces- ab=cdefgh"),
      "[redacted] 1234567 a-name-alone -[redacted]- [redacted]",
    );
    const nameless = new KnownSecrets();
    nameless.addCookies("=nameless-value");
    assert.equal(nameless.text("a nameless-value"), "a [redacted]");
    const many = new KnownSecrets();
    many.addCookies(`${"a=1;".repeat(1_000)}b=the-1001st-value;c=${"x".repeat(4_096)};d=the-last-value`);
    assert.equal(many.text("the-1001st-value the-last-value"), "[redacted] [redacted]");
  });

  it("finds a short value at every place that is a word, each once", () => {
    const secrets = knowing("1234", "0-0-0");
    assert.equal(secrets.text("1234 1234-1234"), "[redacted] [redacted]-[redacted]");
    assert.equal(secrets.text("12341234 _1234 1234_ é1234"), "12341234 _1234 1234_ é[redacted]");
    assert.equal(secrets.text("0-0-0-0-0"), "[redacted]-0-0");
    assert.equal(secrets.text("123"), "123");
    assert.equal(knowing("12345678", "7654321").text("x12345678x x7654321x"), "x[redacted]x x7654321x");
  });

  it("returns the same list and object if nothing in them is known", () => {
    const secrets = knowing("hunter2-zebra");
    const [list, record] = [[1, "a", { b: [null] }], { a: 1, b: { c: "d" } }];
    assert.deepEqual([secrets.list(list) === list, secrets.record(record) === record], [true, true]);
    assert.deepEqual(secrets.list([1, ["hunter2-zebra"]]), [1, ["[redacted]"]]);
    assert.deepEqual(secrets.record({ "hunter2-zebra": 1, a: 2 }), { "[redacted]": 1, a: 2 });
    assert.deepEqual(secrets.record({ a: 2, b: "hunter2-zebra" }), { a: 2, b: "[redacted]" });
  });

  it("TRACE-041: hides each of a thousand values, also a short one as a whole word, in a form, and at a cut", () => {
    const values = Array.from({ length: 1_000 }, (_, at) => `${at.toString(36).padStart(3, "0")}-secret-value`);
    const secrets = knowing(
      ...values,
      "correct horse!",
      "x1yz",
      47_110_815,
      "y".repeat(100),
      `${"y".repeat(100)}-longer`,
    );
    for (const value of values) assert.equal(secrets.text(`a ${value}!`), "a [redacted]!");
    assert.equal(secrets.text("a=correct+horse%21"), "a=[redacted]");
    assert.equal(secrets.text("x1yz, o-x1yz, x1yzz"), "[redacted], o-[redacted], x1yzz");
    assert.equal(secrets.text(`a ${"y".repeat(100)} b`), "a [redacted]");
    assert.deepEqual(secrets.json([47_110_815, 47_110_816, "zzz-secret"]), ["[redacted]", 47_110_816, "zzz-secret"]);
    assert.equal(secrets.text("a 00c-sec…"), "a [redacted]…");
    assert.deepEqual(secrets.json({ $string: "a 00c-", $truncated: 9 }), { $string: "a [redacted]", $truncated: 9 });
  });

  it("TRACE-041: hides more, never less, for too many values", () => {
    const secrets = knowing(...Array.from({ length: 20_000 }, (_, at) => `${at}`.padStart(5, "0").repeat(8)));
    for (const at of ["00000", "01000", "19999"]) assert.ok(!secrets.text(`a ${at.repeat(8)} b`).includes(at), at);
    assert.equal(secrets.text("a 19999-and-more"), "a [redacted]");
    assert.equal(secrets.text("an innocent text"), "an innocent text");
  });

  it("takes time linear in the text, with any number of values", () => {
    for (const count of [1, 1_000, 20_000]) {
      const secrets = knowing(...Array.from({ length: count }, (_, at) => `${String(at).padStart(5, "0")}-secret`));
      const [small, large] = [65_536, 1_048_576].map((size) =>
        cpuMs(() => secrets.text("secret-number ".repeat(size / 14))),
      );
      assert.ok((large ?? 0) <= 80 * (small ?? 0) + 20, `${small} ms, and ${large} ms for sixteen times as much`);
    }
  });
});
