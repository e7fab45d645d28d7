/** A folder to serve, with a secret next to it and traps in it. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";

/** The text that no response may hold. */
export const SECRET = "the secret beside the root";

/** The change time of every file. */
export const changedAt: Date = new Date("2026-11-24T10:00:00.000Z");

export const script: string = "console.log('a line that comes again');\n".repeat(100);

/** The folder, and a function to remove it. */
export interface Fixture {
  readonly root: string;
  /** The folder around it. */
  readonly home: string;
  remove(): void;
}

/** Makes the folder. */
export function fixture(): Fixture {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "static-")));
  const root = join(home, "public");
  const files: Readonly<Record<string, string | Buffer>> = {
    "index.html": "<h1>home</h1>",
    "app.js": script,
    "app.js.br": brotliCompressSync(script),
    "app.js.gz": gzipSync(script),
    "assets/logo-a1b2c3d4.svg": "<svg/>",
    "assets/digits.txt": "0123456789",
    "assets/digits.txt.zst": "the same in zstd",
    "odd/er/index.html/a.txt": "in a folder with the name of an index file",
    "odd/er/index.html/index.html": "and one in it",
    "assets/empty.txt": "",
    "assets/noext": "bytes",
    "docs/index.html": "<h1>docs</h1>",
    "docs/ä ö%.txt": "umlauts",
    "bare/only.txt": "no index here",
    ".env": SECRET,
    ".git/config": SECRET,
    "assets/.hidden": SECRET,
    "large.bin": Buffer.alloc(1_048_576, "0123456789abcdef"),
  };
  for (const [name, content] of Object.entries({
    ...files,
    "../secret.txt": SECRET,
    "../publicly/secret.txt": SECRET,
  })) {
    const path = join(root, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, changedAt, changedAt);
  }
  symlinkSync(join(home, "secret.txt"), join(root, "link.txt"));
  symlinkSync(home, join(root, "up"));
  symlinkSync(join(root, ".env"), join(root, "env.txt"));
  symlinkSync(join(root, "assets"), join(root, "inside"));
  symlinkSync("loop", join(root, "loop"));
  symlinkSync("noext", join(root, "assets", "named.json"));
  symlinkSync("../large.bin", join(root, "assets", "large.json"));
  symlinkSync(join(home, "secret.txt"), join(root, "bare", "away.html"));
  symlinkSync(join(home, "secret.txt"), join(root, "docs", "index.html.br"));
  return { root, home, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** The files under a folder that this process has open. */
export function openBelow(folder: string): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return []; // Closed in between.
    }
  });
}
