/** Unit tests of path.ts: which paths can be a file's. */
import assert from "node:assert/strict";
import { sep } from "node:path";
import { describe, test } from "node:test";
import { isFileName, isMissing, realPathIn, segmentsOf } from "./path.ts";

describe("segmentsOf", () => {
  test("splits a path under the prefix", () => {
    const paths = ["/assets/a/b.js", "/assets", "/assets/", "/assets/folder/", "/assets/ä ö.txt", "/assets/a..b/..."];
    assert.deepEqual(
      paths.map((path) => segmentsOf(path, "/assets")),
      [["a", "b.js"], [], [], ["folder"], ["ä ö.txt"], undefined],
    );
    assert.deepEqual(segmentsOf("/a.js", ""), ["a.js"]);
    assert.deepEqual(segmentsOf("/assets/a/b/", "/assets"), ["a", "b"]);
  });

  test("accepts names that are impossible on another system", { skip: sep === "\\" }, () => {
    assert.deepEqual(segmentsOf("/a:b/con/what?.txt", ""), ["a:b", "con", "what?.txt"]);
  });

  test("STATIC-002: rejects a segment that cannot be a file name", () => {
    const paths = [
      "/..",
      "/../a",
      "/a/../b",
      "/.",
      "/./a",
      "/a//b",
      "//a",
      "/a\\b",
      "/..\\a",
      "/a%2fb",
      "/a%2Fb",
      "/a%5Cb",
      "/a%00",
      "/a\0b",
      "/.env",
      "/a/.git/config",
      "/...",
      "/%2f..",
      "/a/b//",
    ];
    assert.deepEqual(
      paths.map((path) => segmentsOf(path, "")),
      paths.map(() => undefined),
    );
  });

  test("ignores paths outside the prefix", () => {
    assert.deepEqual(
      ["/assetsx", "/asset", "/other/a", ""].map((path) => segmentsOf(path, "/assets")),
      Array(4).fill(undefined),
    );
  });
});

describe("isFileName", () => {
  const onWindows = ["a:b", "what?.txt", "a*", 'a"', "a<", "a>", "a|", "a\x01", "a\x1f", "a\x7f", "a.", "a "];
  const devices = ["con", "PRN", "aux.txt", "nul", "com1", "LPT9.a.b", "com¹", "lpt²", "COM³.txt", "conin$", "CONOUT$"];
  const nowhere = ["", ".", "..", ".env", "a/b", "a\\b", "a\0", "a%2Fb", "a%5cb", "a%00"];
  const names = [
    "a",
    "a.b",
    "a b",
    "a..b",
    "ä",
    "icon",
    "console",
    "con1",
    "com",
    "comx",
    "lpt10",
    "a.con",
    "a%20",
    "conin",
    "con$",
  ];

  test("STATIC-002: rejects names impossible on every system, and those impossible on Windows", () => {
    const all = [...names, ...onWindows, ...devices, ...nowhere];
    assert.deepEqual(
      all.filter((name) => isFileName(name, "/")),
      [...names, ...onWindows, ...devices],
    );
    assert.deepEqual(
      all.filter((name) => isFileName(name, "\\")),
      names,
    );
  });

  test("uses the rules of the current system", () => assert.equal(isFileName("con"), sep !== "\\"));
});

describe("isMissing", () => {
  test("is true for system errors of files that must stay hidden, and for no other fault", () => {
    const codes = ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EACCES", "EPERM", "EMFILE", "EIO"];
    const errors = [...codes.map((code) => Object.assign(new Error(code), { code })), new Error("ENOENT")];
    assert.deepEqual(errors.map(isMissing), [...Array(6).fill(true), false, false, false]);
    assert.deepEqual([{ code: "ENOENT" }, "ENOENT", undefined].map(isMissing), [false, false, false]);
  });
});

describe("realPathIn", () => {
  test("rejects with an error that reveals nothing about the file", async () => {
    await assert.rejects(realPathIn("/", ["a\0"], false), { code: "ERR_INVALID_ARG_VALUE" });
  });
});
