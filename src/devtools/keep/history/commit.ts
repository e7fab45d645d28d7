/**
 * Commit: the checked-out commit, read from git's files without running a program.
 *
 *   folder, or one above it ──▶ .git, a folder or a file that names it (work trees, submodules) ──▶ HEAD ──▶ refs, packed-refs
 *
 * A file in another form than git's makes it unknown. Uncommitted changes are not known, since that would take git itself.
 *
 * Spec: spec/history.md
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Session } from "../../run/shapes.ts";

/** The checked-out commit and branch, or null if unknown, or without a branch. */
export type CheckedOut = Pick<Session, "commit" | "branch">;

const nothing: CheckedOut = { commit: null, branch: null };
/** A larger file is not one of git's. */
const maxBytes = 4_194_304;
const maxBranchChars = 255;

/** The checked-out commit in the repository around that folder. Never throws. */
export function commitOf(folder: string): CheckedOut {
  const git = gitFolder(folder);
  if (git === undefined) return nothing;
  const head = textOf(join(git, "HEAD"));
  if (isHash(head)) return { commit: head, branch: null };
  const ref = /^ref: (refs\/[^\s]+)$/.exec(head)?.[1];
  if (ref === undefined || ref.split("/").includes("..")) return nothing;
  const named = ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length).slice(0, maxBranchChars) : null;
  return { commit: hashOf(git, ref), branch: named };
}

function gitFolder(folder: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const found = gitFolderIn(at);
    if (found !== undefined || dirname(at) === at) return found;
  }
}

function gitFolderIn(folder: string): string | undefined {
  const git = join(folder, ".git");
  try {
    if (statSync(git).isDirectory()) return git;
  } catch {
    return undefined;
  }
  const named = /^gitdir: (.+)$/.exec(textOf(git))?.[1];
  return named === undefined ? undefined : resolve(folder, named);
}

/** A work tree has its own HEAD, and the refs of its repository. */
function hashOf(git: string, ref: string): string | null {
  const common = textOf(join(git, "commondir"));
  for (const folder of [git, resolve(git, common)]) {
    const loose = textOf(join(folder, ref));
    if (isHash(loose)) return loose;
    const packed = textOf(join(folder, "packed-refs"));
    const line = packed.split("\n").find((one) => one.endsWith(` ${ref}`));
    const hash = line?.slice(0, line.indexOf(" ")) ?? "";
    if (isHash(hash)) return hash;
  }
  return null;
}

const isHash = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** Empty if it cannot be read. */
function textOf(file: string): string {
  try {
    return statSync(file).size > maxBytes ? "" : readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}
