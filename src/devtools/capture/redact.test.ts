/**
 * Redaction: which names and texts are secret, and which must stay readable.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import fc from "fast-check";
import { cpuMs } from "../cpu-time.testkit.ts";
import { KnownSecrets } from "./secrets/known.ts";
import { createRedactor, noRedaction } from "./redact.ts";
import { isSecretField, isSecretKey } from "./secrets/names.ts";
import { isHarmless, redactText as redacted } from "./secrets/texts.ts";

const runs = Number(process.env["FC_RUNS"] ?? 2_000);

const redactText = (text: string, limit = Number.POSITIVE_INFINITY): string =>
  redacted(text, limit, { isSecret: isSecretField, found: () => undefined });

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
  "secretKey",
  "SECRET_KEY",
  "AWS_SECRET_ACCESS_KEY",
  "accessKey",
  "awsAccessKey",
  "storageAccountKey",
  "passwords",
  "tokens",
  "secrets",
  "apiKeys",
  "refreshTokens",
  "cookies",
  "credentials",
  "privateKeys",
  "passwordHash",
  "password_hash",
  "hashedPassword",
  "tokenHash",
  "secretHash",
  "passwordDigest",
  "passwordSalt",
  "encryptedPassword",
  "passwordConfirmation",
  "password_confirm",
  "newPassword",
  "passwordNew",
  "oldPassword",
  "creditCard",
  "creditCardNumber",
  "cardNumber",
  "card_number",
  "ccNumber",
  "cvc",
  "cardCvc",
  "cvv2",
  "csc",
  "securityCode",
  "pin",
  "userPin",
  "pinCode",
  "PIN",
  "otp",
  "otpCode",
  "totp",
  "verificationCode",
  "psk",
  "connectionString",
  "connection_string",
  "dbConnectionString",
  "databasePassword",
  "mysql_pwd",
  "PGPASSWORD",
  "jwt",
  "idToken",
  "id_token",
  "csrfToken",
  "_csrf",
  "xsrf",
  "X-CSRF-Token",
  "bearer",
  "bearerToken",
  "signingKey",
  "signing_secret",
  "encryptionKey",
  "masterKey",
  "sshKey",
  "hmacKey",
  "deployKey",
  "authKey",
  "webhookSecret",
  "clientSecret",
  "client_secret",
  "app.secret",
  "secretString",
  "secretValue",
  "privateKeyPem",
  "SecretAccessKey",
  "sessionToken",
  "X-Amz-Security-Token",
  "PHPSESSID",
  "recoveryCodes",
  "backupCodes",
  "socialSecurityNumber",
  "ssnHash",
  "seedPhrase",
  "apiSecret",
  "api_secret_key",
  "passcode",
  "userPasscode",
  "sessionIds",
  "session_ids",
  "token12",
  "api2Key",
  "passwordBase64Text",
  "maxTokensSecret",
  "pincode",
  "signatureKey",
  "sharedKey",
  "cardNo",
  "backup_codes",
  "license_keys",
  "sessids",
  "DBPASSWORD2",
  ...[
    "hash",
    "hashed",
    "digest",
    "salt",
    "encrypted",
    "plain",
    "plaintext",
    "raw",
    "value",
    "string",
    "text",
    "code",
  ].map((form) => `token_${form}`),
  ...["confirm", "confirmation", "repeat", "again", "base64", "b64", "hex", "pem", "header", "new", "old"].map(
    (form) => `password_${form}`,
  ),
  "proxyAuthorization",
  "accessTokens",
  "dbPasswd",
  "rootPwd",
  "licenseKey",
  "webhook_key",
  "storage_key",
  "sid",
  "connect.sid",
  "iban",
  "customerIban",
  "dsn",
  "SENTRY_DSN",
  "pw",
  "pwHash",
  "userPw",
  "mnemonic",
  "DATABASE_URL",
  "databaseUrl",
  "db_uri",
  "MONGODB_URI",
  "REDIS_URL",
  "jdbcUrl",
  "AMQP_URL",
  "presignedUrl",
  "secretAnswer",
  "securityAnswers",
  "codeVerifier",
  "code_verifier",
  "authorizationCode",
  "recoveryPhrase",
  "magicLink",
  "magic_link",
  "resetPasswordLink",
  "password_reset_url",
  "sessionKey",
  "SAMLResponse",
  "panNumber",
  // A password in other languages
  "passwort",
  "adminPasswort",
  "kennwort",
  "Passwörter",
  "contraseña",
  "contrasen\u0303a",
  "CONTRASEÑA",
  "senha",
  "motdepasse",
  "mot_de_passe",
  "motDePasse",
  "mdp",
  "wachtwoord",
  "lösenord",
  "passord",
  "adgangskode",
  "salasana",
  "hasło",
  "haslo",
  "heslo",
  "jelszó",
  "parolă",
  "lozinka",
  "şifre",
  "slaptažodis",
  "mật_khẩu",
  "пароль",
  "новыйПароль",
  "Пароль",
  "парола",
  "κωδικός_πρόσβασης",
  "סיסמה",
  "كلمة المرور",
  "पासवर्ड",
  "รหัสผ่าน",
  "密码",
  "用户密码",
  "密碼",
  "パスワード",
  "新しいパスワード",
  "비밀번호",
  "암호",
  "ｐａｓｓｗｏｒｄ",
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
  "pagetoken",
  "nextpagetoken",
  "continuationToken",
  "cancellationtoken",
  "value",
  "hash",
  "code",
  "authors",
  "pinned",
  "pinnedAt",
  "spin",
  "opinion",
  "otpEnabled",
  "cardType",
  "cardBrand",
  "cardLast4",
  "totalTokens",
  "promptTokens",
  "completion_tokens",
  "tokenType",
  "token_type",
  "tokenLimit",
  "expiresIn",
  "primaryKey",
  "foreignKey",
  "sortKey",
  "cacheKey",
  "partitionKey",
  "idempotencyKey",
  "keys",
  "keyName",
  "secretsManagerRegion",
  "connectionStringBuilder",
  "connections",
  "connectionId",
  "sessionTimeout",
  "cookieMaxAge",
  "cookieDomain",
  "codes",
  "zipCode",
  "postcode",
  "countryCode",
  "statusCode",
  "errorCode",
  "span",
  "company",
  "side",
  "seeded",
  "inside",
  "seedling",
  "pancake",
  "japan",
  "s_id",
  "sId",
  "accountSid",
  "messageSid",
  "reside",
  "consider",
  "urban",
  "liban",
  "url",
  "databaseName",
  "link",
  "linkedIn",
  "resenha",

  "pwa",
  "answer",
  "verifier",
  "codec",
  "passwortRichtlinie",
  "密码学",
  "암호화",
  "пароль_сменён",
  "phrase",
  "magic",
  "hash",
  "digest",
  "salted",
  "contentHash",
  "etag",
  "shipping",
  "mapping",
  "typing",
  "keyboardLayout",
];

describe("isSecretKey", () => {
  for (const key of secret) it(`hides ${key}`, () => assert.equal(isSecretKey(key), true));
  for (const key of innocent) it(`shows ${JSON.stringify(key)}`, () => assert.equal(isSecretKey(key), false));
});

describe("isSecretField", () => {
  it("shows flags and counts, and hides texts under names that mean both", () => {
    const fields: readonly (readonly [string, unknown, boolean])[] = [
      ["password", true, false],
      ["hasPassword", false, false],
      ["tokens", 1_024, false],
      ["tokens", ["a"], true],
      ["tokens_secret", 5, true],
      ["pin", 1234, true],
      ["pass", "hunter2", true],
      ["pass", 3, false],
      ["auth", "abc", true],
      ["auth", { username: "ada" }, false],
      ["smtpPass", "x", true],
      ["bypass", "x", false],
      ["pan", "4111111111111111", true],
      ["cardPan", 4_111_111_111_111_111, true],
      ["pan", 0.5, false],
      ["pan", { x: 1 }, false],
      ["seed", "ab12", true],
      ["seedHex", "ab12", true],
      ["seed", 42, false],
    ];
    assert.deepEqual(
      fields.map(([key, value]) => isSecretField(key, value)),
      fields.map(([, , expected]) => expected),
    );
  });
});

describe("redactText", () => {
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
  const texts: Readonly<Record<string, readonly [text: string, shown: string]>> = {
    "a bearer token": ["failed for Bearer abc.DEF-123_4~", "failed for [redacted]"],
    "a JWT": [`jwt=${jwt};`, "jwt=[redacted];"],
    "a PEM block": ["x -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- y", "x [redacted] y"],
    "a PEM block without its end": ["-----BEGIN PRIVATE KEY-----\nMIIE", "[redacted]"],
    "URL userinfo": ["postgres://ada:p@ss@db/x", "postgres://[redacted]@db/x"],
    "a query's parameter": ["GET /a?b=1&access_token=abc&c=2#d", "GET /a?b=1&access_token=[redacted]&c=2#d"],
    "an escaped parameter": ["/a?client%5Fsecret=abc", "/a?client%5Fsecret=[redacted]"],
    "a fragment's parameter": ["https://x/cb#id_token=abc&state=1", "https://x/cb#id_token=[redacted]&state=1"],
    "a signed address": [
      "https://b.example/k?X-Amz-Signature=abc123",
      "https://b.example/k?X-Amz-Signature=[redacted]",
    ],
    "Basic credentials": ["Authorization was Basic YWRhOnNlY3JldA== here", "Authorization was [redacted] here"],
    "a password in a message": ["login failed: password=hunter2 for ada", "login failed: password=[redacted] for ada"],
    "a password behind a colon": ["password: swordfish", "password: [redacted]"],
    "a connection string": [
      "Server=db;User Id=sa;Password=p4ss;Encrypt=true",
      "Server=db;User Id=sa;Password=[redacted];Encrypt=true",
    ],
    "JSON in a text": [
      'sent {"user":"ada","password":"a b\\"c","n":1}',
      'sent {"user":"ada","password":"[redacted]","n":1}',
    ],
    "JSON in JSON": ['{\\"password\\":\\"abc\\",\\"n\\":1}', '{\\"password\\":\\"[redacted]\\",\\"n\\":1}'],
    "a header line": ["Cookie: sid=abc; theme=dark\nAccept: a", "Cookie: [redacted]\nAccept: a"],
    "an environment": [
      "HOME=/root AWS_SECRET_ACCESS_KEY=abc/def LANG=C",
      "HOME=/root AWS_SECRET_ACCESS_KEY=[redacted] LANG=C",
    ],
    "words of prose": ["Unexpected token: expected a comma", "Unexpected token: expected a comma"],
    "basic words": ["basic functionality, basic auth", "basic functionality, basic auth"],
    "comparisons and arrows": ["token => x, secret == y, (token) => 1", "token => x, secret == y, (token) => 1"],
    "nothing in ordinary text": [
      "see https://example.test/a@b, Bearer authentication",
      "see https://example.test/a@b, Bearer authentication",
    ],
  };
  for (const [what, [text, shown]] of Object.entries(texts))
    it(`replaces ${what}`, () => assert.equal(redactText(text), shown));

  const edges: readonly (readonly [text: string, shown?: string])[] = [
    ["Bearer   abcdefgh1", "[redacted]"],
    ["xBearer abcdefgh1"],
    ["Bearer authorization, bearer authorisation and bearer credentials"],
    ["xeyJabcdefgh.a -eyJabcdefgh.b"],
    ["eyJabcde.", "[redacted]"],
    ["eyJabcd.e"],
    ["eyJabcde.a.b.c.d-e", "[redacted]"],
    ["-----BEGIN X509 CRL-----\nA-B\n--C-----END X509 CRL----- y", "[redacted] y"],
    ["Basic   YWRhOnNlY3JldA== a", "[redacted] a"],
    ["xBasic YWRhOnNlY3JldA=="],
    ["basic YWRhc2VjcmV0, no colon in it"],
    ["basic YQE6Yg==, no text in it"],
    ["basic YToBYg==, no text in it"],
    ["Bearer basicabcd1", "[redacted]"],
    ["x://eyJabcdef.a.b", "x://[redacted]"],
    ["-----BEGIN A-----\n@", "[redacted]"],
    ["a ://b@c:// d@e", "a ://[redacted]@c:// d@e"],
    ["password  = hunter2", "password  = [redacted]"],
    ["cvv=1 cvc=2 csrf=3 xsrf=4", "cvv=[redacted] cvc=[redacted] csrf=[redacted] xsrf=[redacted]"],
    ["cvv=123", "cvv=[redacted]"],
    ["cvc=123", "cvc=[redacted]"],
    ["csrf=123", "csrf=[redacted]"],
    ["xsrf=123", "xsrf=[redacted]"],
    ["my_token: expected, csrftoken: expected", "my_token: expected, csrftoken: [redacted]"],
    ["credential: expected, credentials: expected."],
    ["token: 4f5e6def", "token: [redacted]"],
    ["token: abc123", "token: [redacted]"],
    ["token: expected."],
    ["token: abcdefghijklmnop", "token: [redacted]"],
    ['token: "expected"', 'token: "[redacted]"'],
    ["'token': expected", "'token': [redacted]"],
    ["token=expected", "token=[redacted]"],
    ["x-cookie: a b", "x-cookie: [redacted] b"],
    ["cookie-token: a1 b", "cookie-token: [redacted] b"],
    ["cookie=a b", "cookie=[redacted] b"],
    ["'cookie': a b", "'cookie': [redacted] b"],
    ["Set-Cookie: a=b; Path=/\r\nX: y", "Set-Cookie: [redacted]\r\nX: y"],
    ["mysig=abc, sigma=abc, sig: abc, sig = abc"],
    ["sig=abc&x-goog-signature=d", "sig=[redacted]&x-goog-signature=[redacted]"],
    ["password=&a=1"],
    ["password=[redacted]"],
    ["a=password=hunter2", "a=password=[redacted]"],
    ["password=a=token=b", "password=[redacted]"],
    ["password=Bearer abcdefgh1", "password=[redacted]"],
    ["pin=a://u:p&q@h", "pin=[redacted]@h"],
    ["token=postgres://u:p@db/x y", "token=[redacted] y"],
    ["password='a b\" c' d", "password='[redacted]' d"],
    ["password=`a 'b` c", "password=`[redacted]` c"],
    ["a=\"x password='q r' y\" z", "a=\"x password='[redacted]' y\" z"],
    ['password="[a] b"', 'password="[redacted]"'],
    ['password="a b', 'password="[redacted]'],
    ['{\\"password\\":\\"\\",\\"n\\":1}'],
    ["password[]=a&token]=b", "password[]=[redacted]&token]=[redacted]"],
    [
      "password[0]=a&user[tokens][2]=b&a[password]=c",
      "password[0]=[redacted]&user[tokens][2]=[redacted]&a[password]=[redacted]",
    ],
    ["socialSecurityNumber=078-05-1120", "socialSecurityNumber=[redacted]"],
    ['{"set-cookie":["sid=a; b]", "c"],"n":1}', '{"set-cookie":[redacted],"n":1}'],
    ['{"password":{"value":["a}",{}]},"n":1}', '{"password":[redacted],"n":1}'],
    ['{"tokens":["a\\"]","b', '{"tokens":[redacted]'],
    ["{ tokens: [ 'a]', it's ], n: 1 }", "{ tokens: [redacted], n: 1 }"],
    ["tokens: [ 'a", "tokens: [redacted]"],
    ["secret: { a: 'b' } n", "secret: [redacted] n"],
    ["tokens: {a: 'hunter-1', b: 'hunter-2'} end", "tokens: [redacted] end"],
    ["tokens: [`a]b`, `hunter-2`] end", "tokens: [redacted] end"],
    ["Unexpected token: { in JSON, expected a comma", "Unexpected token: [redacted] in JSON, expected a comma"],
    ["password=[a b", "password=[redacted] b"],
    ["password=[a]b c", "password=[redacted]b c"],
    ['{"a":[{"b":1}]}'],
    ['{"password":"a\\\\","b":"c"}', '{"password":"[redacted]","b":"c"}'],
    ['{\\"password\\":\\"a\\\\\\"b\\",\\"n\\":1}', '{\\"password\\":\\"[redacted]\\",\\"n\\":1}'],
    ['{\\"password\\":\\"a\\\\\\\\\\",\\"n\\":1}', '{\\"password\\":\\"[redacted]\\",\\"n\\":1}'],
    ['{"b":"{\\"password\\":\\"a b"}', '{"b":"{\\"password\\":\\"[redacted]"}'],
    ['{\\"tokens\\":[\\"a\\\\\\"]\\"],\\"n\\":1}', '{\\"tokens\\":[redacted],\\"n\\":1}'],
    ["%74oken=a&%zztoken=b", "%74oken=a&%zztoken=b"],
    ["t%6fken=a", "t%6fken=[redacted]"],
    ["pin%zz=a"],
    ["user.password=a, 1password=b", "user.password=[redacted], 1password=b"],
    ["密码：hunter2，好", "密码：[redacted]"],
    ["contraseña=a&пароль=b", "contraseña=[redacted]&пароль=[redacted]"],
    ["DATABASE_URL=postgres:///x PORT=1", "DATABASE_URL=[redacted] PORT=1"],
    // Other signs of an assignment
    [`"password" => "x", 'a' => 'b'`, `"password" => "[redacted]", 'a' => 'b'`],
    ['{:password=>"x", :a=>"b"}', '{:password=>"[redacted]", :a=>"b"}'],
    ["[password] => x\n[a] => b", "[password] => [redacted]\n[a] => b"],
    ["password := 'x'; token ?= y", "password := '[redacted]'; token ?= [redacted]"],
    // Options
    ["mysql --password x --port 1 -token y", "mysql --password [redacted] --port 1 -token [redacted]"],
    ["x --password=y --api-key='a b'", "x --password=[redacted] --api-key='[redacted]'"],
    ['["--password", "x y", "--port", "1"]', '["--password", "[redacted]", "--port", "1"]'],
    ["curl -u ada:x -o file --proxy-user a:b", "curl -u [redacted] -o file --proxy-user [redacted]"],
    ["--password is required, --no-password a, --token --x, my-token a, -u ada"],
    // Markup
    ["<a><password>x y</password><b>c</b></a>", "<a><password>[redacted]</password><b>c</b></a>"],
    ["<s:Password Type='T'><![CDATA[x]]></s:Password>", "<s:Password Type='T'>[redacted]</s:Password>"],
    ["<пароль>x</пароль>", "<пароль>[redacted]</пароль>"],
    ['<db user="a" password="x"/>', '<db user="a" password="[redacted]"/>'],
    ['<input name="_csrf" value="a b">', '<input name="_csrf" value="[redacted]">'],
    ["<input value=a type=password>b", "<input value=[redacted] type=password>b"],
    ['<add key="ApiKey" value="x" />', '<add key="ApiKey" value="[redacted]" />'],
    ['{"a":"<i name=\\"pin\\" value=\\"1\\">"}', '{"a":"<i name=\\"pin\\" value=\\"[redacted]\\">"}'],
    ['<string name="api_key">x</string>', '<string name="api_key">[redacted]</string>'],
    [
      "&lt;pin&gt;1&lt;/pin&gt; \\u003cpin\\u003e2\\u003c/pin\\u003e",
      "&lt;pin&gt;[redacted]&lt;/pin&gt; \\u003cpin\\u003e[redacted]\\u003c/pin\\u003e",
    ],
    ["<password>x <b", "<password>[redacted] <b"],
    ["give a <token> here, <title>Password</title><div id='token'>x</div><pin/>1"],
    // YAML
    ["passwords:\n  - a\n  - 'b c'\nport: 1", "passwords:\n  - [redacted]\n  - '[redacted]'\nport: 1"],
    ["tokens:\n- a\n- b\nport: 1", "tokens:\n- [redacted]\n- [redacted]\nport: 1"],
    ["a:\n  secrets:\n    db: x\n\n    - y\n  b: 1", "a:\n  secrets:\n    db: [redacted]\n\n    - [redacted]\n  b: 1"],
    ["privateKey: |-\n  a b\n  c\nd: 1", "privateKey: |-\n  [redacted]\n  [redacted]\nd: 1"],
    ["password:\n    hunter2\nb: 1", "password:\n    [redacted]\nb: 1"],
    ["Unexpected token:\n    at parse (json.js:1:2)"],
    ["passwords:\n\nnext: 1"],
  ];
  for (const [text, shown = text] of edges)
    it(`TRACE-042: ${shown === text ? "leaves" : "hides what is secret in"} ${JSON.stringify(text)}`, () =>
      assert.equal(redactText(text), shown));

  it("TRACE-031: replaces the tokens of services that have a known prefix", () => {
    const some = (chars: number, from = "Ab1"): string => from.repeat(chars).slice(0, chars);
    const hex = (chars: number): string => some(chars, "0af");
    const tokens = [
      ...["ghp_", "gho_", "ghs_", "ghr_", "ghu_"].map((prefix) => prefix + some(36)),
      `github_pat_${some(82, "a_1")}`,
      `glpat-${some(20, "a-_")}`,
      `glrt-${some(20)}`,
      `npm_${some(36)}`,
      `sk_live_${some(24)}`,
      `rk_live_${some(24)}`,
      `sk_test_${some(10)}`,
      `whsec_${some(32)}`,
      `xoxb-${some(12, "12")}-${some(12, "34")}-${some(24)}`,
      `xapp-1-${some(11)}-${some(64)}`,

      `hooks.slack.com/services/T${some(8)}/B${some(8)}/${some(24)}`,
      `discord.com/api/webhooks/1234567/${some(60)}`,
      `AKIA${some(16, "AB7")}`,
      `ASIA${some(16, "AB7")}`,
      `AIza${some(35, "a-_")}`,
      `ya29.${some(60, "a-_")}`,
      `SG.${some(22)}.${some(43, "a-_")}`,
      `SK${hex(32)}`,
      `bot123456789:A${some(34, "a-_")}`.slice(3),
      `sk-proj-${some(74, "a-_")}T3BlbkFJ${some(74)}`,
      `sk-ant-api03-${some(93, "a-_")}AA`,
      `sk-${some(48)}`,
      `AGE-SECRET-KEY-1${some(58, "QPZ")}`,
      `dop_v1_${hex(64)}`,
      `shpat_${hex(32)}`,
      `hf_${some(34, "aBc")}`,

      `hvs.${some(90, "a-_")}`,
      `pypi-AgEIcHlwaS5vcmc${some(60)}`,
      `PMAK-${hex(24)}-${hex(34)}`,
      `dckr_pat_${some(27)}`,
    ];
    for (const token of tokens) {
      for (const text of [`with ${token}, and`, `"${token}"`, `/${token}?a`, `\\n${token}\\n`])
        assert.equal(redactText(text), text.replace(token, "[redacted]"));
      assert.equal(isHarmless(token), false, token);
    }
    for (const text of [
      "ghp_short",
      "AKIA is a prefix",
      "risk_live_show",
      "task-12345",
      "npm_config_registry",
      "SG.1.2",
    ])
      assert.deepEqual([redactText(text), isHarmless(text)], [text, true]);
  });

  it("searches 1,024 characters for the end of a list that may be a bracket in a sentence", () => {
    const listed = (chars: number): string => `tokens=[${"x, ".repeat(600).slice(0, chars)}] end`;
    assert.equal(redactText(listed(1_022)), "tokens=[redacted] end");
    assert.equal(redactText(listed(1_023)), listed(1_023).replace("[x", "[redacted]"));
  });

  it("ends an unquoted value at the start of a new part", () => {
    for (const stop of " \t\n&;,\"'<>#)}]\\")
      assert.equal(redactText(`password=abc${stop}d`), `password=[redacted]${stop}d`);
    assert.equal(redactText("password=a.b-c/d:e+f%20(g{h[i|j"), "password=[redacted]");
  });

  it("reports each found secret once, in the order of the text", () => {
    const found: string[] = [];
    redacted("password=hunter2 Bearer abcdefgh1 pin=Bearer abcdefgh2 pin=eyJabcde.f token=[redacted]", 80, {
      isSecret: isSecretField,
      found: (value) => found.push(value),
    });
    assert.deepEqual(found, ["hunter2", "Bearer abcdefgh1", "Bearer abcdefgh2", "eyJabcde.f"]);
  });

  it("finds a secret that ends after the cut, and none that begins there", () => {
    const long = `${"x".repeat(20)} Bearer ${"a".repeat(100)}`;
    assert.equal(redactText(long, 40), `${"x".repeat(20)} [redacted]`);
    assert.equal(redactText(long, 21), `${"x".repeat(20)} `);
    assert.equal(redactText("a=1 password=hunter2 b", 15), "a=1 password=[redacted]");
    assert.equal(redactText("a=1 password=hunter2 b", 13), "a=1 password=");
    assert.equal(redactText("a=1 password=hunter2 b", 21), "a=1 password=[redacted] ");
  });

  it("hides the token that the cut leaves open, of any length, and only that", () => {
    const open = `eyJ${"a".repeat(20_000)}`;
    assert.equal(redactText(`a ${open}`, 40), "a [redacted]");
    assert.equal(redactText(`pin=1 ${open}`, 40), "pin=[redacted] [redacted]");
    for (const text of [`x${open}`, `-${open}`, `eyJabcdefgh ${"y".repeat(9_000)}`])
      assert.equal(redactText(text, 40), text.slice(0, 40));
    assert.deepEqual(
      [redactText("id eyJabcdef", 12), redactText("id eyJabcdef pin=", 17)],
      ["id eyJabcdef", "id eyJabcdef pin="],
    );
  });

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

  it("TRACE-042: shows nothing of a secret in JSON, in JSON within JSON, or as the console shows it", () => {
    const junk = fc.string({ unit: fc.constantFrom(..."\"'`\\[]{} a:=\n,é#x"), maxLength: 8 });
    const name = fc.constantFrom("password", "tokens", "set-cookie", "apiKey");
    const around = fc.tuple(junk, junk, junk, name, fc.nat(4), fc.nat(3));
    const property = fc.property(around, ([before, behind, other, key, shape, depth]) => {
      const secret = `${before}hunter2${behind}`;
      const value = [secret, [secret], [other, secret], { value: secret }, { a: [other, { b: secret }] }][shape];
      const data = { a: other, [key]: value, z: other };
      let text = depth === 0 ? inspect(data, { depth: 9 }) : JSON.stringify(data);
      for (let at = 1; at < depth; at += 1) text = JSON.stringify({ body: text });
      const shown = redactText(`${other} ${text} ${other}`);
      assert.ok(!shown.includes("hunter2"), shown);
    });
    fc.assert(property, { numRuns: runs });
  });

  it("takes time linear in the text", () => {
    for (const piece of [
      "a",
      "a=",
      "token=",
      "token:",
      "password=a ",
      'password="',
      'a\\"',
      "%41",
      "[]",
      "basic a",
      "eyJ-",
      "eyJa.",
      "-----BEGIN A-----",
      "://",
      "://a:",
      "Bearer ",
      "-",
      "Bearer a",
      "a: ",
      'a="',
      "a=\\\\'",
      "token: [",
      "tokens: [",
      "tokens=[",
      'tokens:["',
      "cookie: a ",
      "--a b ",
      "--password a ",
      "<password>",
      "<a b=c>",
      "<pin>1</pin>",
      "&lt;a ",
      "\\u003ca ",
      "<a x",
      "tokens:\n - a\n",
      "tokens:\n",
      " tokens:\n a:\n",
      "a:\n",
      "密",
      "密码：",
      "ghp_",
      "sk-ant-",
      "12345:A",
    ]) {
      const [small, large] = [2_048, 32_768].map((size) => {
        const text = `key ${piece.repeat(Math.ceil(size / piece.length))}`; // So that names are searched.
        return cpuMs(() => redactText(text, text.length));
      }) as [number, number];
      assert.ok(large <= 80 * small + 20, `${piece}: ${small} ms, and ${large} ms for sixteen times as much`);
    }
  });
});

describe("createRedactor", () => {
  it("adds keys, patterns and a custom decision, which hides when it throws", () => {
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

describe("createRedactor without options", () => {
  const redactor = createRedactor({});

  it("ends an assigned value at the start of a new part within a line that is shown", () => {
    const redactor = createRedactor({ custom: (key) => (key === "Cookie" ? false : undefined) });
    assert.equal(redactor.text("Cookie: a token=b c", 40), "Cookie: a token=[redacted] c");
  });

  it("uses the value too, so a flag under a secret name is shown", () => {
    assert.deepEqual([redactor.hides("password", true), redactor.hides("password", "a")], [false, true]);
  });

  it("hides every X-Auth header", () => {
    assert.equal(redactor.hidesHeader("accept", "a"), false);
    assert.deepEqual([redactor.hidesHeader("x-auth-user", "a"), redactor.hides("x-auth-user", "a")], [true, false]);
  });

  it("TRACE-041: remembers what it hid and what it found in a text, during a trace", () => {
    const own = createRedactor({});
    own.remember("hunter1-zebra");
    own.secrets = new KnownSecrets();
    own.remember("hunter2-zebra");
    assert.equal(own.text("password=hunter3-zebra&a=1", 100), "password=[redacted]&a=1");
    assert.equal(own.secrets.text("hunter1-zebra hunter2-zebra hunter3-zebra"), "hunter1-zebra [redacted] [redacted]");
  });

  it("is true for harmless texts, and for none with custom patterns of texts", () => {
    assert.equal(redactor.isHarmless("4111"), true);
    assert.equal(createRedactor({ values: [/4\d{3}/] }).isHarmless("4111"), false);
  });
});

describe("createRedactor's own keys and patterns", () => {
  it("compare a word without its separators", () => {
    const { hides } = createRedactor({ keys: ["Tax-Id.No"] });
    assert.deepEqual([hides("user_tax_id_no", "1"), hides("tax", "1")], [true, false]);
  });

  it("TRACE-042: are searched in texts as well", () => {
    assert.equal(createRedactor({ keys: ["iban"] }).text("GET /a?iban=DE89", 100), "GET /a?iban=[redacted]");
    const custom = createRedactor({ custom: (key) => (key === "iban" ? true : undefined) });
    assert.equal(custom.text("iban: DE89", 100), "iban: [redacted]");
    assert.equal(createRedactor({ values: [/DE89/] }).text("iban=DE89, bic=X1", 100), "iban=[redacted], bic=X1");
  });

  it("hide nothing for a word without letters and digits", () => {
    assert.equal(createRedactor({ keys: ["-", ""] }).hides("name", "x"), false);
  });

  it("find every place, with the flags g and y too, and keep the others", () => {
    const { hides, text } = createRedactor({ keys: [/^vat$/giy], values: [/abc/iy, /d.e/s] });
    for (let round = 0; round < 3; round += 1) assert.equal(hides("VAT", "1"), true);
    assert.equal(text("- ABC abc d\ne", 100), "- [redacted] [redacted] [redacted]");
  });

  it("show a text in which only the empty text matches", () => {
    assert.equal(createRedactor({ values: [/z*/] }).text("lamp", 100), "lamp");
  });

  it("look at the last 128 characters of a key", () => {
    const { hides } = createRedactor({ keys: [/^vat/] });
    assert.deepEqual(
      ["vat".padEnd(128, "-"), "vat".padEnd(129, "-"), `-vat${"-".repeat(125)}`].map((key) => hides(key, "1")),
      [true, false, true],
    );
  });
});

