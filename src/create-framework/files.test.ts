import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { readIfThere, replaceFile } from "./files.ts";

const folder = mkdtempSync(join(tmpdir(), "files-"));
after(() => rmSync(folder, { recursive: true }));

describe("readIfThere", () => {
  test("is undefined where there is no file, and throws where it is a folder", () => {
    assert.equal(readIfThere(join(folder, "none")), undefined);
    assert.throws(() => readIfThere(folder), { code: "EISDIR" });
  });
});

describe("replaceFile", () => {
  test("makes its folder, and puts one text in place of another", () => {
    const file = join(folder, "a", "b.txt");
    replaceFile(file, "one");
    replaceFile(file, "two");
    assert.equal(readFileSync(file, "utf8"), "two");
    assert.deepEqual(readdirSync(join(folder, "a")), ["b.txt"]);
  });

  test("leaves nothing behind where it cannot be put", () => {
    mkdirSync(join(folder, "c", "taken"), { recursive: true });
    assert.throws(() => replaceFile(join(folder, "c", "taken"), "text"));
    assert.deepEqual(readdirSync(join(folder, "c")), ["taken"]);
  });
});
