/**
 * Saving a file: into a hidden one next to its place, which is then renamed.
 *
 *   stream ──▶ .<random>.part ──whole──▶ <name>
 *                  └─ it breaks off ──▶ removed
 *
 * Spec: spec/multipart.md
 */
import type { randomUUID } from "node:crypto";
import type { open, rename, rm } from "node:fs/promises";
import type { join } from "node:path";
import { usageError } from "../internal/usage-errors.ts";

/** How a file is saved. */
export interface SaveOptions {
  /**
   * Its name in the folder. A file with that name is replaced. By default a random one with the sender's extension, so that no
   * upload can overwrite another.
   */
  readonly as?: string | undefined;
}

/** A file that was saved. */
export interface SavedFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

/** Writes the stream into the folder. @throws (rejects) TypeError when `as` is not a name, and the system's errors. */
export async function saveFile(
  stream: AsyncIterable<Uint8Array>,
  filename: string,
  folder: string,
  options: SaveOptions,
): Promise<SavedFile> {
  const { fs, path, crypto } = modules();
  const name = options.as ?? `${crypto.randomUUID()}${extensionOf(filename)}`;
  if (!/^[^/\\\0]+$/.test(name) || name === "." || name === "..")
    throw usageError("MULTIPART", `saveTo: as is ${JSON.stringify(name)}: a name without a separator is allowed`);
  const place = path.join(folder, name);
  const unfinished = path.join(folder, `.${crypto.randomUUID()}.part`);
  const file = await fs.open(unfinished, "wx");
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      await file.writeFile(chunk);
      bytes += chunk.length;
    }
    await file.close();
    await fs.rename(unfinished, place);
  } catch (error) {
    await file.close().catch(() => undefined);
    await fs.rm(unfinished, { force: true });
    throw error;
  }
  return { path: place, name, bytes };
}

const extensionOf = (filename: string): string => /\.[A-Za-z0-9]{1,16}$/.exec(filename)?.[0].toLowerCase() ?? "";

function modules(): {
  readonly fs: { readonly open: typeof open; readonly rename: typeof rename; readonly rm: typeof rm };
  readonly path: { readonly join: typeof join };
  readonly crypto: { readonly randomUUID: typeof randomUUID };
} {
  const get = globalThis.process?.getBuiltinModule;
  if (get === undefined)
    throw usageError("MULTIPART", "saveTo needs a file system, which this platform lacks: read part.stream instead");
  return { fs: get("node:fs/promises"), path: get("node:path"), crypto: get("node:crypto") };
}
