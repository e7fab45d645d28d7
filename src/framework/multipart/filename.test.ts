import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { bytesOf, safeName } from "./filename.ts";

/** Texts with parts that make paths dangerous. */
const pathLike = fc.string({ unit: fc.constantFrom("/", "\\", ".", "\0", ":", " ", "a", "ü"), maxLength: 12 });

describe("safeName", () => {
  test("keeps a name, and takes the last segment of a path", () => {
    const sent = {
      "me.png": "me.png",
      "Über uns (2).pdf": "Über uns (2).pdf",
      "C:\\fakepath\\me.png": "me.png",
      "../../etc/passwd": "passwd",
      "a\0b\n.png": "ab.png",
      "evil\u202Egnp.exe": "evilgnp.exe",
      "..": "unnamed",
      "a/": "unnamed",
      " . ": "unnamed",
      " \u00a0me.png": "me.png",
      "\u00a0": "unnamed",
      'con<>:"|?*.txt': "con.txt",
      ".htaccess": ".htaccess",
    };
    assert.deepEqual(Object.fromEntries(Object.keys(sent).map((name) => [name, safeName(name)])), sent);
    assert.equal(safeName(undefined), "unnamed");
  });

  test("keeps the extension of a name that is too long", () => {
    const name = safeName(`${"ü".repeat(300)}.jpeg`);
    assert.deepEqual([name.endsWith(".jpeg"), bytesOf(name) <= 200, bytesOf(name) >= 198], [true, true, true]);
  });

  test("keeps the beginning of a name that is too long, with any rest", () => {
    assert.equal(safeName(`a.b ${"x".repeat(300)}`), `a.b ${"x".repeat(196)}`);
    assert.equal(safeName(`${"x".repeat(196)}.png`), `${"x".repeat(196)}.png`);
    assert.equal(safeName(`${"x".repeat(197)}.png`), `${"x".repeat(196)}.png`);
  });

  test("MULTI-011: is one segment of a path, for any input", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), pathLike), (sent) => {
        const name = safeName(sent);
        // oxlint-disable-next-line no-control-regex -- they are what must not be there
        assert.ok(name !== "" && name !== "." && name !== ".." && !/[/\\\0-\u001f]/.test(name) && bytesOf(name) <= 200);
      }),
      { numRuns: 150 },
    );
  });
});
