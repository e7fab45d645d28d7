/** The journal's two files, byte by byte, and the proof that each line is read once. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { Journal } from "./journal.ts";

/** A journal in a separate folder. */
function journalOf(t: TestContext, bounds: { readonly bytes?: number; readonly lines?: number } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "journal-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "runs.jsonl");
  const older = join(folder, "runs.1.jsonl");
  const journal = new Journal({ file, bytes: 1e6, lines: 1_000, ...bounds });
  const text = (path = file): string | undefined => (existsSync(path) ? readFileSync(path, "utf8") : undefined);
  /** Reads new lines, each with its offset and length. */
  const read = async (): Promise<readonly unknown[]> => {
    const lines: unknown[] = [];
    await journal.read((line, _file, offset, length) => lines.push([line, offset, length]));
    return lines;
  };
  return { journal, file, older, text, read };
}

const onWindows = process.platform === "win32";

describe("Journal", () => {
  it("removes the access of others to an existing file", { skip: onWindows }, async (t) => {
    const ways: readonly ((journal: Journal) => unknown)[] = [
      (journal) => journal.append(["a"], "head"),
      (journal) => journal.appendNow(["a"], "head"),
      (journal) => journal.read(() => undefined),
    ];
    for (const use of ways) {
      const { journal, file } = journalOf(t);
      writeFileSync(file, "", { mode: 0o644 });
      await use(journal);
      assert.equal(statSync(file).mode & 0o777, 0o600);
    }
  });

  it("follows no link, and accepts only a file", { skip: onWindows }, async (t) => {
    const { journal, file, text } = journalOf(t);
    const victim = `${file}.victim`;
    writeFileSync(victim, "line\n", { mode: 0o644 });
    symlinkSync(victim, file);
    const isLink = /^Error: it is a symbolic link, which is not followed: name the file itself$/;
    await assert.rejects(journal.append(["a"], "head"), isLink);
    assert.throws(() => journal.appendNow(["a"], "head"), isLink);
    await assert.rejects(
      journal.read(() => undefined),
      isLink,
    );
    assert.deepEqual([text(victim), statSync(victim).mode & 0o777], ["line\n", 0o644]);
    rmSync(file);
    execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", file]);
    await assert.rejects(journal.append(["a"], "head"), /^Error: it is no regular file$/);
    assert.throws(() => journal.appendNow(["a"], "head"), /^Error: it is no regular file$/);
  });

  it("makes its folder for its owner only", { skip: onWindows }, async (t) => {
    const { file } = journalOf(t);
    const folder = join(dirname(file), ".framework");
    await new Journal({ file: join(folder, "runs.jsonl"), bytes: 1e6, lines: 10 }).append(["a"], "head");
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  });

  it("writes its head once, and again in a file that was emptied or deleted", async (t) => {
    const { journal, file, text } = journalOf(t);
    await journal.append(["a"], "head");
    await journal.append(["b", "c"], "head");
    assert.equal(text(), "head\na\nb\nc\n");
    truncateSync(file);
    await journal.append(["d"], "head");
    await journal.append(["e"], "head");
    assert.equal(text(), "head\nd\ne\n");
    rmSync(file);
    await journal.append(["f"], "head");
    assert.equal(text(), "head\nf\n");
  });

  it("ends a cut line before it writes after it, its own and another's", async (t) => {
    const { journal, file, text } = journalOf(t);
    writeFileSync(file, "cu");
    await journal.append(["a"], "head");
    appendFileSync(file, "cut");
    await journal.append(["b"], "head");
    appendFileSync(file, "whole\n");
    await journal.append(["c"], "head");
    assert.equal(text(), "cu\nhead\na\ncut\nb\nwhole\nc\n");
  });

  it("rotates its file when the next lines would be more than half of the lines", async (t) => {
    const { journal, file, older, text } = journalOf(t, { lines: 8 });
    await journal.append(["a", "b"], "head");
    await journal.append(["c"], "head");
    assert.deepEqual([text(), text(older)], ["head\na\nb\nc\n", undefined]);
    await journal.append(["d"], "head");
    assert.deepEqual([text(), text(older)], ["head\nd\n", "head\na\nb\nc\n"]);
    appendFileSync(file, "x\n"); // By another process.
    await journal.append(["e"], "head");
    assert.deepEqual([text(), text(older)], ["head\nd\nx\ne\n", "head\na\nb\nc\n"]);
    const other = journalOf(t, { lines: 8 });
    await other.journal.append(["a"], "head");
    appendFileSync(other.file, "x\ny\n");
    await other.journal.append(["b"], "head");
    assert.deepEqual([other.text(), other.text(other.older)], ["head\nb\n", "head\na\nx\ny\n"]);
  });

  it("rotates its file when the next lines would be more than half of the bytes", async (t) => {
    const { journal, older, text } = journalOf(t, { bytes: 18 });
    await journal.append(["a"], "head");
    await journal.append(["b"], "head");
    assert.deepEqual([text(), text(older)], ["head\na\nb\n", undefined]);
    await journal.append(["c"], "head");
    assert.deepEqual([text(), text(older)], ["head\nc\n", "head\na\nb\n"]);
    const one = journalOf(t, { bytes: 2 });
    await one.journal.append(["longer than the bound"], "head");
    assert.deepEqual([one.text(), one.text(one.older)], ["head\nlonger than the bound\n", undefined]);
  });

  it("counts the lines of a file that another process has written, of any length", async (t) => {
    const { journal, file, older, text } = journalOf(t, { lines: 4_002 });
    const before = `${"x".repeat(99)}\n`.repeat(2_000);
    writeFileSync(file, before);
    await journal.append(["a"], "head");
    assert.equal(text(), `${before}head\na\n`);
    const again = new Journal({ file, bytes: 1e6, lines: 4_002 });
    await again.append(["b"], "head");
    assert.deepEqual([text(), text(older)], ["head\nb\n", `${before}head\na\n`]);
  });

  it("counts the empty line at the beginning of a file that was made as a process ended", async (t) => {
    const { journal, file, older, text } = journalOf(t, { lines: 6 });
    journal.appendNow(["a", "b"], "head");
    const again = new Journal({ file, bytes: 1e6, lines: 6 });
    await again.append(["c"], "head");
    assert.deepEqual([text(), text(older)], ["head\nc\n", "\nhead\na\nb\n"]);
  });

  it("counts no line of a file twice that is longer than one read", async (t) => {
    const { journal, file, older, text } = journalOf(t, { lines: 8 });
    const before = `${"x".repeat(1_024)}\n${"y".repeat(65_000)}\n${"z".repeat(533)}\n`; // 1,024 more than one read.
    writeFileSync(file, before);
    await journal.append(["a"], "head");
    assert.deepEqual([text(), text(older)], [`${before}head\na\n`, undefined]);
  });

  it("only its owner may read a file that is made as the process ends", (t) => {
    const { journal, file, text } = journalOf(t);
    journal.appendNow(["a"], "head");
    assert.deepEqual([statSync(file).mode & 0o777, text()], [0o600, "\nhead\na\n"]);
  });

  it("makes its folder, and has git ignore a new one called .framework", async (t) => {
    const outer = dirname(journalOf(t).file);
    mkdirSync(join(outer, "there", ".framework"), { recursive: true });
    for (const [folder, ignored] of [
      ["made", undefined],
      [join("made", ".framework"), "*\n"],
      [join("there", ".framework"), undefined],
    ] as const) {
      const file = join(outer, folder, "runs.jsonl");
      const ignore = join(outer, folder, ".gitignore");
      await new Journal({ file, bytes: 1e6, lines: 10 }).append(["a"], "head");
      const seen = existsSync(ignore) ? readFileSync(ignore, "utf8") : undefined;
      assert.deepEqual([readFileSync(file, "utf8"), seen], ["head\na\n", ignored]);
    }
    const file = join(outer, "last", ".framework", "runs.jsonl");
    new Journal({ file, bytes: 1e6, lines: 10 }).appendNow(["a"], "head");
    assert.deepEqual(readdirSync(dirname(file)).toSorted(), [".gitignore", "runs.jsonl"]);
  });

  it("rejects with the system's error for a path that is not a folder, and makes nothing", async (t) => {
    const { file } = journalOf(t);
    writeFileSync(file, "");
    const within = new Journal({ file: join(file, "runs.jsonl"), bytes: 1e6, lines: 10 });
    const error = { code: "ENOTDIR", syscall: "open" };
    await assert.rejects(within.append(["a"], "head"), error);
    await assert.rejects(
      within.read(() => assert.fail("no line")),
      error,
    );
    await assert.rejects(within.lineAt(0, 0, 1), error);
  });

  it("reads each line once, and a file anew that was emptied", async (t) => {
    const { journal, file, read } = journalOf(t);
    assert.deepEqual(await read(), []);
    await journal.append(["a", "", "ü"], "head");
    assert.deepEqual(await read(), [
      ["head", 0, 4],
      ["a", 5, 1],
      ["ü", 8, 2],
    ]);
    assert.deepEqual(await read(), []);
    appendFileSync(file, "cu");
    assert.deepEqual(await read(), []);
    appendFileSync(file, "t\nd\n");
    assert.deepEqual(await read(), [
      ["cut", 11, 3],
      ["d", 15, 1],
    ]);
    truncateSync(file);
    writeFileSync(file, "e\n");
    assert.deepEqual(await read(), [["e", 0, 1]]);
  });

  it("reads a file from its beginning that has the inode of a deleted one", async (t) => {
    const { file, read } = journalOf(t);
    writeFileSync(file, "head\na\nb\n");
    await read();
    // In place, like a next file with the same inode; it is longer, and no offset in it matches the other one.
    writeFileSync(file, "head\nccc\ndd\n");
    assert.deepEqual(await read(), [
      ["head", 0, 4],
      ["ccc", 5, 3],
      ["dd", 9, 2],
    ]);
    appendFileSync(file, "e\n");
    assert.deepEqual(await read(), [["e", 12, 1]]);
  });

  it("reads a cut file from its beginning, and writes its head to it", async (t) => {
    const { journal, file, read, text } = journalOf(t);
    const long = "x".repeat(5_000);
    await journal.append([long], "head");
    assert.equal((await read()).length, 2);
    truncateSync(file, 4_500);
    assert.deepEqual(await read(), [["head", 0, 4]]);
    await journal.append(["c"], "head");
    assert.equal(text(), `head\n${long.slice(505)}\nhead\nc\n`);
  });

  it("writes its head to a file that has the inode of a deleted one", async (t) => {
    const { journal, file, text } = journalOf(t);
    await journal.append(["a"], "head");
    writeFileSync(file, "other\nb\n");
    await journal.append(["c"], "head");
    assert.equal(text(), "other\nb\nhead\nc\n");
  });

  it("reads the older file first, and a rotated file not again", async (t) => {
    const { journal, file, older, read } = journalOf(t, { lines: 4 });
    await journal.append(["a"], "head");
    assert.equal((await read()).length, 2);
    await journal.append(["b"], "head");
    assert.deepEqual(await read(), [
      ["head", 0, 4],
      ["b", 5, 1],
    ]);
    const other = new Journal({ file, bytes: 1e6, lines: 4 });
    const lines: string[] = [];
    const files = await other.read((line) => lines.push(line));
    assert.deepEqual(lines, ["head", "a", "head", "b"]);
    assert.deepEqual(
      files.map(({ inode, offset }) => [inode, offset]),
      [older, file].map((path) => [statSync(path).ino, 7]),
    );
  });

  it("reads a file once that has both names, as during a rotation", async (t) => {
    const { journal, file, older, read } = journalOf(t);
    await journal.append(["a"], "head");
    await read();
    linkSync(file, older);
    appendFileSync(file, "b\n");
    assert.deepEqual(await read(), [["b", 7, 1]]);
  });

  it("reads lines that are longer than one read, and skips one that is too long for a run", async (t) => {
    const { file, read } = journalOf(t);
    const long = "x".repeat(200_000);
    const tooLong = "y".repeat(16_777_216 + 70_000);
    writeFileSync(file, `a\n${long}\n${tooLong}\nb\n`);
    assert.deepEqual(await read(), [
      ["a", 0, 1],
      [long, 2, 200_000],
      ["b", 2 + 200_001 + tooLong.length + 1, 1],
    ]);
    assert.deepEqual(await read(), []);
  });

  it("reads a line of exactly the allowed length", async (t) => {
    const { file, read } = journalOf(t);
    const long = "x".repeat(16_777_216);
    writeFileSync(file, `${long}\n`);
    assert.deepEqual(await read(), [[long, 0, long.length]]);
  });

  it("returns a line again from either file, and none that is incomplete or in a deleted file", async (t) => {
    const { journal, file, older } = journalOf(t, { lines: 4 });
    await journal.append(["a"], "head");
    const { ino } = statSync(file);
    await journal.append(["b"], "head");
    assert.equal(statSync(older).ino, ino);
    assert.deepEqual([await journal.lineAt(ino, 5, 1), await journal.lineAt(statSync(file).ino, 0, 4)], ["a", "head"]);
    assert.equal(await journal.lineAt(ino, 5, 3), undefined);
    rmSync(file);
    assert.equal(await journal.lineAt(ino, 5, 1), "a");
    rmSync(older);
    assert.equal(await journal.lineAt(ino, 5, 1), undefined);
  });

  const descriptors = "/proc/self/fd";
  it("leaves no file open", { skip: !existsSync(descriptors) && "the system does not list them" }, async (t) => {
    const { journal, file, read } = journalOf(t, { lines: 4 });
    const before = readdirSync(descriptors).length;
    for (const line of ["a", "b", "c"]) {
      await journal.append([line], "head");
      await read();
      await journal.lineAt(statSync(file).ino, 0, 4);
      await journal.lineAt(0, 0, 4);
    }
    assert.equal(readdirSync(descriptors).length, before);
  });
});
