import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { readIfThere, replaceFile } from "./files.ts";

const folder = mkdtempSync(join(tmpdir(), "files-"));
after(() => rmSync(folder, { recursive: true }));

describe("readIfThere", () => {
  test("is undefined without a file, and throws for a folder", () => {
    assert.equal(readIfThere(join(folder, "none")), undefined);
    assert.throws(() => readIfThere(folder), { code: "EISDIR" });
  });
});

describe("replaceFile", () => {
  test("creates its folder, and replaces one text by another", () => {
    const file = join(folder, "a", "b.txt");
    replaceFile(file, "one");
    replaceFile(file, "two");
    assert.equal(readFileSync(file, "utf8"), "two");
    assert.deepEqual(readdirSync(join(folder, "a")), ["b.txt"]);
  });

  test("leaves nothing if it cannot be written", () => {
    mkdirSync(join(folder, "c", "taken"), { recursive: true });
    assert.throws(() => replaceFile(join(folder, "c", "taken"), "text"));
    assert.deepEqual(readdirSync(join(folder, "c")), ["taken"]);
  });
});
