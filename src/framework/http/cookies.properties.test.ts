/** Properties of cookies: a cookie that was set is read back, and any header is read as another library reads it (COOKIE). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parse } from "cookie";
import fc from "fast-check";
import { type Context, signedCookies } from "../index.ts";
import { cookieLine, MAX_COOKIE_BYTES, putCookie } from "./cookies.ts";
import { cookieOf, cookiesOf } from "./headers.ts";

const numRuns = Number(process.env["FC_RUNS"] ?? 1_000);
/** Characters with a meaning in a cookie, and some that must have none. */
const awkward = fc.constantFrom(...'=;,"\\ %\t\r\n\0+.', "%3B", "%", "%E0", "é", "\u00a0", "\u2028", "😀", "\ufeff");
const anyText = fc.string({ unit: fc.oneof(awkward, fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 })) });
const name = fc.oneof(
  fc.constantFrom("a", "sid", "__proto__", "constructor", "toString", "0", "!#$%&'*+-.^_`|~"),
  fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/),
);
const options = fc.record(
  {
    path: fc.constantFrom("/", "/a", "/a/b c"),
    domain: fc.constantFrom("shop.example", "localhost"),
    maxAge: fc.nat(),
    expires: fc.date({ min: new Date("1601-01-01"), max: new Date("9999-01-01"), noInvalidDate: true }),
    httpOnly: fc.boolean(),
    sameSite: fc.constantFrom("strict", "lax", "none"),
    partitioned: fc.boolean(),
    priority: fc.constantFrom("low", "medium", "high"),
  },
  { requiredKeys: [] },
);
/** A `Cookie` header as Node passes it: bytes as latin1, no control characters except a tab. */
const header = fc.string({
  unit: fc.oneof(
    {
      weight: 5,
      arbitrary: fc.constantFrom(...'=;"% a\t\u00a0é', "a=", "; ", "__proto__=", "%41", "%E0%A4%A", "%C3%A9"),
    },
    { weight: 2, arbitrary: fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 1 }) },
  ),
  maxLength: 60,
});

describe("cookieLine and cookieOf", () => {
  test("COOKIE-003: a value is read back as it was set, among any other cookies", () => {
    fc.assert(
      fc.property(name, anyText, header, (name, value, before) => {
        const [pair = ""] = cookieLine(name, value).split(";");
        const sent = before.includes("=") ? `other=1; ${pair}; ${name}=later` : `${before}; ${pair}`;
        assert.equal(cookieOf(sent, name), value);
        assert.equal(cookiesOf(sent)[name], value);
        if (name !== "__proto__") assert.equal(parse(sent)[name], value);
      }),
      { numRuns },
    );
  });

  test("COOKIE-002: a line is one cookie in printable ASCII with exactly the requested attributes", () => {
    fc.assert(
      fc.property(name, anyText, options, (name, value, options) => {
        fc.pre(!/^__(?:host|http|secure)/i.test(name));
        const line = cookieLine(name, value, options);
        assert.match(line, /^[\x20-\x7e]+$/);
        assert.ok(line.length <= MAX_COOKIE_BYTES);
        const attributes = line.split("; ").slice(1);
        const wanted = Object.values(options).filter((option) => option !== undefined && option !== false).length;
        const defaults = [
          ...(options.path === undefined ? ["Path=/"] : []),
          "Secure",
          ...(options.httpOnly === undefined ? ["HttpOnly"] : []),
          ...(options.sameSite === undefined ? ["SameSite=Lax"] : []),
        ];
        assert.equal(attributes.length, wanted + defaults.length, line);
        const list: string[] = [];
        putCookie(list, line);
        putCookie(list, line);
        assert.deepEqual(list, ["Set-Cookie", line]);
      }),
      { numRuns },
    );
  });

  test("reads any header as the package `cookie` does", () => {
    fc.assert(
      fc.property(header, (sent) => {
        const own = cookiesOf(sent);
        for (const [name, value] of Object.entries(own)) {
          assert.equal(cookieOf(sent, name), value);
          // It cannot hold this name, does not read a bare "=", and strips both quotes of a value that is one quote.
          if (name === "__proto__" || sent.length < 2 || value === '"') continue;
          assert.equal(parse(sent)[name], value, JSON.stringify([sent, name]));
        }
        assert.deepEqual(
          Object.keys(parse(sent)).filter((name) => !(name in own)),
          [],
        );
      }),
      { numRuns },
    );
  });
});

describe("signedCookies", () => {
  const [current, older] = ["0123456789abcdef0123456789abcdef", "fedcba9876543210fedcba9876543210"];
  const cookies = signedCookies([current, older]);
  const before = signedCookies(older);
  /** A context with the members that these cookies use. */
  const holding = (sent: string): Context => ({ cookie: () => sent }) as unknown as Context;
  async function signedBy(signer: typeof cookies, name: string, value: string): Promise<string> {
    let sent = "";
    const setCookie = (_name: string, text: string): void => void (sent = text);
    await signer.set({ setCookie } as unknown as Context, name, value);
    return sent;
  }

  test("reads values signed with the current or an older secret, and no changed value", async () => {
    const change = fc.record({ at: fc.nat(), char: fc.constantFrom(..."aA0._- =") });
    await fc.assert(
      fc.asyncProperty(name, anyText, change, fc.boolean(), async (name, value, { at, char }, isOld) => {
        const sent = await signedBy(isOld ? before : cookies, name, value);
        assert.equal(await cookies.get(holding(sent), name), value);
        assert.equal(await cookies.get(holding(sent), `${name}x`), undefined);
        const place = at % sent.length;
        const changed = sent.slice(0, place) + char + sent.slice(place + 1);
        if (changed !== sent) assert.equal(await cookies.get(holding(changed), name), undefined, changed);
        assert.equal(await cookies.get(holding(sent.slice(0, place)), name), undefined);
      }),
      { numRuns: Math.ceil(numRuns / 4) },
    );
  });

  test("ignores anything else that a client sends, without an error", async () => {
    await fc.assert(
      fc.asyncProperty(header, fc.base64String(), async (sent, signature) => {
        for (const text of [sent, `${sent}.${signature}`, `${sent}.${"A".repeat(43)}`])
          assert.equal(await cookies.get(holding(text), "a"), undefined);
      }),
      { numRuns: Math.ceil(numRuns / 4) },
    );
  });
});
