/** Tests the suite's identification in a report. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { commitOf } from "./suite.ts";

describe("commitOf", () => {
  it("is the commit, with -dirty after it if a file has changed, and null outside of git", (t) => {
    const folder = mkdtempSync(join(tmpdir(), "suite-"));
    t.after(() => rmSync(folder, { recursive: true }));
    const git = (...args: readonly string[]): string =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: folder, encoding: "utf8" });
    const seen = [commitOf(folder)];
    git("init", "--quiet");
    writeFileSync(join(folder, "a"), "1");
    git("add", "a");
    git("commit", "--quiet", "--message", "a");
    git("tag", "--annotate", "v1", "--message", "v1");
    const commit = git("rev-parse", "HEAD").trim();
    seen.push(commitOf(folder));
    writeFileSync(join(folder, "a"), "2");
    seen.push(commitOf(folder));
    assert.deepEqual(seen, [null, commit, `${commit}-dirty`]);
  });
});
