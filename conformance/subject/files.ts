/**
 * The folder that the subject serves, and the routes that send files, for runtimes with files.
 *
 *   .build/subject-files/<hash>/beside.txt      what no response may hold
 *                              /public/…        the folder: GET /assets/*, GET /pages/*
 *
 * It is written once and then only read, so subjects in several processes share it.
 *
 * Spec: spec/subject.md
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Framework } from "framework";
import { StaticMiddleware } from "framework/static";

const script = 'console.log("tea");\n'.repeat(100);
const secret = "hunter2-files";

/** Each file's text. The extension of its name is its coding. */
const files: Readonly<Record<string, string>> = {
  "beside.txt": secret,
  "public/index.html": "<h1>home</h1>",
  "public/sub/index.html": "<h1>sub</h1>",
  "public/bare/only.txt": "only",
  "public/digits.txt": "0123456789",
  "public/grüße an alle.txt": "grüße",
  "public/route.txt": "a file",
  "public/app-0123abcd.js": script,
  "public/app-0123abcd.js.br": script,
  "public/app-0123abcd.js.gz": script,
  "public/.env": secret,
  "public/sub/.hidden": secret,
};
const coders: Readonly<Record<string, (text: string) => Buffer>> = { ".br": brotliCompressSync, ".gz": gzipSync };
const links: Readonly<Record<string, string>> = {
  "public/hidden.txt": ".env",
  "public/inside.txt": "digits.txt",
  "public/out.txt": "../beside.txt",
  "public/up": "..",
};

/** Adds `/assets/*file`, `/pages/*file` and `/download`. */
export function addFiles(app: Framework): void {
  const root = join(written(), "public");
  const assets = new StaticMiddleware({
    root,
    prefix: "/assets",
    maxAge: 60,
    immutable: /-[0-9a-f]{8}\.\w+$/,
    precompressed: ["br", "gzip"],
  });
  const pages = new StaticMiddleware({ root, prefix: "/pages", fallback: "index.html" });
  app
    .group("/assets", (group) => group.use(assets).get("/route.txt", () => "a route"))
    .group("/pages", (group) => group.use(pages).get("/route", () => "a route"))
    .get("/download", (ctx) => ctx.download(new TextEncoder().encode("saved"), ctx.queryParam("name") ?? "unnamed"));
}

/** Writes the folder, for a runtime that cannot write itself. */
export function prepareFiles(): Promise<void> {
  written();
  return Promise.resolve();
}

/** The complete folder. The first process to write it moves it into place as a whole. */
function written(): string {
  const home = fileURLToPath(new URL("../../subject-files/", import.meta.url));
  const hash = createHash("sha256").update(JSON.stringify([files, links]));
  const folder = join(home, hash.digest("hex").slice(0, 16));
  if (existsSync(folder)) return folder;
  mkdirSync(home, { recursive: true });
  const draft = mkdtempSync(join(home, "draft-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(draft, name)), { recursive: true });
    writeFileSync(join(draft, name), coders[extname(name)]?.(text) ?? text);
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(draft, name));
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // Another process was faster.
  }
  return folder;
}
