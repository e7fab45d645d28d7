/**
 * Redaction: which names and texts are secret, and which must stay readable.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { cpuMs } from "./cpu-time.test.ts";
import { createRedactor, isSecretKey, redactText } from "./redact.ts";

const runs = Number(process.env["FC_RUNS"] ?? 2_000);

const secret = [
  "password",
  "Password",
  "userPassword",
  "user_password",
  "db-passwd",
  "DB_PWD",
  "passphrase",
  "clientSecret",
  "token",
  "accessToken",
  "access_token",
  "accesstoken",
  "X-Api-Key",
  "apiKey",
  "APIKey",
  "apikey",
  "Authorization",
  "proxy-authorization",
  "cookie",
  "Set-Cookie",
  "credential",
  "awsCredentials",
  "privateKey",
  "private_key",
  "sessionId",
  "session_id",
  "JSESSIONID",
  "cvv",
  "cardCvv",
  "ssn",
  "userSSN",
  "token2",
  "user[password]",
];
const innocent = [
  "passenger",
  "className",
  "nextPageToken",
  "pageToken",
  "page_token",
  "tokenizer",
  "tokenCount",
  "maxTokens",
  "secretary",
  "secretName",
  "cookieBanner",
  "passwordChangedAt",
  "passwordPolicy",
  "compassword_hint",
  "authorizationUrl",
  "keyboard",
  "key",
  "publicKey",
  "apiKeyId",
  "session",
  "sessionCount",
  "lesson",
  "mission",
  "credentialType",
  "author",
  "authored",
  "pass",
  "passed",
  "assn",
  "monkey",
  "id",
  "name",
  "url",
  "compass_word",
  "",
];

describe("isSecretKey", () => {
  for (const key of secret) it(`hides ${key}`, () => assert.equal(isSecretKey(key), true));
  for (const key of innocent) it(`shows ${JSON.stringify(key)}`, () => assert.equal(isSecretKey(key), false));
});

describe("redactText", () => {
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
  const texts: Readonly<Record<string, readonly [text: string, shown: string]>> = {
    "a bearer token": ["failed for Bearer abc.DEF-123_4~", "failed for [redacted]"],
    "a JWT": [`jwt=${jwt};`, "jwt=[redacted];"],
    "a PEM block": ["x -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- y", "x [redacted] y"],
    "a PEM block without its end": ["-----BEGIN PRIVATE KEY-----\nMIIE", "[redacted]"],
    "URL userinfo": ["postgres://ada:p@ss@db/x", "postgres://[redacted]@db/x"],
    "nothing in ordinary text": [
      "see https://example.test/a@b, Bearer authentication",
      "see https://example.test/a@b, Bearer authentication",
    ],
  };
  for (const [what, [text, shown]] of Object.entries(texts))
    it(`replaces ${what}`, () => assert.equal(redactText(text), shown));

  it("shows no part of a secret that the cut divides", () => {
    for (let before = 0; before < 80; before++) {
      const shown = redactText(`${"x".repeat(before)} ${jwt} ${"y".repeat(9_000)}`, 40);
      assert.equal(shown.includes("eyJhbGci"), false, shown);
    }
  });

  it("never throws and never grows a text without secrets", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.nat(50),
        (text, limit) => redactText(text, limit).length <= Math.max(limit, 0) + 12 * text.length,
      ),
      { numRuns: runs },
    );
  });

  it("takes time linear in the text", () => {
    for (const piece of ["eyJ-", "eyJa.", "-----BEGIN A-----", "://", "://a:", "Bearer ", "-", "Bearer a"]) {
      const [small, large] = [16_384, 262_144].map((size) => {
        const text = piece.repeat(Math.ceil(size / piece.length));
        return cpuMs(() => redactText(text, text.length));
      }) as [number, number];
      assert.ok(large <= 80 * small + 20, `${piece}: ${small} ms, and ${large} ms for sixteen times as much`);
    }
  });
});

describe("createRedactor", () => {
  it("adds keys, patterns and a decision of its own, whose throw hides", () => {
    const redactor = createRedactor({
      keys: ["iban", /^x-/],
      values: [/4\d{3}/],
      custom: (key) => {
        if (key === "boom") throw new Error("no");
        return key === "token" ? false : undefined;
      },
    });
    assert.deepEqual(
      ["userIban", "x-y", "boom", "token", "secret", "name"].map((key) => redactor.hides(key, 1)),
      [true, true, true, false, true, false],
    );
    assert.equal(redactor.text("card 4111 of 41", 100), "card [redacted] of 41");
    assert.equal(redactor.hidesHeader("x-auth-user", "a"), true);
  });
});