describe("noRedaction", () => {
  it("hides nothing, and cuts a text as the others do", () => {
    assert.deepEqual(
      [noRedaction.hides("password", "x"), noRedaction.hidesHeader("authorization", "x"), noRedaction.isHarmless("")],
      [false, false, false],
    );
    assert.deepEqual([noRedaction.text("pin=1234", 5), noRedaction.text("pin=1", 5)], ["pin=1", "pin=1"]);
    assert.equal(noRedaction.text("pin=", 5), "pin=");
  });
});

describe("isHarmless", () => {
  it("is true for names, ids and words", () => {
    for (const text of [
      "bar x",
      "icon",
      "ÿ",
      "Jane",
      "her x",
      "rye x",
      "arc x",
      "rar x",
      "red x",
      "lid x",
      "",
      "lamp",
      "ada@example.com",
      "42e7-8b1c",
      "a lamp for the desk, brass",
      "x".repeat(64),
      "é",
    ])
      assert.equal(isHarmless(text), true, text);
  });

  it("is false for a text with a secret, and for one that is long or wide", () => {
    const found = ["Bearer abcdefgh1", "basic\u00a0YTpiMTIzNDU2", "eyJhbGciOi.x.y", "-----BEGIN KEY-----", "a://u:p@h"];
    for (const text of [...found, "pin=1", "token: abcdef12", "x".repeat(65), "ŵ"])
      assert.equal(isHarmless(text), false, text);
  });

  it("TRACE-031 TRACE-042: is false for every text that is changed", () => {
    const part = fc.oneof(
      fc.constantFrom(
        ..."Bearer ,BASIC,basic\t,eyJ,hbGciOiJ,-----BEGIN ,-,://,u:p@,pin,=,: ,pass,token,\u00a0, ,<pin>,</pin>,&lt;pin&gt;,--pin ,-u , -pin ,ghp_,AKIA,ABCDEFGHIJKLMNOP,\\u003cpin\\u003e".split(
          ",",
        ),
      ),
      fc.string({ maxLength: 9 }),
      fc.base64String({ maxLength: 16 }),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 6 }).map((parts) => parts.join("")),
        (text) => !isHarmless(text) || redactText(text) === text,
      ),
      { numRuns: runs },
    );
  });
});
