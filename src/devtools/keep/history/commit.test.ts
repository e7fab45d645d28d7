/** The checked-out commit, from files as git writes them. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { commitOf, type CheckedOut } from "./commit.ts";

const folder = mkdtempSync(join(tmpdir(), "commit-"));
after(() => rmSync(folder, { recursive: true }));

/** Writes files, and returns the checked-out commit of a folder among them. */
function checkedOut(name: string, files: Readonly<Record<string, string>>, within = "."): CheckedOut {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  mkdirSync(join(folder, name, within), { recursive: true });
  return commitOf(join(folder, name, within));
}

const [a, b] = ["a".repeat(40), "b".repeat(64)];
const unknown = { commit: null, branch: null };

describe("commitOf", () => {
  it("reads commit and branch, loose or packed, and a commit alone", () => {
    const loose = { ".git/HEAD": "ref: refs/heads/feat/x\n", ".git/refs/heads/feat/x": `${a}\n` };
    const packed = {
      ".git/HEAD": "ref: refs/heads/main\n",
      ".git/packed-refs": `# pack-refs\n${a} refs/heads/old/main\n${b} refs/heads/main\n`,
    };
    assert.deepEqual(
      [
        checkedOut("loose", loose),
        checkedOut("packed", packed, "src/deep"),
        checkedOut("detached", { ".git/HEAD": `${a}\n` }),
        checkedOut("unborn", { ".git/HEAD": "ref: refs/heads/main\n" }),
      ],
      [
        { commit: a, branch: "feat/x" },
        { commit: b, branch: "main" },
        { commit: a, branch: null },
        { commit: null, branch: "main" },
      ],
    );
  });

  it("reads it in a work tree, which has its refs in its repository", () => {
    const files = {
      "main/.git/packed-refs": `${a} refs/heads/side\n`,
      "main/.git/worktrees/side/HEAD": "ref: refs/heads/side\n",
      "main/.git/worktrees/side/commondir": "../..\n",
      "side/.git": "gitdir: ../main/.git/worktrees/side\n",
    };
    assert.deepEqual(checkedOut("trees", files, "side/src"), { commit: a, branch: "side" });
  });

  it("is null for files that git has not written", () => {
    checkedOut("whole", { ".git/HEAD": a });
    assert.deepEqual(checkedOut("named", { ".git": "gitdir: ../whole/.git" }), { commit: a, branch: null });
    const odd = [
      { ".git/HEAD": "" },
      { ".git/HEAD": "ref: refs/heads/../../../secret" },
      { ".git/HEAD": "a".repeat(39) },
      { ".git": "gitdir: nowhere" },
      { ".git/HEAD": "x ref: refs/heads/main" },
      { ".git/HEAD": "ref: refs/heads/main more" },
      { ".git/HEAD": `x${a}` },
      { ".git/HEAD": `${a}x` },
      { ".git": "x gitdir: ../whole/.git" },
      { ".git": "gitdir: ../whole/.git\nmore" },
      { ".git/HEAD": `${a}${"\n".repeat(4_194_304)}` },
    ];
    for (const [at, files] of odd.entries()) assert.deepEqual(checkedOut(`odd${at}`, files), unknown);
    const [long, most] = [`${"x".repeat(255)}y`, `${a}${"\n".repeat(4_194_304 - 40)}`];
    assert.deepEqual(checkedOut("long", { ".git/HEAD": `ref: refs/heads/${long}` }).branch, "x".repeat(255));
    assert.deepEqual(checkedOut("large", { ".git/HEAD": most }), { commit: a, branch: null });
    const tag = { ".git/HEAD": "ref: refs/tags/v1", ".git/refs/tags/v1": a };
    assert.deepEqual(checkedOut("tag", tag), { commit: a, branch: null });
    assert.deepEqual(checkedOut("bad-ref", { ".git/HEAD": "ref: refs/heads/x", ".git/refs/heads/x": "secret" }), {
      commit: null,
      branch: "x",
    });
  });

  it("agrees with git itself", () => {
    const project = join(folder, "real");
    mkdirSync(project);
    const git = (...args: string[]): string =>
      execFileSync("git", ["-C", project, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
        encoding: "utf8",
      }).trim();
    git("init", "-q", "-b", "trunk");
    git("commit", "-q", "--allow-empty", "-m", "first");
    assert.deepEqual(commitOf(project), { commit: git("rev-parse", "HEAD"), branch: "trunk" });
    git("pack-refs", "--all");
    assert.deepEqual(commitOf(project), { commit: git("rev-parse", "HEAD"), branch: "trunk" });
  });
});
