/** Unit tests of headers.ts: valid fields, flat lists, content types, cookies (CTX). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { assertLinear } from "../dispatch/scaling.testkit.ts";
import {
  checkField,
  cookieOf,
  cookiesOf,
  describesContent,
  fieldOf,
  fieldsOf,
  isContentLength,
  isJson,
  keepVary,
  mediaTypeOf,
  replaceField,
  withoutFields,
} from "./headers.ts";
import { isToken } from "../internal/http-rules.ts";
import { collectGarbage } from "../testing/harness.testkit.ts";

describe("the cache of valid fields", () => {
  const keptOf = (use: (index: number) => unknown, count: number): number => {
    use(count);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < count; index += 1) use(index);
    collectGarbage();
    return process.memoryUsage().heapUsed - before;
  };
  const letters = "x".repeat(100);
  const cases: Readonly<Record<string, readonly [use: (index: number) => unknown, count: number]>> = {
    "no long Content-Type": [(index) => mediaTypeOf(`a/b;${index}=${letters.repeat(500)}`), 200],
    "few Content-Types": [(index) => mediaTypeOf(`a/b;${index}=${letters}`), 40_000],
    "few names": [(index) => checkField(`${index}-${letters}`, ""), 40_000],
  };
  for (const [what, [use, count]] of Object.entries(cases))
    test(`is ${what} for any sender`, () => {
      const kept = keptOf(use, count);
      assert.ok(kept < 2_000_000, `${kept} bytes are kept`);
    });
});

describe("checkField", () => {
  test("accepts tokens and visible text", () => {
    checkField("X-Ok", "a\tb ÿ");
    checkField("!#$%&'*+.^_`|~", "");
  });

  for (const name of ["", "a b", "a:", "a\r\nb", "é", "a\0"]) {
    test(`rejects the name ${JSON.stringify(name)}`, () => {
      assert.throws(() => checkField(name, "v"), { name: "TypeError", message: /is not a header name/ });
    });
  }

  for (const text of ["a\r\nSet-Cookie: x", "a\n", "\0", "\u007f", "€", "\u{1f600}"]) {
    test(`rejects the value ${JSON.stringify(text)}`, () => {
      assert.throws(() => checkField("X", text), { name: "TypeError", message: /no header may carry/ });
    });
  }
});

describe("checkField, for every character", () => {
  const characters = Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code));
  const allowed = characters.filter((_, code) => code === 9 || (code > 31 && code < 256 && code !== 127));
  const accepts = (text: string): boolean => {
    try {
      checkField("X", text);
      return true;
    } catch {
      return false;
    }
  };
  for (const [what, around] of [
    ["short", "a"],
    ["long", "a".repeat(16)],
  ] as const)
    test(`accepts the same characters in a ${what} value`, () => {
      assert.deepEqual(
        characters.filter((char) => accepts(around + char)),
        allowed,
      );
      assert.deepEqual(
        characters.filter((char) => accepts(char + around)),
        allowed,
      );
    });

  test("names the invalid field, and the fields that an app may not set", () => {
    const sentences = [
      ["X", "a\n", String.raw`the value of header X holds a character that no header may carry: "a\n"`],
      ["a b", "1", '"a b" is not a header name'],
      ["Transfer-Encoding", "chunked", "Transfer-Encoding is the engine's to set"],
      ["tRANSFER-eNCODING", "chunked", "tRANSFER-eNCODING is the engine's to set"],
      ["Trailer", "X", "Trailer is the engine's to set"],
    ] as const;
    for (const [name, value, message] of sentences)
      for (let time = 0; time < 2; time += 1)
        assert.throws(() => checkField(name, value), { name: "TypeError", code: "HEADER_INVALID", message });
    for (const name of ["Transfer-Encodings", "X-Transfer-Encoding", "Trailers", "X-Trailer"]) checkField(name, "1");
    checkField("X-Seventeen-Chars", "1");
  });
});

describe("isContentLength", () => {
  test("ignores the case of the name", () => {
    const names = [
      "Content-Length",
      "content-length",
      "CONTENT-LENGTH",
      "Content-Lengths",
      "Content-Length2",
      "Etag-Of-Length",
    ];
    assert.deepEqual(names.map(isContentLength), [true, true, true, false, false, false]);
  });
});

describe("describesContent", () => {
  test("is true for fields of the content, except for a policy and its location", () => {
    const names = ["content-type", "content-length", "content-location", "content-security-policy"];
    const others = ["content-security-policy-report-only", "x-content-type", "etag"];
    assert.deepEqual([...names, ...others].filter(describesContent), ["content-type", "content-length"]);
  });
});

describe("isToken", () => {
  test("accepts tokens", () => assert.deepEqual(["abc", "a b", "", "a/b"].map(isToken), [true, false, false, false]));
});

describe("flat lists", () => {
  test("fieldOf gives the last value and ignores case", () => {
    assert.equal(fieldOf(["X-A", "1", "x-a", "2", "Y", "3"], "X-a"), "2");
    assert.equal(fieldOf(["X-A", "1"], "x-a"), "1");
    assert.equal(fieldOf(["X-A", "1"], "X-B"), undefined);
  });

  test("fieldsOf joins all values", () => {
    assert.equal(fieldsOf(["Vary", "A", "X", "vary", "vary", "B"], "Vary"), "A, B");
    assert.equal(fieldsOf(["X", "vary"], "vary"), undefined);
  });

  test("keepVary restores missing names on one line", () => {
    const kept = (list: string[], earlier: string | undefined): string[] => {
      keepVary(list, earlier);
      return list;
    };
    assert.deepEqual(kept(["Vary", "A"], "a, B"), ["Vary", "A, B"]);
    assert.deepEqual(kept([], "A"), ["Vary", "A"]);
    assert.deepEqual(kept(["vary", "*"], "A"), ["vary", "*"]);
    assert.deepEqual(kept(["Vary", "A ,, B"], "C, ,b"), ["Vary", "A, B, C"]);
    assert.deepEqual(kept(["Vary", "A ,B"], "A ,B"), ["Vary", "A ,B"]);
    assert.deepEqual(kept(["Vary", "A", "vary", "B"], "b"), ["Vary", "A", "vary", "B"]);
    assert.deepEqual(kept(["vary", "B", "X", "1", "Vary", "C"], undefined), ["vary", "B", "X", "1", "Vary", "C"]);
  });

  test("replaceField keeps one line with the name", () => {
    const list = ["X-A", "1", "Y", "2", "x-a", "3", "X-A", "4"];
    replaceField(list, "x-A", "new");
    assert.deepEqual(list, ["X-A", "new", "Y", "2"]);
    replaceField(list, "Z", "z");
    assert.deepEqual(list, ["X-A", "new", "Y", "2", "Z", "z"]);
  });

  test("withoutFields drops by lower-case name", () => {
    assert.deepEqual(
      withoutFields(["ETag", "1", "Vary", "2"], (name) => name === "etag"),
      ["Vary", "2"],
    );
  });
});

describe("mediaTypeOf", () => {
  const sound: Readonly<Record<string, string>> = {
    "application/json": "application/json",
    "APPLICATION/JSON": "application/json",
    " text/plain ; charset=utf-8": "text/plain",
    "application/json;": "application/json",
    "text/html; a=b \t": "text/html",
    'a/b; x="q\\"uo;te"; y=z': "a/b",
    "c/d;x=1 \t; y=2": "c/d",
    "application/vnd.x+json;v=1": "application/vnd.x+json",
  };
  for (const [text, type] of Object.entries(sound)) test(`reads ${text}`, () => assert.equal(mediaTypeOf(text), type));

  for (const text of [
    "",
    "json",
    "/",
    "a/",
    "/b",
    "a b/c",
    "a/b c",
    "application/json\tx",
    "a/b; x",
    "a/b; x=",
    'a/b; x="y',
    "a/b/c",
    "a/b; =y",
    "a/b, c/d",
  ])
    test(`rejects ${JSON.stringify(text)}`, () => assert.equal(mediaTypeOf(text), undefined));

  test("reads any type with any parameters back", () => {
    const token = fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,10}$/);
    const quoted = fc.string().map((text) => `"${text.replace(/[^\x20-\x7e]/g, "").replace(/[\\"]/g, "\\$&")}"`);
    const params = fc.array(fc.tuple(token, fc.oneof(token, quoted)), { maxLength: 4 });
    fc.assert(
      fc.property(token, token, params, (type, subtype, list) => {
        const text = `${type}/${subtype}${list.map(([name, value]) => `; ${name}=${value}`).join("")}`;
        assert.equal(mediaTypeOf(text), `${type}/${subtype}`.toLowerCase());
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 2_000) },
    );
  });

  test("returns for any text, with two tokens or nothing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary-ascii", maxLength: 60 }), (text) => {
        const type = mediaTypeOf(text);
        if (type !== undefined) assert.ok(type.split("/").length === 2 && type.split("/").every(isToken));
      }),
      { numRuns: Number(process.env["FC_RUNS"] ?? 3_000) },
    );
  });

  test("takes time linear in the header", () => {
    for (const filler of [" ", ";", "a", '"', "; a=b", '; a="\\'])
      assertLinear(mediaTypeOf, filler, (text) => `a/b;${text}\u0001`);
  });
});

describe("isJson", () => {
  test("recognizes JSON by name and by suffix", () => {
    assert.deepEqual(["application/json", "application/problem+json", "text/json", "application/jsonp"].map(isJson), [
      true,
      true,
      false,
      false,
    ]);
  });
});

describe("cookieOf", () => {
  const header = 'a=1; b="two"; c=%C3%A9; d=%zz; e; =f; a=9;g=x=y';
  const values: Readonly<Record<string, string | undefined>> = {
    a: "1",
    b: "two",
    c: "é",
    d: "%zz",
    e: undefined,
    g: "x=y",
    missing: undefined,
  };
  for (const [name, value] of Object.entries(values))
    test(`reads ${name}`, () => assert.equal(cookieOf(header, name), value));
  test("takes time linear in the header", () => {
    for (const unit of ["a=1;", ";", " ", "=", "%41", '"']) assertLinear((text) => cookieOf(text, "z"), unit);
  });

  test("trims only spaces and tabs around a name, so other characters cannot forge a prefix", () => {
    const smuggled = '\xa0__Host-a=evil;\ufeff__Host-a=evil; \t __Host-a\t=\t"\xa0good"\t ';
    assert.equal(cookieOf(smuggled, "__Host-a"), "\xa0good");
    assert.deepEqual(Object.keys(cookiesOf(smuggled)), ["\xa0__Host-a", "\ufeff__Host-a", "__Host-a"]);
  });

  test("has none without a Cookie header", () => {
    assert.equal(cookieOf(undefined, "a"), undefined);
    assert.deepEqual(Object.entries(cookiesOf(undefined)), []);
  });

  test("strips quotes in pairs, and ignores a pair without =", () => {
    const header = 'a="; b="1; c=1"; d=""; e="1"2"; f; \t =8;;a=2';
    const values = { a: '"', b: '"1', c: '1"', d: "", e: '1"2', "": "8" };
    assert.deepEqual({ ...cookiesOf(header) }, values);
    for (const [name, value] of Object.entries(values)) assert.equal(cookieOf(header, name), value);
    assert.deepEqual([cookieOf("=8;a=2", ""), { ...cookiesOf("=8;a=2") }], ["8", { "": "8", a: "2" }]);
  });
});
